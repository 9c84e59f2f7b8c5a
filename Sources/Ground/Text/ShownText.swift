/// The escaping of untrusted text for a terminal, a log or a message.
package enum ShownText {
    /// The default limit on shown bytes.
    package static let maximumLength = 200

    /// Returns the text, truncated, with control characters and invalid UTF-8 replaced.
    package static func of(_ bytes: some Collection<UInt8>, upTo limit: Int = maximumLength) -> String {
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: bytes.prefix(limit), as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text.append("\u{FFFD}")
            default: text.append(scalar)
            }
        }
        return String(text) + (bytes.count > limit ? "…" : "")
    }
}

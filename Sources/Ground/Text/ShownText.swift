/// Text of unknown origin, made fit for a terminal, a log or a sentence.
package enum ShownText {
    /// More bytes are not shown, unless asked for.
    package static let maximumLength = 200

    /// Control characters and what is not UTF-8 replaced, cut where it is long.
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

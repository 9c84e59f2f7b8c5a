/// Texts from outside that are kept beside what they are about: bounded, and without control characters.
package enum PlainText {
    /// Whether a text has 1 byte of UTF-8 to as many as the limit says, and no control character.
    ///
    /// - Parameter acrossLines: Take line feeds.
    package static func isFit(_ text: String, upTo limit: Int, acrossLines: Bool = false) -> Bool {
        guard !text.isEmpty, text.utf8.count <= limit else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            acrossLines && scalar == "\n" || scalar.properties.generalCategory != .control
        }
    }
}

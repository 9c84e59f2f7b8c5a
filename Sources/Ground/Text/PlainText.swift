/// The validation of short texts from outside: bounded, and without control characters.
package enum PlainText {
    /// Returns whether a text has at least one byte of UTF-8, at most `limit`, and no control character.
    ///
    /// - Parameter acrossLines: Whether line feeds are allowed.
    package static func isFit(_ text: String, upTo limit: Int, acrossLines: Bool = false) -> Bool {
        guard !text.isEmpty, text.utf8.count <= limit else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            acrossLines && scalar == "\n" || scalar.properties.generalCategory != .control
        }
    }
}

/// What the asker of a grant sends to know the answer as its own: text of letters, digits and `._~+/=-`.
package struct GrantNonce: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package static let maximumLength = 128
    /// What it may be, to follow "must be".
    package static let shape = "1 to \(maximumLength) letters, digits and '._~+/=-', drawn anew each time"

    package init?(_ text: String) {
        let isFit = text.utf8.allSatisfy { IdentifierGrammar.isAlphanumeric($0) || "._~+/=-".utf8.contains($0) }
        guard (1...Self.maximumLength).contains(text.utf8.count), isFit else { return nil }
        self.text = text
    }

    package var description: String { text }
}

import Ground

/// A nonce by which a client recognizes the response to its own request: letters, digits and `._~+/=-`.
package struct GrantNonce: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package static let maximumLength = 128
    /// The grammar in words, to follow "must be".
    package static let shape = "1 to \(maximumLength) letters, digits and '._~+/=-', generated for each request"

    package init?(_ text: String) {
        let isFit = text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "._~+/=-".utf8.contains($0) }
        guard (1...Self.maximumLength).contains(text.utf8.count), isFit else { return nil }
        self.text = text
    }

    package var description: String { text }
}

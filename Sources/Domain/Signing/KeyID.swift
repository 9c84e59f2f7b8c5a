import Ground

/// The id of a key: the first 16 hex digits of the SHA-256 of the raw public key (semantics.md §6).
package struct KeyID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(fingerprint: SHA256Digest) {
        text = String(fingerprint.hex.prefix(16))
    }

    /// Fails unless the text has 16 hex digits in lower case.
    package init?(_ text: String) {
        guard text.utf8.count == 16, Hex.decode(text) != nil else { return nil }
        self.text = text
    }

    package var description: String { text }
}

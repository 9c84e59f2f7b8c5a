import Ground

/// A SHA-256 digest, which names a blob.
package struct SHA256Digest: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// The format of a digest's text in words, for messages.
    package static let shape = "64 hex digits in lower case"

    /// Fails unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Fails unless the text has 64 hex digits in lower case.
    package init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64, let bytes = Hex.decode(hex) else { return nil }
        self.bytes = bytes
    }

    private init(known bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes 0: a placeholder for a digest that is never used, and the hash before the first audit entry.
    static let zero = SHA256Digest(known: Array(repeating: 0, count: 32))

    /// The digest as 64 hex digits in lower case.
    package var hex: String { Hex.encode(bytes) }

    package static func < (left: SHA256Digest, right: SHA256Digest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    package var description: String { hex }
}

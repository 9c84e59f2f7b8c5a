/// A SHA-256 digest; what blobs are named by.
package struct SHA256Digest: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 32 bytes.
    package let bytes: [UInt8]

    /// What the text of a digest is, as a message says it.
    package static let shape = "64 hex digits in lower case"

    /// Fails unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Fails unless the text is 64 hex digits in lower case.
    package init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64, let bytes = Hex.decode(hex) else { return nil }
        self.bytes = bytes
    }

    private init(known bytes: [UInt8]) { self.bytes = bytes }

    /// Of nothing that exists: where a digest is needed and does not count.
    static let zero = SHA256Digest(known: Array(repeating: 0, count: 32))

    /// 64 hex digits in lower case.
    package var hex: String { Hex.encode(bytes) }

    package static func < (left: SHA256Digest, right: SHA256Digest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    package var description: String { hex }
}

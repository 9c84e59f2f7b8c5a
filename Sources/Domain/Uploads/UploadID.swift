import Ground

/// The unguessable id of an upload that arrives in parts.
package struct UploadID: Hashable, Sendable, CustomStringConvertible {
    /// The id as 32 hex digits in lower case.
    package let text: String

    /// The number of random bytes.
    package static let byteCount = 16

    /// Fails unless the text has 32 hex digits in lower case.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.byteCount, Hex.decode(text) != nil else { return nil }
        self.text = text
    }

    /// Creates an id from ``byteCount`` random bytes.
    package init(random bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "an id has \(Self.byteCount) bytes")
        text = Hex.encode(bytes)
    }

    package var description: String { text }
}

/// Names an upload that comes in parts; nobody guesses one.
package struct UploadID: Hashable, Sendable, CustomStringConvertible {
    /// 32 hex digits in lower case.
    package let text: String

    /// Bytes that it is made of.
    package static let byteCount = 16

    /// Fails unless the text is 32 hex digits in lower case.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.byteCount, Hex.decode(text) != nil else { return nil }
        self.text = text
    }

    /// Of random bytes, of which there must be ``byteCount``.
    package init(random bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "an id has \(Self.byteCount) bytes")
        text = Hex.encode(bytes)
    }

    package var description: String { text }
}

import Domain

/// A zip that has come as a whole, and stays where it is while it is looked at.
package struct ReceivedZip: Sendable {
    package let path: String
    /// Bytes.
    package let size: Int
}

extension PlatformError {
    /// For a zip that is larger than a server takes.
    init(zipLargerThan limit: Int) {
        self.init(
            .bodyTooLarge,
            "The zip is larger than \(ByteCount.text(limit)), the most this server takes (--max-upload-bytes).")
    }
}

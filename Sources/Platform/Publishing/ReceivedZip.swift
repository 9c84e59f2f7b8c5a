import Domain
import Ground

/// A completely received zip, whose file stays in place while it is inspected.
package struct ReceivedZip: Sendable {
    package let path: String
    /// The size in bytes.
    package let size: Int
}

extension PlatformError {
    /// Creates the error for a zip that exceeds the server's limit.
    init(zipLargerThan limit: Int) {
        self.init(
            .bodyTooLarge,
            "The zip is larger than \(ByteCount.text(limit)), the limit of this server (--max-upload-bytes).")
    }
}

import Domain
import Execution
import Ground
import HTTP
import Synchronization

/// A cache of prepared responses to plain requests for recently requested blobs, with their open files.
///
/// A blob that many devices request at once then needs no call to the file system. Blobs never change, so cached
/// responses stay correct.
final class HotBlobs: Sendable {
    struct Key: Hashable {
        let digest: String
        let isArchive: Bool
    }

    struct Entry {
        let response: PreparedResponse
        /// The time when the blob arrived; it is sent as `Last-Modified` only while it is not in the future.
        let date: Timestamp
    }

    /// The number of cached responses, each with an open file or at most ``inlineBytes`` of body.
    static let capacity = 256
    /// The size up to which a blob's bytes are cached, and sent in one call with their head.
    static let inlineBytes = 16 << 10

    private let entries = Mutex(Generations<Key, Entry>(capacity: capacity))

    subscript(_ key: Key) -> Entry? { entries.withLock { $0.find(key) } }

    func keep(_ entry: Entry, under key: Key) {
        entries.withLock { $0.keep(entry, under: key) }
    }

    /// The number of cached responses.
    var count: Int { entries.withLock { $0.count } }
}

import Domain
import Execution
import HTTP
import Synchronization

/// The answers to plain requests for the blobs that were asked for lately: ready-made, and with their files open.
///
/// What is asked for by many devices at once is so found without a call to the file system. Blobs never change, so an
/// answer is right for as long as it is here.
final class HotBlobs: Sendable {
    struct Key: Hashable {
        let digest: String
        let isArchive: Bool
    }

    struct Answer {
        let response: PreparedResponse
        /// When the blob came to the server, which HTTP knows for a date unless the clock is behind it.
        let date: Timestamp
    }

    /// Answers at a time, each of which has a file open or ``inlineBytes`` at most.
    static let capacity = 256
    /// Up to this size a blob's bytes are kept, and go out in one call with their head.
    static let inlineBytes = 16 << 10

    private let answers = Mutex(Generations<Key, Answer>(capacity: capacity))

    subscript(_ key: Key) -> Answer? { answers.withLock { $0.find(key) } }

    func keep(_ answer: Answer, under key: Key) {
        answers.withLock { $0.keep(answer, under: key) }
    }

    /// How many answers there are.
    var count: Int { answers.withLock { $0.count } }
}

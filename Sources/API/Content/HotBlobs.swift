import Domain
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

    /// Those asked for since the last change of generations, and those of the generation before.
    fileprivate struct Generations {
        var young: [Key: Answer] = [:]
        var old: [Key: Answer] = [:]
    }

    private let generations = Mutex(Generations())

    subscript(_ key: Key) -> Answer? {
        generations.withLock { generations -> Answer? in
            if let answer = generations.young[key] { return answer }
            guard let answer = generations.old.removeValue(forKey: key) else { return nil }
            generations.keep(answer, under: key)
            return answer
        }
    }

    func keep(_ answer: Answer, under key: Key) {
        generations.withLock { $0.keep(answer, under: key) }
    }

    /// How many answers there are.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }
}

extension HotBlobs.Generations {
    fileprivate mutating func keep(_ answer: HotBlobs.Answer, under key: HotBlobs.Key) {
        if young.count >= HotBlobs.capacity / 2 {
            old = young
            young = [:]
        }
        young[key] = answer
    }
}

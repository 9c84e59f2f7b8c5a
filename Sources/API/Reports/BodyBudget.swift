import Domain
import HTTP
import Synchronization

/// Bounds the bytes of small bodies that are in memory at a time, over all requests.
final class BodyBudget: Sendable {
    private let capacity: Int
    private let held = Mutex(0)

    /// - Parameter capacity: In bytes.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// What one request has of the budget; given back with it.
    struct Share: ~Copyable {
        private let budget: BodyBudget
        private var count = 0

        fileprivate init(of budget: BodyBudget) {
            self.budget = budget
        }

        deinit { budget.held.withLock { $0 -= count } }

        /// Reads a whole body, whose bytes stay in the share.
        ///
        /// Bytes count as they come: a length that is only declared takes nothing from others. Throws `busy` where the
        /// budget is used up, `bodyTooLarge`, `bodyIncomplete`.
        mutating func collect(_ body: RequestBody, upTo limit: Int) async throws(PlatformError) -> [UInt8] {
            if let length = body.length, length > limit { throw BodyError.tooLarge(limit: limit).platformError }
            var whole: [UInt8] = []
            while let piece = try await Self.next(of: body) {
                guard whole.count + piece.count <= limit else { throw BodyError.tooLarge(limit: limit).platformError }
                try take(piece.count)
                whole.append(contentsOf: piece)
            }
            return whole
        }

        /// Ends the share where it is no longer needed, and not before.
        consuming func end() {}

        private mutating func take(_ bytes: Int) throws(PlatformError) {
            let isTaken = budget.held.withLock { held in
                guard held + bytes <= budget.capacity else { return false }
                held += bytes
                return true
            }
            guard isTaken else {
                throw PlatformError(.busy, "Too many requests are being read. Send this one again later.")
            }
            count += bytes
        }

        private static func next(of body: RequestBody) async throws(PlatformError) -> [UInt8]? {
            do throws(BodyError) { return try await body.next() } catch { throw error.platformError }
        }
    }

    func share() -> Share { Share(of: self) }
}

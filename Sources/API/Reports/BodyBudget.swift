import Domain
import HTTP
import Synchronization

/// A bound on the bytes of small bodies in memory, over all requests.
final class BodyBudget: Sendable {
    private let capacity: Int
    private let held = Mutex(0)

    /// - Parameter capacity: The bytes of all bodies together.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The bytes that one request has taken of the budget; its `deinit` returns them.
    struct Share: ~Copyable {
        private let budget: BodyBudget
        private var count = 0

        fileprivate init(of budget: BodyBudget) {
            self.budget = budget
        }

        deinit { budget.held.withLock { $0 -= count } }

        /// Reads a whole body, whose bytes stay charged to the share.
        ///
        /// Bytes are charged as they arrive: a declared length takes nothing from other requests. Throws `busy` if the
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

        /// Ends the share; called after the last use of the bytes, so that the share lives until then.
        consuming func end() {}

        /// Charges further bytes to the share; throws `busy` if the budget is used up.
        mutating func take(_ bytes: Int) throws(PlatformError) {
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

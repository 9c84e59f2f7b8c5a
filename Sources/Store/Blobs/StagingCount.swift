import Synchronization

/// The number of a store's stagings.
final class StagingCount: Sendable {
    private let count = Mutex(0)

    /// Runs `body` while there is no staging and none can begin; returns `nil` if there is one.
    func whileNone<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result? {
        try count.withLock { count in count == 0 ? try body() : nil }
    }

    /// A value that counts as one staging during its lifetime.
    struct Presence: ~Copyable {
        private let owner: StagingCount

        init(in owner: StagingCount) {
            self.owner = owner
            owner.count.withLock { $0 += 1 }
        }

        deinit { owner.count.withLock { $0 -= 1 } }
    }
}

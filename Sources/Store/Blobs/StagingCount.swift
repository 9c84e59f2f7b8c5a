import Synchronization

/// How many stagings of a store there are.
final class StagingCount: Sendable {
    private let count = Mutex(0)

    /// Runs `body` while there is no staging and none can begin; `nil` where there is one.
    func whileNone<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result? {
        try count.withLock { count in count == 0 ? try body() : nil }
    }

    /// Counts for as long as it lives.
    struct Presence: ~Copyable {
        private let owner: StagingCount

        init(in owner: StagingCount) {
            self.owner = owner
            owner.count.withLock { $0 += 1 }
        }

        deinit { owner.count.withLock { $0 -= 1 } }
    }
}

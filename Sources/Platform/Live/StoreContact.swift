import Synchronization

/// A record of the last time at which the state in memory was known to be current.
///
/// Any task may update it: a periodic check, or the follower of the changes of other nodes.
package final class StoreContact: Sendable {
    private let now: @Sendable () -> ContinuousClock.Instant
    private let begin: ContinuousClock.Instant
    /// The last confirmation, in nanoseconds since `begin`.
    private let confirmed = Atomic<Int64>(0)
    private let isLost = Atomic(false)

    /// - Parameter now: A clock that never jumps.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        begin = now()
    }

    /// Notes that the state in memory was current just now.
    package func confirm() {
        confirmed.store(nanoseconds, ordering: .relaxed)
        isLost.store(false, ordering: .relaxed)
    }

    /// Notes that the state in memory may be outdated, for example because the store cannot be reached.
    package func lose() { isLost.store(true, ordering: .relaxed) }

    /// The time since the last confirmation.
    package var unconfirmed: Duration { .nanoseconds(nanoseconds - confirmed.load(ordering: .relaxed)) }

    /// The seconds since the last confirmation, rounded up; `nil` while the state is current.
    ///
    /// Takes one relaxed load if it can.
    package var snapshotAge: Int64? {
        guard isLost.load(ordering: .relaxed) else { return nil }
        let (seconds, attoseconds) = unconfirmed.components
        return max(1, seconds + (attoseconds > 0 ? 1 : 0))
    }

    private var nanoseconds: Int64 {
        let (seconds, attoseconds) = (now() - begin).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

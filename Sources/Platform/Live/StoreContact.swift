import Synchronization

/// The knowledge whether the metadata store can be reached, and so whether the state in memory is current.
///
/// Any source may feed it: a periodic check, or a connection that is notified of changes.
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

    /// Notes that the store cannot be reached.
    package func lose() { isLost.store(true, ordering: .relaxed) }

    /// The time since the last confirmation.
    package var unconfirmed: Duration { .nanoseconds(nanoseconds - confirmed.load(ordering: .relaxed)) }

    /// The seconds since the last confirmation, rounded up; `nil` while the store can be reached.
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

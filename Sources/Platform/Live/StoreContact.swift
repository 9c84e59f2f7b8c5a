import Synchronization

/// A record of the last time at which the state in memory was known to be current.
///
/// Any task may update it: a periodic check, or the follower of the changes of other nodes.
package final class StoreContact: Sendable {
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    /// Whether the state has an instant of loss, for readers that must not wait.
    private let isLost = Atomic(false)

    private struct State {
        /// The latest instant at which the state in memory is known to have been current.
        var confirmed: ContinuousClock.Instant
        var lostAt: ContinuousClock.Instant?
    }

    /// - Parameter now: A clock that never jumps.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        state = Mutex(State(confirmed: now()))
    }

    /// Notes that the state in memory was current just now.
    package func confirm() { confirm(asOf: now()) }

    /// Notes that the state in memory has everything that the store had at an instant.
    ///
    /// If the state counts as outdated, it does so until it is confirmed as of a later instant than that of the loss.
    package func confirm(asOf instant: ContinuousClock.Instant) {
        state.withLock { state in
            state.confirmed = max(state.confirmed, instant)
            if let lostAt = state.lostAt, instant < lostAt { return }
            state.lostAt = nil
            isLost.store(false, ordering: .relaxed)
        }
    }

    /// Notes that the state in memory may be outdated, for example because the store cannot be reached.
    package func lose() {
        state.withLock { state in
            state.lostAt = state.lostAt ?? now()
            isLost.store(true, ordering: .relaxed)
        }
    }

    /// The time since the last confirmation.
    package var unconfirmed: Duration { now() - state.withLock { $0.confirmed } }

    /// The seconds since the last confirmation, rounded up; `nil` while the state is current.
    ///
    /// Takes one relaxed load if it can.
    package var snapshotAge: Int64? {
        guard isLost.load(ordering: .relaxed) else { return nil }
        let (seconds, attoseconds) = unconfirmed.components
        return max(1, seconds + (attoseconds > 0 ? 1 : 0))
    }
}

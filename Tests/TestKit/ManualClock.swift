import Domain
package import Ground
import Synchronization

/// A wall clock that stands still until a test moves it.
package final class ManualClock: WallClock {
    private let instant: Mutex<Timestamp>

    /// - Parameter start: The first time; by default 2026-01-01T00:00:00Z.
    package init(_ start: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        instant = Mutex(start)
    }

    package func now() -> Timestamp { instant.withLock { $0 } }

    /// Moves the clock, also backwards.
    package func set(to instant: Timestamp) {
        self.instant.withLock { $0 = instant }
    }

    package func advance(milliseconds: Int64) {
        instant.withLock { $0 = $0.adding(milliseconds: milliseconds) }
    }
}

import Client
import Domain
import Synchronization

/// Clocks that move only when something sleeps by them, or a test says so.
final class ManualClientClock: ClientClock {
    private let elapsed = Mutex(Duration.zero)
    private let start: Timestamp

    /// - Parameter start: What the wall clock says first.
    init(_ start: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        self.start = start
    }

    func wall() -> Timestamp { start.adding(milliseconds: Int64(monotonic() / .milliseconds(1))) }

    func monotonic() -> Duration { elapsed.withLock { $0 } }

    func sleep(for duration: Duration) { advance(by: duration) }

    func advance(by duration: Duration) { elapsed.withLock { $0 += max(.zero, duration) } }
}

import Client
import Domain
import Ground
import Synchronization

/// A clock that moves only when the client sleeps or a test advances it.
final class ManualClientClock: ClientClock {
    private let elapsed = Mutex(Duration.zero)
    private let start: Timestamp

    /// - Parameter start: The first time of the wall clock.
    init(_ start: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        self.start = start
    }

    func wall() -> Timestamp { start.adding(milliseconds: Int64(monotonic() / .milliseconds(1))) }

    func monotonic() -> Duration { elapsed.withLock { $0 } }

    func sleep(for duration: Duration) { advance(by: duration) }

    func advance(by duration: Duration) { elapsed.withLock { $0 += max(.zero, duration) } }
}

import Domain
import Glibc
package import Ground

/// The clocks of a client, passed in so that tests can control them.
package protocol ClientClock: Sendable {
    /// Returns this machine's wall-clock time.
    func wall() -> Timestamp
    /// Returns the time since some fixed moment; it never jumps.
    func monotonic() -> Duration
    /// Blocks the thread for a duration.
    func sleep(for duration: Duration)
}

/// The clocks of the machine.
package struct SystemClientClock: ClientClock {
    private let start = ContinuousClock.now

    package init() {}

    package func wall() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package func monotonic() -> Duration { start.duration(to: .now) }

    package func sleep(for duration: Duration) {
        let end = ContinuousClock.now.advanced(by: duration)
        while case let left = ContinuousClock.now.duration(to: end), left > .zero {
            let (seconds, attoseconds) = left.components
            var pause = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            // A signal ends the sleep early; the loop sleeps the rest.
            nanosleep(&pause, nil)
        }
    }
}

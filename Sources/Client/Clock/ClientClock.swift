package import Domain
import Glibc

/// The times that a client goes by, passed in so that tests can move them.
package protocol ClientClock: Sendable {
    /// This machine's idea of the time of day.
    func wall() -> Timestamp
    /// Time since some fixed moment, which never jumps.
    func monotonic() -> Duration
    /// Blocks the thread.
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
            // A signal ends it early; what is left is slept in the next round.
            nanosleep(&pause, nil)
        }
    }
}

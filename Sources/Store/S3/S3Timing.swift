import Glibc
package import Ground

/// The clocks, the sleep and the randomness of requests to a bucket, passed in so that tests do not sleep.
package struct S3Timing: Sendable {
    /// The wall clock, for signatures.
    let now: @Sendable () -> Timestamp
    /// A clock that never jumps.
    let elapsed: @Sendable () -> Duration
    let sleep: @Sendable (Duration) -> Void
    /// Returns a random number below a bound.
    let random: @Sendable (Double) -> Double

    package init(
        now: @escaping @Sendable () -> Timestamp, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) -> Void, random: @escaping @Sendable (Double) -> Double
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
        self.random = random
    }

    /// The clocks of the system beside a wall clock.
    package static func system(now: @escaping @Sendable () -> Timestamp) -> S3Timing {
        let start = ContinuousClock.now
        return S3Timing(
            now: now, elapsed: { ContinuousClock.now - start },
            sleep: { duration in
                let (seconds, attoseconds) = duration.components
                let pause = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
                // A signal handler may end the sleep early, which does no harm.
                withUnsafePointer(to: pause) { _ = nanosleep($0, nil) }
            },
            random: { Double.random(in: 0..<max($0, .leastNonzeroMagnitude)) })
    }
}

/// The bounds on repeated requests: exponential backoff with full jitter.
package struct S3Retries: Sendable {
    /// The maximum number of requests.
    package var attempts = 5
    /// The time after which no request is repeated.
    package var totalTime = Duration.seconds(30)
    /// The upper bound of the first pause, which doubles with each further one.
    package var firstPause = Duration.milliseconds(100)
    /// The upper bound of every pause.
    package var longestPause = Duration.seconds(3)

    package init() {}

    /// Returns the pause after a number of failed requests.
    func pause(after failures: Int, random: (Double) -> Double) -> Duration {
        let bound = min(firstPause * (1 << min(failures - 1, 20)), longestPause)
        return .seconds(random(bound / .seconds(1)))
    }
}

import Glibc

/// An instant of the monotonic clock in nanoseconds.
struct Instant: Comparable {
    var nanoseconds: Int64

    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static let distantFuture = Instant(nanoseconds: .max)

    static func - (left: Instant, right: Instant) -> Duration { .nanoseconds(left.nanoseconds - right.nanoseconds) }

    static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Adds a duration; saturates at the distant future.
    static func + (instant: Instant, duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        let (product, isHuge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isHuge else { return seconds > 0 ? .distantFuture : instant }
        let (sum, overflows) = instant.nanoseconds.addingReportingOverflow(product + attoseconds / 1_000_000_000)
        return overflows ? .distantFuture : Instant(nanoseconds: sum)
    }
}

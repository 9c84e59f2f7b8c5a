/// An exponential backoff with jitter: waits double up to a bound, and half of each wait is random.
package struct Backoff: Sendable {
    package static let first = Duration.seconds(1)
    package static let longest = Duration.seconds(60)

    private var failures = 0

    package init() {}

    /// Returns the wait after one more failure: between half and all of 1 s, 2 s, 4 s … 60 s.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let full = min(Self.longest, Self.first * (1 << min(failures, 10)))
        failures += 1
        return full * Double.random(in: 0.5...1, using: &generator)
    }

    /// Resets the backoff after a success.
    package mutating func reset() { failures = 0 }
}

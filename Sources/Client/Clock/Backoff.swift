/// How long to wait after failures: twice as long each time up to a bound, half of it by chance.
package struct Backoff: Sendable {
    package static let first = Duration.seconds(1)
    package static let longest = Duration.seconds(60)

    private var failures = 0

    package init() {}

    /// The wait after one more failure: between half and all of 1 s, 2 s, 4 s … 60 s.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let full = min(Self.longest, Self.first * (1 << min(failures, 10)))
        failures += 1
        return full * Double.random(in: 0.5...1, using: &generator)
    }

    /// After a success the next wait is a first one again.
    package mutating func reset() { failures = 0 }
}

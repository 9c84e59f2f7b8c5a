/// A histogram of durations.
package struct DurationHistogram: Sendable, Equatable {
    /// The inclusive upper bounds of the buckets in nanoseconds; one more bucket counts longer durations.
    package static let bounds: [Int64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000,
        60_000_000_000,
    ]

    /// The number of durations in each bucket, one more than there are bounds.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of the durations in nanoseconds.
    package private(set) var total: Int64 = 0

    package init() {}

    package var count: UInt64 { counts.reduce(0, +) }

    @inline(__always)
    package mutating func note(nanoseconds: Int64) {
        var bucket = 0
        while bucket < Self.bounds.count, nanoseconds > Self.bounds[bucket] { bucket += 1 }
        counts[bucket] += 1
        total &+= nanoseconds
    }

    package mutating func add(_ other: DurationHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        total &+= other.total
    }
}

/// The distribution of durations in whole milliseconds, in buckets that are at most 1/16 of their durations wide.
///
/// A duration below 32 ms has a bucket of its own. Above, each power of two has 16 buckets of equal width, and a bucket
/// stands for its middle, which differs from its durations by at most 1/32.
package struct DurationSketch: Sendable, Equatable {
    /// The longest duration; longer ones count as this one.
    package static let longest = 86_400_000
    private static let exactEnd = 32
    private static let formVersion: UInt8 = 1

    /// The number of durations by bucket.
    private var counts: [Int: Int] = [:]

    package init() {}

    package var isEmpty: Bool { counts.isEmpty }

    /// The bytes in memory: a bucket has its number, its count and its share of the unused capacity.
    package var byteCount: Int { 24 * counts.capacity }

    /// The number of durations.
    package var count: Int { counts.values.reduce(0, +) }

    /// Adds a duration in milliseconds.
    package mutating func insert(_ milliseconds: Int) {
        counts[Self.bucket(of: min(max(0, milliseconds), Self.longest)), default: 0] += 1
    }

    /// Adds the durations of another distribution.
    package mutating func merge(_ other: DurationSketch) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// Returns the number of durations whose buckets lie above the one of a duration in milliseconds.
    package func count(above milliseconds: Int) -> Int {
        let limit = Self.bucket(of: min(max(0, milliseconds), Self.longest))
        return counts.reduce(0) { $1.key > limit ? $0 + $1.value : $0 }
    }

    /// Returns the duration that the given percentage of the durations does not exceed; `nil` if there are none.
    package func percentile(_ percentage: Int) -> Int? {
        let count = count
        guard count > 0 else { return nil }
        let rank = max(1, (count * percentage + 99) / 100)
        var sum = 0
        for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
            sum += count
            if sum >= rank { return Self.middle(of: bucket) }
        }
        return nil
    }

    private static func bucket(of milliseconds: Int) -> Int {
        guard milliseconds >= exactEnd else { return milliseconds }
        let power = Int.bitWidth - 1 - milliseconds.leadingZeroBitCount
        return exactEnd + (power - 5) * 16 + (milliseconds >> (power - 4)) - 16
    }

    private static func middle(of bucket: Int) -> Int {
        guard bucket >= exactEnd else { return bucket }
        let (power, part) = ((bucket - exactEnd) / 16 + 5, (bucket - exactEnd) % 16)
        let width = 1 << (power - 4)
        return (16 + part) * width + width / 2
    }

    private static let bucketCount = bucket(of: longest) + 1
}

// MARK: Bytes

extension DurationSketch {
    /// The serialized distribution: a version byte, and for each used bucket in order the distance from the previous one
    /// and its count, as varints (docs/formats/report-totals.md).
    package var bytes: [UInt8] {
        var bytes = [Self.formVersion]
        var next = 0
        for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
            Self.append(bucket - next, to: &bytes)
            Self.append(count, to: &bytes)
            next = bucket + 1
        }
        return bytes
    }

    /// Parses a serialized distribution; fails for bytes that ``bytes`` never returns.
    package init?(bytes: [UInt8]) {
        guard bytes.first == Self.formVersion else { return nil }
        var rest = bytes.dropFirst()
        var next = 0
        while !rest.isEmpty {
            guard let distance = Self.number(&rest), let count = Self.number(&rest), count > 0,
                distance < Self.bucketCount - next
            else { return nil }
            counts[next + distance] = count
            next += distance + 1
        }
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = UInt64(number)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Removes a number of up to 49 bits from the front, as no count is larger.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number = 0
        for shift in stride(from: 0, to: 49, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}

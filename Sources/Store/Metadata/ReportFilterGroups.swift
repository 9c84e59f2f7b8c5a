/// The filters of many segments in memory: a group has the filters of 32 consecutive segments, which one lookup tests together.
///
/// A filter of its own for each segment would cost a cache miss for each segment and lookup. The word of a group at a position
/// has the bits of its segments' filters at that position.
struct ReportFilterGroups {
    /// A bit for each segment of a group.
    ///
    /// Wider words cost fewer cache misses for many segments, and more memory for few.
    typealias Word = UInt32

    private struct Group {
        let number: Int64
        /// 4 MiB.
        var words = [Word](repeating: 0, count: ReportFilter.bitCount)
    }

    /// The groups by number.
    private var groups: [Group] = []

    /// The number of groups in memory.
    var count: Int { groups.count }

    mutating func insert(_ hash: UInt64, in segment: Int64) {
        let index = index(of: segment)
        let bit: Word = 1 << Self.shift(of: segment)
        groups[index].words.withUnsafeMutableBufferPointer { words in
            var positions = ReportFilterPositions(of: hash)
            // A position is below the number of bits, which is that of the words.
            for _ in 0..<ReportFilter.probes { words[positions.next()] |= bit }
        }
    }

    /// Adds the marks of a filter to those of a segment.
    mutating func insert(_ filter: ReportFilter, in segment: Int64) {
        let index = index(of: segment)
        let shift = Self.shift(of: segment)
        groups[index].words.withUnsafeMutableBufferPointer { words in
            // A filter has a bit for each word.
            for (byte, marks) in filter.bytes.enumerated() {
                for bit in 0..<8 { words[byte << 3 + bit] |= Word(marks >> UInt8(bit) & 1) << shift }
            }
        }
    }

    /// Returns the segments that may have a report, in ascending order.
    func candidates(for hash: UInt64) -> [Int64] {
        var candidates: [Int64] = []
        for index in groups.indices {
            var hits = groups[index].words.withUnsafeBufferPointer { words in
                var positions = ReportFilterPositions(of: hash)
                var hits = Word.max
                for _ in 0..<ReportFilter.probes where hits != 0 { hits &= words[positions.next()] }
                return hits
            }
            while hits != 0 {
                candidates.append(groups[index].number * Int64(Word.bitWidth) + Int64(hits.trailingZeroBitCount))
                hits &= hits - 1
            }
        }
        return candidates
    }

    /// Returns the marks of a segment.
    func filter(of segment: Int64) -> ReportFilter {
        var bytes = [UInt8](repeating: 0, count: ReportFilter.byteCount)
        if let group = groups.first(where: { $0.number == Self.number(of: segment) }) {
            let shift = Self.shift(of: segment)
            for byte in bytes.indices {
                var marks: UInt8 = 0
                for bit in 0..<8 {
                    marks |= UInt8(truncatingIfNeeded: group.words[byte << 3 + bit] >> shift & 1) << UInt8(bit)
                }
                bytes[byte] = marks
            }
        }
        // The bytes have the length of a filter.
        return ReportFilter(bytes: bytes) ?? ReportFilter()
    }

    /// Removes the groups without any of these segments.
    mutating func keep(only segments: some Sequence<Int64>) {
        let numbers = Set(segments.map(Self.number))
        groups.removeAll { !numbers.contains($0.number) }
    }

    /// Returns the index of a segment's group, which is created if it is missing.
    private mutating func index(of segment: Int64) -> Int {
        let number = Self.number(of: segment)
        // Most segments are the newest one.
        let end = (groups.lastIndex { $0.number <= number } ?? -1) + 1
        if end == 0 || groups[end - 1].number != number {
            groups.insert(Group(number: number), at: end)
            return end
        }
        return end - 1
    }

    private static func number(of segment: Int64) -> Int64 { segment / Int64(Word.bitWidth) }

    /// Returns the position of a segment's bit in the words of its group.
    private static func shift(of segment: Int64) -> Word { Word(truncatingIfNeeded: segment) % Word(Word.bitWidth) }
}

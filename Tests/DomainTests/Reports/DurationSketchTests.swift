import Domain
import Testing

struct DurationSketchTests {
    private func histogram(_ durations: some Sequence<Int>) -> DurationSketch {
        var histogram = DurationSketch()
        for duration in durations { histogram.insert(duration) }
        return histogram
    }

    @Test func `a duration is off by at most one part in 32`() throws {
        var duration = 0
        while duration <= DurationSketch.longest {
            let middle = try #require(histogram([duration]).percentile(50))
            #expect(abs(middle - duration) * 32 <= duration, "\(duration) \(middle)")
            duration += max(1, duration / 97)
        }
    }

    @Test func `percentiles are those of the sorted durations`() {
        let durations = (1...1000).map { $0 * $0 }.shuffled()
        let histogram = histogram(durations)
        #expect(histogram.count == 1000)
        for (percentage, rank) in [(50, 500), (90, 900), (99, 990), (100, 1000)] {
            let exact = rank * rank
            #expect(abs((histogram.percentile(percentage) ?? 0) - exact) * 32 <= exact)
        }
        #expect(DurationSketch().percentile(50) == nil)
        #expect(self.histogram([7]).percentile(1) == 7)
    }

    @Test func `durations beyond a day count as a day, and negative ones as zero`() {
        #expect(histogram([Int.max]) == histogram([DurationSketch.longest]))
        #expect(histogram([-1]) == histogram([0]))
    }

    @Test func `merging equals inserting all, and bytes are read back`() {
        let (first, second) = ((0..<500).map { $0 * 37 }, (0..<500).map { $0 * 91 })
        var merged = histogram(first)
        merged.merge(histogram(second))
        #expect(merged == histogram(second + first))
        #expect(DurationSketch(bytes: merged.bytes) == merged)
        #expect(DurationSketch(bytes: DurationSketch().bytes)?.isEmpty == true)
    }

    @Test(
        arguments: [
            [], [2], [1, 0], [1, 0, 0], [1, 0, 0x80], [1, 0xFF, 0x7F, 1],
            [1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
        ] as [[UInt8]])
    func `bytes that are no histogram are rejected`(bytes: [UInt8]) {
        #expect(DurationSketch(bytes: bytes) == nil)
    }
}

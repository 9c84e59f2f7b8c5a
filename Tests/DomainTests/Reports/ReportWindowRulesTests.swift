import Domain
import Ground
import Testing

/// Tests how long the ids of reports are known.
struct ReportWindowRulesTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let week = ReportWindow.promisedMilliseconds

    private func extent(_ count: Int, oldest: Int64, forgotten: Int64? = nil) -> ReportExtent {
        ReportExtent(
            count: count, oldest: now.adding(milliseconds: -oldest),
            forgotten: forgotten.map { now.adding(milliseconds: -$0) })
    }

    private func known(_ extent: ReportExtent?) -> Int64 { ReportWindow(rows: 3).knownMilliseconds(extent, at: now) }

    @Test func `ids are known for 30 days, or for 7 or since the oldest report once the window is full`() {
        let month = ReportWindow.lifetimeMilliseconds
        #expect(known(nil) == month)
        #expect(known(extent(2, oldest: 5_000)) == month)
        #expect(known(extent(3, oldest: 5_000)) == week)
        #expect(known(extent(3, oldest: week + 1)) == week + 1)
        #expect(known(extent(3, oldest: month + 1)) == month)
    }

    @Test func `ids are known since the newest one that was forgotten within 7 days`() {
        #expect(known(extent(3, oldest: 5_000, forgotten: 5_001)) == 5_001)
        #expect(known(extent(2, oldest: 5_000, forgotten: week)) == week)
        #expect(known(extent(3, oldest: 5_000, forgotten: week + 1)) == week)
        #expect(known(extent(2, oldest: 5_000, forgotten: week + 1)) == ReportWindow.lifetimeMilliseconds)
        // A clock that was set back.
        #expect(known(extent(3, oldest: -5_000, forgotten: -5_000)) == 0)
    }

    /// Returns segments with so many ids, received so long ago.
    private func segments(_ values: (ids: Int, age: Int64)...) -> [ReportIDSegment] {
        values.enumerated().map { index, value in
            ReportIDSegment(
                segment: Int64(index), through: ReportIDSegment.first(of: Int64(index)) + 9,
                receivedAt: now.adding(milliseconds: -value.age), ids: value.ids)
        }
    }

    private func forgotten(_ segments: [ReportIDSegment], limit: Int) -> [Int64] {
        ReportWindow(ids: limit).segmentsToForget(of: segments, at: now).map(\.segment)
    }

    @Test func `segments are forgotten after 7 days, and not a millisecond earlier`() {
        #expect(forgotten(segments((1, week), (1, 0)), limit: 9) == [])
        #expect(forgotten(segments((1, week + 1), (1, 0)), limit: 9) == [0])
        #expect(forgotten(segments((1, week + 1)), limit: 9) == [0])
        // A clock that was ahead.
        #expect(forgotten(segments((1, -5), (1, week + 1)), limit: 9) == [])
    }

    @Test func `the oldest segments are forgotten beyond the limit, two at once and never the newest`() {
        #expect(forgotten(segments((4, 9), (3, 8), (2, 7)), limit: 9) == [])
        #expect(forgotten(segments((4, 9), (3, 8), (2, 7)), limit: 8) == [0])
        #expect(forgotten(segments((4, 9), (3, 8), (2, 7)), limit: 5) == [0])
        #expect(forgotten(segments((4, 9), (3, 8), (2, 7)), limit: 4) == [0, 1])
        #expect(forgotten(segments((4, 9), (3, 8), (2, 7), (1, 6)), limit: 1) == [0, 1])
        #expect(forgotten(segments((4, 9)), limit: 1) == [])
        #expect(forgotten(segments((4, 9)), limit: 0) == [0])
        #expect(forgotten([], limit: 0) == [])
    }

    @Test func `a segment has 65,536 consecutive numbers`() {
        #expect(ReportIDSegment.segment(of: 65_535) == 0 && ReportIDSegment.segment(of: 65_536) == 1)
        #expect(ReportIDSegment.first(of: 1) == 65_536 && ReportIDSegment.last(of: 1) == 131_071)
        func isComplete(_ through: Int64) -> Bool {
            ReportIDSegment(segment: 1, through: through, receivedAt: now, ids: 1).isComplete
        }
        #expect(isComplete(131_071) && !isComplete(131_070))
    }
}

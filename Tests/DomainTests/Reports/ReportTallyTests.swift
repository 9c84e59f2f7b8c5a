import Domain
import Ground
import Testing

struct ReportTallyTests {
    private let start = Timestamp(milliseconds: 1_000_000)
    private var tally = ReportTally()

    private func key(_ number: Int) throws -> ReportTally.PackageKey {
        ReportTally.PackageKey(.default, try #require(PackageID("p\(number)")))
    }

    private mutating func add(
        _ count: Int = 1, _ outcome: ReportTally.Outcome = .accepted, of number: Int, after milliseconds: Int64 = 0
    ) throws {
        for _ in 0..<count {
            tally.add(outcome, of: try key(number), at: start.adding(milliseconds: milliseconds))
        }
    }

    @Test mutating func `twenty packages have numbers of their own, and all others are summed`() throws {
        for number in 1...21 { try add(2, of: number) }
        #expect(tally.packages.count == 20)
        #expect(tally.packages.values.allSatisfy { $0 == [.accepted: 2] })
        #expect(tally.others == [.accepted: 2])
        tally.add(.refused, of: nil, at: start)
        #expect(tally.others == [.accepted: 2, .refused: 1])
    }

    @Test(arguments: [ReportTally.Outcome.refused, .unknownVersion, .unstorable, .spooled])
    mutating func `an outcome that proves no package counts for it only once another did`(
        outcome: ReportTally.Outcome
    ) throws {
        try add(1, outcome, of: 1)
        #expect(tally.packages.isEmpty && tally.others == [outcome: 1])
        try add(1, .duplicate, of: 1)
        try add(1, outcome, of: 1)
        let first = try key(1)
        #expect(tally.packages == [first: [.duplicate: 1, outcome: 1]])
        #expect(tally.others == [outcome: 1])
    }

    @Test mutating func `after a period, packages with more reports replace those with the least`() throws {
        for number in 1...20 { try add(number == 7 ? 1 : 3, of: number) }
        try add(2, of: 21)
        let period = ReportTally.period
        try add(of: 21, after: period - 1)
        let (seventh, last) = (try key(7), try key(21))
        #expect(tally.packages[seventh] != nil && tally.packages[last] == nil)
        try add(of: 21, after: period)
        #expect(tally.packages[seventh] == nil)
        #expect(tally.packages[last] == [.accepted: 1], "it begins at zero")
        #expect(tally.packages.count == 20)
        #expect(tally.others == [.accepted: 3], "no number shrinks or jumps")
        // Nobody is replaced by packages without reports.
        try add(of: 21, after: 3 * period)
        #expect(tally.packages.count == 20)
    }

    @Test mutating func `a clock that is set back ends the period`() throws {
        for number in 1...20 { try add(of: number) }
        try add(2, of: 21)
        try add(of: 21, after: -ReportTally.period)
        #expect(tally.packages.keys.contains(try key(21)))
    }

    @Test mutating func `a thousand packages are compared in a period`() throws {
        for number in 1...1_000 { try add(of: number) }
        try add(5, of: 1_001)
        try add(of: 1, after: ReportTally.period)
        let last = try key(1_001)
        #expect(tally.packages[last] == nil)
        // In the next period it is among the first.
        try add(5, of: 1_001, after: ReportTally.period)
        try add(of: 1, after: 2 * ReportTally.period)
        #expect(tally.packages[last] != nil)
    }
}

import Testing

@testable import Server

struct PaceTests {
    @Test func `bytes that the kernel still holds do not count as taken by the peer`() {
        var pace = OutputPace(queued: 4_000_000)
        #expect(pace.taken(queued: 4_000_000) == 0)
        #expect(pace.taken(queued: 3_999_000) == 1_000)
        pace.moved += 500_000
        #expect(pace.taken(queued: 4_500_000) == 0)
    }

    @Test func `waits add up until enough has come`() {
        var pace = InputPace()
        pace.note(10, after: .seconds(9), least: 100)
        pace.note(89, after: .seconds(9), least: 100)
        #expect(pace.waited == .seconds(18))
        pace.note(1, after: .zero, least: 100)
        #expect(pace.waited == .zero)
    }

    @Test(arguments: [(30_000, 256, 7_680), (50, 256, 12), (1, 256, 1), (30_000, 0, 1)])
    func `the least rate requires a number of bytes in each wait, at least one`(wait: Int, rate: Int, least: Int) {
        var deadlines = Deadlines()
        deadlines.leastRate = rate
        #expect(deadlines.least(in: .milliseconds(wait)) == least)
    }
}

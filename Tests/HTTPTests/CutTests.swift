import HTTP
import HTTPProbe
import Testing

struct CutTests {
    /// The number of bytes up to which all pairs of cuts are tried.
    private static let smallBytes = 90
    private static let randomRuns = 200

    private func events(_ fixture: Fixture, cuts: [Int] = []) -> [MessageReader.Event] {
        MessageReader.read(fixture.bytes, cuts: cuts).events
    }

    @Test(arguments: Fixture.all) func `a connection is read as its fixture says`(fixture: Fixture) {
        let reader = MessageReader.read(fixture.bytes)
        #expect(reader.events.map(\.description) == fixture.events)
        #expect(reader.fault == nil)
    }

    @Test(arguments: Fixture.all) func `one cut or two, anywhere, change nothing`(fixture: Fixture) {
        let whole = events(fixture)
        let count = fixture.bytes.count
        for first in 0...count {
            let seconds = count <= Self.smallBytes ? first...count : count...count
            for second in seconds where events(fixture, cuts: [first, second]) != whole {
                Issue.record("cut at \(first) and \(second)")
                return
            }
        }
    }

    @Test(arguments: Fixture.all) func `byte by byte changes nothing`(fixture: Fixture) {
        #expect(events(fixture, cuts: Array(fixture.bytes.indices)) == events(fixture))
    }

    @Test(arguments: Fixture.all) func `random cuts change nothing`(fixture: Fixture) {
        let whole = events(fixture)
        for run in 0..<Self.randomRuns {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let cuts = (0...run % 12).map { _ in Int.random(in: 0...fixture.bytes.count, using: &generator) }.sorted()
            #expect(events(fixture, cuts: cuts) == whole, "seed \(seed), cuts \(cuts)")
        }
    }

    @Test func `all fixtures on one connection are read until one ends it`() {
        let lasting = Fixture.all.filter { $0.events.last == "end" && !$0.events.contains { $0.hasSuffix(" last") } }
        let whole = lasting.filter { !$0.text.hasSuffix("GET") }
        let bytes = whole.flatMap(\.bytes)
        let expected = whole.flatMap(\.events)
        for size in [1, 2, 3, 7, 64, 1_000, bytes.count] {
            let cuts = Array(stride(from: 0, to: bytes.count, by: size))
            #expect(MessageReader.read(bytes, cuts: cuts).events.map(\.description) == expected, "by \(size)")
        }
    }
}

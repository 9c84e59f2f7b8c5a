import Domain
import Ground
import Platform
import ServiceKit
import Testing

struct EventLogTests {
    private let news: PackageID
    private let other: PackageID
    private let version: VersionString

    init() throws {
        news = try #require(PackageID("news"))
        other = try #require(PackageID("other"))
        version = try #require(VersionString("1"))
    }

    private func event(_ sequence: Int64, _ subject: Event.Subject = .keysChanged) -> Event {
        Event(app: .default, sequence: sequence, time: Timestamp(milliseconds: sequence), subject: subject)
    }

    private func log(_ sequences: ClosedRange<Int64>) -> EventLog {
        EventLog(epoch: "00", events: sequences.map { event($0) }, sequence: sequences.upperBound)
    }

    private func news(_ log: EventLog, since sequence: Int64, epoch: String = "00") -> EventLog.News {
        log.news(since: Cursor(epoch: epoch, sequence: sequence), channel: .production, packages: nil)
    }

    @Test func `events after the cursor are news`() {
        let log = log(1...3)
        #expect(news(log, since: 3) == .nothing)
        #expect(news(log, since: 1) == .events([event(2), event(3)]))
        #expect(news(log, since: 0) == .events([event(1), event(2), event(3)]))
        #expect(log.cursor == Cursor(epoch: "00", sequence: 3))
    }

    @Test func `a cursor from the future or of another epoch cannot be placed`() {
        #expect(news(log(1...3), since: 4) == .refresh)
        #expect(news(log(1...3), since: .max) == .refresh)
        #expect(news(log(1...3), since: 2, epoch: "01") == .refresh)
        #expect(news(log(1...3), since: 3, epoch: "01") == .refresh)
    }

    @Test func `a cursor from before the oldest event that is kept cannot be placed`() {
        let log = log(5...9)
        #expect(news(log, since: 3) == .refresh)
        #expect(news(log, since: 4) == .events((5...9).map { event($0) }))
        let empty = EventLog(epoch: "00", events: [], sequence: 9)
        #expect(news(empty, since: 8) == .refresh)
        #expect(news(empty, since: 9) == .nothing)
    }

    @Test func `the log keeps its capacity of events, and no more`() {
        let capacity = Int64(EventLog.capacity)
        var log = log(1...capacity)
        #expect(log.events.first?.sequence == 1)
        log.append([event(capacity + 1)])
        #expect(log.events.count == EventLog.capacity)
        #expect(news(log, since: 0) == .refresh)
        #expect(news(log, since: capacity) == .events([event(capacity + 1)]))
        let loaded = EventLog(epoch: "00", events: (1...(capacity + 5)).map { event($0) }, sequence: capacity + 5)
        #expect(loaded.events.first?.sequence == 6)
    }

    @Test func `a client that missed more events than a response names gets a refresh`() {
        let most = Int64(EventLog.mostNamed)
        let log = log(1...100)
        #expect(news(log, since: 100 - most) == .events((100 - most + 1...100).map { event($0) }))
        #expect(news(log, since: 100 - most - 1) == .refresh)
        #expect(news(log, since: 0) == .refresh)
    }

    @Test func `events that do not concern the client do not count`() {
        let others = (1...100).map { event($0, .packageChanged(other)) }
        let own = (101...(100 + Int64(EventLog.mostNamed))).map { event($0, .packageChanged(news)) }
        let start = Cursor(epoch: "00", sequence: 0)
        func readNews(_ events: [Event]) -> EventLog.News {
            EventLog(epoch: "00", events: events, sequence: events.last?.sequence ?? 0)
                .news(since: start, channel: .production, packages: [news])
        }
        #expect(readNews(others) == .nothing)
        #expect(readNews(others + own) == .events(own))
        #expect(readNews(others + own + [event(own[own.count - 1].sequence + 1)]) == .refresh)
    }

    @Test func `an event that is there already is not appended again`() {
        var log = log(1...3)
        log.append([event(2), event(3), event(4)])
        #expect(log.events.map(\.sequence) == [1, 2, 3, 4])
        log.append([])
        #expect(log.sequence == 4)
    }

    @Test func `only events that concern the client are news`() {
        let events = [event(1, .activated(news, .production, version)), event(2, .packageChanged(other))]
        let log = EventLog(epoch: "00", events: events, sequence: 2)
        let start = Cursor(epoch: "00", sequence: 0)
        #expect(log.news(since: start, channel: .production, packages: [news]) == .events([events[0]]))
        #expect(log.news(since: start, channel: .production, packages: [other]) == .events([events[1]]))
        #expect(log.news(since: start, channel: .production, packages: []) == .nothing)
    }
}

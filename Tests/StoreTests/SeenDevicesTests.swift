import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct SeenDevicesTests {
    private let channel = SeenChannel(app: Fixture.app, channel: .production)

    private func device(
        _ number: UInt64, after milliseconds: Int64 = 0, have: String? = nil, isCut: Bool = false
    ) -> SeenDevice {
        SeenDevice(
            key: DeviceKey(high: number, low: 9), facts: "{}", have: have, isCut: isCut,
            seenAt: Fixture.start.adding(milliseconds: milliseconds))
    }

    private func all(in store: SQLStore) async throws -> [SeenDevice] {
        try await store.seenDevices(in: channel, after: nil, upTo: 100)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a device has one row, that of the last note`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.noteSeenDevices([channel: [device(2, have: "news@1"), device(1)]])
        #expect(try await all(in: store) == [device(1), device(2, have: "news@1")])
        try await store.noteSeenDevices([
            channel: [device(2, after: 1, have: "", isCut: true), device(3, after: 1), device(3, after: 2)]
        ])
        #expect(
            try await all(in: store) == [device(1), device(2, after: 1, have: "", isCut: true), device(3, after: 2)])
        #expect(try await store.seenChannels() == [channel: Fixture.start])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a note by a clock that is behind replaces the facts of a device, and not the time of an earlier note`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        try await store.noteSeenDevices([channel: [device(1, after: 5)]])
        try await store.noteSeenDevices([
            channel: [device(1, after: -5, have: "news@1"), device(2, after: 7), device(2, after: 6, have: "news@2")]
        ])
        #expect(
            try await all(in: store) == [device(1, after: 5, have: "news@1"), device(2, after: 7, have: "news@2")])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `devices of one channel are read page by page`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let beta = SeenChannel(app: Fixture.app, channel: try Fixture.channel("beta"))
        _ = try await store.declareChannel(beta.channel, of: beta.app, audit: Fixture.audit("channel.declare"))
        try await store.noteSeenDevices([channel: (1...5).map { device($0) }, beta: [device(9)]])
        let first = try await store.seenDevices(in: channel, after: nil, upTo: 3)
        #expect(first == (1...3).map { device($0) })
        #expect(
            try await store.seenDevices(in: channel, after: first.last?.key, upTo: 3) == (4...5).map { device($0) })
        #expect(try await store.seenDevices(in: beta, after: nil, upTo: 3) == [device(9)])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `devices seen before a range are removed page by page, and those seen after it are kept`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        try await store.noteSeenDevices([channel: (1...6).map { device(UInt64($0), after: Int64($0)) }])
        let kept = Fixture.start.adding(milliseconds: 2)..<Fixture.start.adding(milliseconds: 6)
        let now = Fixture.start.adding(milliseconds: 3)
        let last = try await store.removeSeenDevices(in: channel, notWithin: kept, at: now, after: nil, upTo: 4)
        #expect(last == device(4).key)
        #expect(try await all(in: store).count == 5)
        #expect(
            try await store.removeSeenDevices(in: channel, notWithin: kept, at: now, after: last, upTo: 4)
                == device(6).key)
        // Device 6 was seen by a clock that was ahead.
        #expect(
            try await all(in: store)
                == (2...5).map { device(UInt64($0), after: Int64($0)) } + [device(6, after: 3)])
        #expect(
            try await store.removeSeenDevices(in: channel, notWithin: kept, at: now, after: device(6).key, upTo: 4)
                == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `all devices are removed at once`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.noteSeenDevices([channel: [device(1)]])
        try await store.removeAllSeenDevices()
        #expect(try await all(in: store) == [])
        #expect(try await store.seenChannels() == [:])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `texts of devices are limited in number, and known ones stay`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        func said(_ number: UInt64, _ text: String, after milliseconds: Int64 = 0) -> SeenDevice {
            SeenDevice(
                key: DeviceKey(high: number, low: 9), facts: "{\"model\":\"\(text)\"}", have: nil, isCut: false,
                seenAt: Fixture.start.adding(milliseconds: milliseconds))
        }
        // There is room for 217 texts of this length with up to a thousand devices.
        let long = String(repeating: "x", count: 970)
        for number in 0..<300 {
            try await store.noteSeenDevices([channel: [said(UInt64(number), "\(100 + number)\(long)")]])
        }
        let devices = try await store.seenDevices(in: channel, after: nil, upTo: 1_000)
        #expect(devices.count == 300)
        let whole = devices.prefix { !$0.isCut }
        #expect(whole.count > 200 && whole.count < 230)
        #expect(whole.allSatisfy { $0.facts.utf8.count > 900 })
        #expect(devices.dropFirst(whole.count).allSatisfy { $0.isCut && $0.facts == "{}" })
        // A text that another device has sent costs no room.
        try await store.noteSeenDevices([channel: [said(299, "100\(long)")]])
        let last = try #require(try await store.seenDevices(in: channel, after: nil, upTo: 1_000).last)
        #expect(!last.isCut && last.facts == whole.first?.facts)
        // Texts that no device sends any more make room.
        let day: Int64 = 86_400_000
        let all = Fixture.start.adding(milliseconds: day)..<Fixture.start.adding(milliseconds: 2 * day)
        try await store.noteSeenDevices([channel: [said(0, "100\(long)", after: day)]])
        var end: DeviceKey?
        repeat {
            end = try await store.removeSeenDevices(
                in: channel, notWithin: all, at: Fixture.start, after: end, upTo: 1_000)
        } while end != nil
        while try await store.removeUnusedTexts() > 0 {}
        try await store.noteSeenDevices([channel: [said(7, "new\(long)", after: day)]])
        let left = try await store.seenDevices(in: channel, after: nil, upTo: 1_000)
        #expect(left.map(\.isCut) == [false, false] && left.first?.facts == whole.first?.facts)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `texts that differ only in their Unicode form are kept apart`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let texts = ["{\"model\":\"\u{E9}\"}", "{\"model\":\"e\u{301}\"}"]
        try await store.noteSeenDevices([
            channel: texts.enumerated().map { index, text in
                SeenDevice(
                    key: DeviceKey(high: UInt64(index), low: 9), facts: text, have: nil, isCut: false,
                    seenAt: Fixture.start)
            }
        ])
        #expect(try await all(in: store).map { Array($0.facts.utf8) } == texts.map { Array($0.utf8) })
    }

    @Test(arguments: DatabaseKind.allCases)
    func `devices of an unknown channel are not recorded, others are`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let channel = SeenChannel(app: Fixture.app, channel: try Fixture.channel("none"))
        let known = SeenChannel(app: Fixture.app, channel: .production)
        try await store.noteSeenDevices([channel: [device(1)], known: [device(2)]])
        #expect(try await Set(store.seenChannels().keys) == [known])
    }
}

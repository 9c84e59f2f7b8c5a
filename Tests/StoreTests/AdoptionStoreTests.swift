import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct AdoptionStoreTests {
    private let channel = SeenChannel(app: Fixture.app, channel: .production)

    private func store(on database: DatabaseKind) async throws -> SQLStore {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("2.0.0", seed: 2)
        return store
    }

    @Test(arguments: DatabaseKind.allCases)
    func `later days than today are removed once the server ran on as many others`(
        on database: DatabaseKind
    ) async throws {
        let store = try await store(on: database)
        func days(afterNoting day: UInt16) async throws -> SeenCalendar { try await store.noteSeenDay(day).calendar }
        #expect(try await days(afterNoting: 100) == SeenCalendar([100]))
        #expect(try await days(afterNoting: 500) == SeenCalendar([100, 500]))
        #expect(try await days(afterNoting: 101) == SeenCalendar([100, 101]))
        #expect(try await days(afterNoting: 102) == SeenCalendar([100, 101, 102]))
        // A clock that seems to be behind removes nothing.
        #expect(try await days(afterNoting: 0) == SeenCalendar([0, 100, 101, 102]))
        #expect(try await days(afterNoting: 1) == SeenCalendar([0, 1, 100, 101, 102]))
        // The clock was ahead before.
        #expect(try await days(afterNoting: 2) == SeenCalendar([0, 1, 2]))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a channel is counted once a day, also if no device uses a published version`(
        on database: DatabaseKind
    ) async throws {
        let store = try await store(on: database)
        #expect(try await store.noteSeenDay(100).uncounted == [])
        let device = SeenDevice(
            key: DeviceKey(high: 1, low: 9), facts: "{}", have: nil, isCut: false, seenAt: Fixture.start)
        try await store.noteSeenDevices([channel: [device]])
        #expect(try await store.noteSeenDay(100).uncounted == [channel])
        #expect(try await store.noteSeenDay(100).uncounted == [channel])
        try await store.noteAdoption([:], in: channel, on: 100)
        #expect(try await store.noteSeenDay(100).uncounted == [])
        #expect(try await store.noteSeenDay(101).uncounted == [channel])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `numbers are kept for 400 recorded days`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        let news = try Fixture.package("news")
        let counts = [news: [try Fixture.version("1.0.0"): 3, try Fixture.version("7"): 1]]
        for day in 0...SeenCalendar.adoptionDays {
            _ = try await store.noteSeenDay(UInt16(day))
            if day < 2 { try await store.noteAdoption(counts, in: channel, on: UInt16(day)) }
        }
        let version = try Fixture.version("1.0.0")
        #expect(
            try await store.adoptionDays(of: news, in: channel) == [AdoptionDay(day: 1, version: version, devices: 3)])
        let beta = SeenChannel(app: Fixture.app, channel: try Fixture.channel("beta"))
        #expect(try await store.adoptionDays(of: news, in: beta) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `reports about a package are examined page by page, newest first`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        let news = try Fixture.package("news")
        let first = try await store.installationReports(of: news, in: Fixture.app, before: nil, examining: 3)
        #expect(first == InstallationReport.Page(reports: [], next: nil))
        let reports = (0..<5).map { number in
            Report(
                app: Fixture.app, eventID: "\(number)", deviceID: "d\(number)", package: news, version: "1.0.0",
                event: "failed", time: Fixture.start, details: [.init("reason", .string("r\(number)"))])
        }
        _ = try await store.insertReports(reports, at: Fixture.start, keeping: ReportWindow())
        let newest = try await store.installationReports(of: news, in: Fixture.app, before: nil, examining: 3)
        #expect(newest.reports.map(\.device) == ["d4", "d3", "d2"])
        #expect(newest.reports.map(\.reason) == ["r4", "r3", "r2"])
        let rest = try await store.installationReports(of: news, in: Fixture.app, before: newest.next, examining: 3)
        #expect(rest.reports.map(\.device) == ["d1", "d0"] && rest.next == nil)
        let other = try Fixture.package("other")
        #expect(
            try await store.installationReports(of: other, in: Fixture.app, before: nil, examining: 9).reports == [])
        #expect(try await store.publishedVersions(of: Fixture.app)[news]?.count == 2)
    }
}

import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the removal of old and excess reports.
@Suite(.scratchMemory)
struct ReportWindowTests {
    private let store: SQLStore
    /// A second connection to the same file.
    private let rows: Database

    init() async throws {
        let file = Database.Location.file("\(ScratchDirectory.path)/larder.sqlite")
        store = try SQLStore(opening: file)
        try await store.addNews()
        try await store.publish("1.0.0", seed: 1)
        rows = try Database(file)
    }

    // MARK: By number

    @Test func `the newest reports are kept, up to the limit`() async throws {
        try await insert(try reports(1...3), keeping: 3)
        #expect(try kept() == ["1", "2", "3"])
        try await insert(try reports(4...4), keeping: 3)
        #expect(try kept() == ["2", "3", "4"])
        try await insert(try reports(5...9), keeping: 3)
        #expect(try kept() == ["7", "8", "9"])
    }

    @Test func `all apps share the limit`() async throws {
        let other = try #require(AppID("other"))
        _ = try await store.createApp(other, keys: [], audit: Fixture.audit("app.create", app: other))
        let news = Package(
            app: other, id: try Fixture.package("news"), name: "", entry: nil,
            urlPrefix: try #require(URLPrefix("/")), isEnabled: true, priority: 1)
        _ = try await store.putPackage(news, audit: Fixture.audit("package.put", app: other))
        try rows.execute(
            """
            INSERT INTO versions (package, version, folded, tree_hash, identity, url_prefix, app_config, file_map,
                file_count, total_size, created_at)
            SELECT (SELECT number FROM packages WHERE app = 'other'), version, folded, tree_hash, identity, url_prefix,
                app_config, file_map, file_count, total_size, created_at FROM versions
            """)
        try await insert(try reports(1...2) + reports(3...4, app: other), keeping: 3)
        #expect(try kept() == ["2", "3", "4"])
    }

    @Test func `reports that are known or ignored evict no report`() async throws {
        try await insert(try reports(1...3), keeping: 3)
        try await insert(try reports(1...3) + reports(4...6, version: "9"), keeping: 3)
        #expect(try kept() == ["1", "2", "3"])
    }

    // MARK: By age

    @Test func `a report is kept for thirty days, and not a millisecond longer`() async throws {
        try await insert(try reports(1...2))
        try await insert(try reports(3...3), after: 1)
        let thirtyDays: Int64 = 2_592_000_000
        try await insert(try reports(4...4), after: thirtyDays)
        #expect(try kept() == ["1", "2", "3", "4"])
        try await insert(try reports(5...5), after: thirtyDays + 1)
        #expect(try kept() == ["3", "4", "5"])
        try await insert([], after: thirtyDays + 2)
        #expect(try kept() == ["4", "5"])
    }

    @Test func `the device's own clock does not count`() async throws {
        try await insert(try reports(1...1, time: Timestamp(milliseconds: 0)))
        try await insert([], after: ReportWindow.lifetimeMilliseconds)
        #expect(try kept() == ["1"])
    }

    @Test func `reports received under a clock that was ahead are evicted by number`() async throws {
        try await insert(try reports(1...2), after: 10 * ReportWindow.lifetimeMilliseconds)
        try await insert(try reports(3...4))
        try await insert(try reports(5...5), after: ReportWindow.lifetimeMilliseconds + 1)
        #expect(try kept() == ["1", "2", "3", "4", "5"])
        try await insert(try reports(6...6), after: ReportWindow.lifetimeMilliseconds + 1, keeping: 4)
        #expect(try kept() == ["3", "4", "5", "6"])
        // No reports precede them any more.
        try await insert([], after: ReportWindow.lifetimeMilliseconds + 1, keeping: 4)
        #expect(try kept() == ["5", "6"])
    }

    // MARK: In steps

    @Test func `a lowered limit is reached in steps`() async throws {
        let step = ReportWindow.surplusPerBatch
        try await insert(try reports(1...2 * step + 10))
        try await insert([], keeping: 5)
        #expect(try kept().count == step + 10)
        // One report is added, and one more than that is removed.
        try await insert(try reports(-1 ... -1), keeping: 5)
        #expect(try kept().count == 10)
        try await insert([], keeping: 5)
        #expect(try kept().count == 5)
    }

    @Test func `the age limit of a month is reached in steps`() async throws {
        let step = ReportWindow.surplusPerBatch
        try await insert(try reports(1...2 * step + 10))
        let later = ReportWindow.lifetimeMilliseconds + 1
        try await insert([], after: later)
        #expect(try kept().count == step + 10)
        try await insert(try reports(-1 ... -1), after: later)
        #expect(try kept().count == 10)
        try await insert([], after: later)
        #expect(try kept() == ["-1"])
    }

    @Test func `a batch evicts as many old reports as it adds`() async throws {
        let many = 2 * ReportWindow.surplusPerBatch
        try await insert(try reports(1...many), keeping: many)
        try await insert(try reports(many + 1...2 * many), keeping: many)
        #expect(try kept() == (many + 1...2 * many).map { "\($0)" })
    }

    // MARK: Counts

    @Test func `counts outlive the reports`() async throws {
        try await insert(try reports(1...3) + reports(4...5, device: "other"))
        let before = try await counts()
        #expect(before == [ReportCount(version: "1.0.0", event: "applied", reports: 5, devices: 2)])
        try await insert([], after: ReportWindow.lifetimeMilliseconds + 1)
        #expect(try kept().isEmpty)
        #expect(try await counts() == before)
    }

    @Test func `a repeated report counts once while it is in the window, and again after it`() async throws {
        #expect(try await insert(try reports(1...3), keeping: 3) == [.stored, .stored, .stored])
        #expect(try await insert(try reports(1...3), keeping: 3) == [.known, .known, .known])
        #expect(try await insert(try reports(4...4), keeping: 3) == [.stored])
        #expect(try await insert(try reports(2...2), keeping: 3) == [.known])
        #expect(try await insert(try reports(1...1), keeping: 3) == [.stored])
        #expect(try await counts().map(\.reports) == [5])
    }

    @Test func `a device counts again once the window holds none of its reports`() async throws {
        for number in 1...4 { try await insert(try reports(number...number, device: "a"), keeping: 2) }
        #expect(try await counts() == [ReportCount(version: "1.0.0", event: "applied", reports: 4, devices: 1)])
        try await insert(try reports(5...6, device: "b"), keeping: 2)
        try await insert(try reports(7...7, device: "a"), keeping: 2)
        #expect(try await counts() == [ReportCount(version: "1.0.0", event: "applied", reports: 7, devices: 3)])
    }

    @Test func `devices never outnumber reports, however small the window is`() async throws {
        // The same id every time: in such a small window the other device's report displaces it.
        for device in Array(repeating: ["a", "b"], count: 20).joined() {
            #expect(try await insert(try reports(1...1, device: device), keeping: 1) == [.stored])
        }
        #expect(try kept() == ["1"])
        #expect(try await counts() == [ReportCount(version: "1.0.0", event: "applied", reports: 40, devices: 40)])
    }

    // MARK: Working with it

    @discardableResult
    private func insert(
        _ reports: [Report], after milliseconds: Int64 = 0, keeping limit: Int = ReportWindow.defaultRows
    ) async throws -> [ReportOutcome] {
        try await store.insertReports(
            reports, at: Fixture.start.adding(milliseconds: milliseconds), keeping: ReportWindow(rows: limit))
    }

    /// Returns the event ids in the window, oldest first.
    private func kept() throws -> [String] { try rows.values("SELECT event_id FROM reports ORDER BY number") }

    private func counts() async throws -> [ReportCount] {
        try await store.reportCounts(of: try Fixture.package("news"), in: Fixture.app)
    }

    /// Returns reports with these numbers of events.
    private func reports(
        _ numbers: ClosedRange<Int>, device: String = "d", version: String = "1.0.0", app: AppID = Fixture.app,
        time: Timestamp = Fixture.start
    ) throws -> [Report] {
        let package = try Fixture.package("news")
        return numbers.map { number in
            Report(
                app: app, eventID: "\(number)", deviceID: device, package: package, version: version,
                event: "applied", time: time, details: [])
        }
    }
}

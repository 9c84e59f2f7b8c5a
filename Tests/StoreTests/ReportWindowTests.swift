import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the removal of old and excess reports, without the ids of removed ones (``ReportIDTests``).
@Suite(.scratchMemory, .databases)
struct ReportWindowTests {
    private struct Window {
        let store: SQLStore
        /// A second connection to the same database.
        let rows: Database

        init(on database: DatabaseKind) async throws {
            let location = try database.location()
            store = try SQLStore(opening: location)
            try await store.addNews()
            try await store.publish("1.0.0", seed: 1)
            rows = try Database(location.shared)
        }

        @discardableResult
        func insert(
            _ reports: [Report], after milliseconds: Int64 = 0, keeping limit: Int = ReportWindow.defaultRows
        ) async throws -> [ReportOutcome] {
            let outcomes = try await store.insertReports(
                reports, at: Fixture.start.adding(milliseconds: milliseconds),
                keeping: ReportWindow(rows: limit, ids: 0))
            while try await store.aggregate(upTo: 10_000) > 0 {}
            return outcomes
        }

        /// Returns the event ids in the window, oldest first.
        func kept() throws -> [String] { try rows.values("SELECT event_id FROM reports ORDER BY number") }

        func counts() async throws -> [ReportCount] {
            try await store.reportCounts(of: try Fixture.package("news"), in: Fixture.app)
        }
    }

    // MARK: By number

    @Test(arguments: DatabaseKind.allCases)
    func `the newest reports are kept, up to the limit`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert(try reports(1...3), keeping: 3)
        #expect(try window.kept() == ["1", "2", "3"])
        try await window.insert(try reports(4...4), keeping: 3)
        #expect(try window.kept() == ["2", "3", "4"])
        try await window.insert(try reports(5...9), keeping: 3)
        // The reports of the batch itself were not aggregated yet.
        #expect(try window.kept() == ["5", "6", "7", "8", "9"])
        try await window.insert([], keeping: 3)
        #expect(try window.kept() == ["7", "8", "9"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `all apps share the limit`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        let other = try #require(AppID("other"))
        _ = try await window.store.createApp(other, keys: [], audit: Fixture.audit("app.create", app: other))
        let news = Package(
            app: other, id: try Fixture.package("news"), name: "", entry: nil,
            urlPrefix: try #require(URLPrefix("/")), isEnabled: true, priority: 1)
        _ = try await window.store.putPackage(news, audit: Fixture.audit("package.put", app: other))
        try window.rows.execute(
            """
            INSERT INTO versions (package, version, folded, tree_hash, identity, url_prefix, app_config, file_map,
                file_count, total_size, created_at)
            SELECT (SELECT number FROM packages WHERE app = 'other'), version, folded, tree_hash, identity, url_prefix,
                app_config, file_map, file_count, total_size, created_at FROM versions
            """)
        try await window.insert(try reports(1...2) + reports(3...4, app: other), keeping: 3)
        try await window.insert([], keeping: 3)
        #expect(try window.kept() == ["2", "3", "4"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `reports that are known or ignored evict no report`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert(try reports(1...3), keeping: 3)
        try await window.insert(try reports(1...3) + reports(4...6, version: "9"), keeping: 3)
        #expect(try window.kept() == ["1", "2", "3"])
        // They use no numbers, by which the reports of the window are counted.
        try await window.insert(try reports(7...7), keeping: 4)
        #expect(try window.kept() == ["1", "2", "3", "7"])
    }

    // MARK: By age

    @Test(arguments: DatabaseKind.allCases)
    func `a report is kept for thirty days, and not a millisecond longer`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert(try reports(1...2))
        try await window.insert(try reports(3...3), after: 1)
        let thirtyDays: Int64 = 2_592_000_000
        try await window.insert(try reports(4...4), after: thirtyDays)
        #expect(try window.kept() == ["1", "2", "3", "4"])
        try await window.insert(try reports(5...5), after: thirtyDays + 1)
        #expect(try window.kept() == ["3", "4", "5"])
        try await window.insert([], after: thirtyDays + 2)
        #expect(try window.kept() == ["4", "5"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the device's own clock does not count`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert(try reports(1...1, time: Timestamp(milliseconds: 0)))
        try await window.insert([], after: ReportWindow.lifetimeMilliseconds)
        #expect(try window.kept() == ["1"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `reports received under a clock that was ahead are evicted by number`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert(try reports(1...2), after: 10 * ReportWindow.lifetimeMilliseconds)
        try await window.insert(try reports(3...4))
        try await window.insert(try reports(5...5), after: ReportWindow.lifetimeMilliseconds + 1)
        #expect(try window.kept() == ["1", "2", "3", "4", "5"])
        try await window.insert(try reports(6...6), after: ReportWindow.lifetimeMilliseconds + 1, keeping: 4)
        #expect(try window.kept() == ["3", "4", "5", "6"])
        // No reports precede them any more.
        try await window.insert([], after: ReportWindow.lifetimeMilliseconds + 1, keeping: 4)
        #expect(try window.kept() == ["5", "6"])
    }

    // MARK: In steps

    @Test(arguments: DatabaseKind.allCases)
    func `a lowered limit is reached in steps`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        let step = ReportWindow.surplusPerBatch
        try await window.insert(try reports(1...2 * step + 10))
        try await window.insert([], keeping: 5)
        #expect(try window.kept().count == step + 10)
        // One report is added, and one more than that is removed.
        try await window.insert(try reports(-1 ... -1), keeping: 5)
        #expect(try window.kept().count == 10)
        try await window.insert([], keeping: 5)
        #expect(try window.kept().count == 5)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the age limit of a month is reached in steps`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        let step = ReportWindow.surplusPerBatch
        try await window.insert(try reports(1...2 * step + 10))
        let later = ReportWindow.lifetimeMilliseconds + 1
        try await window.insert([], after: later)
        #expect(try window.kept().count == step + 10)
        try await window.insert(try reports(-1 ... -1), after: later)
        #expect(try window.kept().count == 10)
        try await window.insert([], after: later)
        #expect(try window.kept() == ["-1"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a batch evicts as many old reports as it adds, under whatever event they count`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        let many = 2 * ReportWindow.surplusPerBatch
        let names = try (1...EventNames.limit).flatMap { try reports($0...$0, device: "other", event: "own\($0)") }
        try await window.insert(names, keeping: many)
        try await window.insert(try reports(1...many), keeping: many)
        let outcomes = try await window.insert(
            try reports(many + 1...2 * many, event: "one too many"), keeping: many)
        #expect(outcomes.allSatisfy { $0 == .storedAsOther })
        #expect(try window.kept() == (many + 1...2 * many).map { "\($0)" })
    }

    // MARK: Counts

    @Test(arguments: DatabaseKind.allCases)
    func `counts outlive the reports`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert(try reports(1...3) + reports(4...5, device: "other"))
        let before = try await window.counts()
        #expect(
            try before == [ReportCount(version: Fixture.reported("1.0.0"), event: "applied", reports: 5, devices: 2)])
        try await window.insert([], after: ReportWindow.lifetimeMilliseconds + 1)
        #expect(try window.kept().isEmpty)
        #expect(try await window.counts() == before)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a repeated report counts once while it is in the window, and again after it`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        #expect(try await window.insert(try reports(1...3), keeping: 3) == [.stored, .stored, .stored])
        #expect(try await window.insert(try reports(1...3), keeping: 3) == [.known, .known, .known])
        #expect(try await window.insert(try reports(4...4), keeping: 3) == [.stored])
        #expect(try await window.insert(try reports(2...2), keeping: 3) == [.known])
        #expect(try await window.insert(try reports(1...1), keeping: 3) == [.stored])
        #expect(try await window.counts().map(\.reports) == [5])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a device counts once, also after the window has none of its reports`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        for number in 1...4 { try await window.insert(try reports(number...number, device: "a"), keeping: 2) }
        #expect(
            try await window.counts() == [
                ReportCount(version: Fixture.reported("1.0.0"), event: "applied", reports: 4, devices: 1)
            ])
        try await window.insert(try reports(5...6, device: "b"), keeping: 2)
        try await window.insert(try reports(7...7, device: "a"), keeping: 2)
        #expect(
            try await window.counts() == [
                ReportCount(version: Fixture.reported("1.0.0"), event: "applied", reports: 7, devices: 2)
            ])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `devices never outnumber reports, however small the window is`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        // The same id every time: in such a small window the other device's report displaces it.
        for device in Array(repeating: ["a", "b"], count: 20).joined() {
            #expect(try await window.insert(try reports(1...1, device: device), keeping: 1) == [.stored])
        }
        #expect(try window.kept() == ["1"])
        #expect(
            try await window.counts() == [
                ReportCount(version: Fixture.reported("1.0.0"), event: "applied", reports: 40, devices: 2)
            ])
    }

    // MARK: Reports

    /// Returns reports with these numbers of events.
    private func reports(
        _ numbers: ClosedRange<Int>, device: String = "d", version: String = "1.0.0", app: AppID = Fixture.app,
        event: String = "applied", time: Timestamp = Fixture.start
    ) throws -> [Report] {
        let package = try Fixture.package("news")
        return numbers.map { number in
            Report(
                app: app, eventID: "\(number)", deviceID: device, package: package, version: version,
                event: event, time: time, details: [])
        }
    }
}

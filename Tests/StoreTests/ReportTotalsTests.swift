import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the totals of reports in the store.
@Suite(.scratchMemory, .databases, .timeLimit(.minutes(5)))
struct ReportTotalsTests {
    private struct Totals {
        let store: SQLStore
        /// A second connection to the same database.
        let rows: Database

        init(on database: DatabaseKind) async throws {
            let location = try database.location()
            store = try SQLStore(opening: location)
            try await store.addNews()
            try await store.publish("1.0.0", seed: 1)
            try await store.publish("1.0.1", seed: 2)
            rows = try Database(location.shared)
        }

        func insert(_ reports: [Report], at now: Timestamp = Fixture.start) async throws {
            let outcomes = try await store.insertReports(reports, at: now, keeping: ReportWindow())
            #expect(outcomes.allSatisfy { $0 == .stored })
        }

        func series(
            _ groups: [ReportQuery.Dimension] = [], bucket: ReportQuery.Bucket = .all,
            filters: [ReportQuery.Dimension: String] = [:], at now: Timestamp = Fixture.start
        ) async throws -> [ReportSeries.Row] {
            let query = ReportQuery(from: nil, to: nil, bucket: bucket, filters: filters, groups: groups, at: now)
            return try await store.reportSeries(of: Fixture.package("news"), in: Fixture.app, query, at: now).rows
        }

        /// The reports of all totals, by span.
        func sums() throws -> [String: Int] {
            let sums = try rows.rows("SELECT span, cast(sum(reports) AS bigint) FROM report_totals GROUP BY span") {
                row in
                (try row[0] as String, try row[1] as Int)
            }
            return Dictionary(uniqueKeysWithValues: sums)
        }
    }

    private func report(
        _ id: String, _ details: [JSON.Member] = [], device: String = "d", version: String = "1.0.0",
        event: String = "applied", time: Timestamp = Fixture.start
    ) throws -> Report {
        Report(
            app: Fixture.app, eventID: id, deviceID: device, package: try Fixture.package("news"), version: version,
            event: event, time: time, details: details)
    }

    private func days(_ count: Int64, _ milliseconds: Int64 = 0) -> Timestamp {
        Fixture.start.adding(milliseconds: count * 86_400_000 + milliseconds)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `each report is aggregated once, and statistics are the same before and after`(
        on database: DatabaseKind
    ) async throws {
        let totals = try await Totals(on: database)
        try await totals.insert(
            try (0..<30).map { number in
                try report(
                    "\(number)", [.init("duration", .integer(Int64(number)))], device: "d\(number % 7)",
                    version: number % 2 == 0 ? "1.0.0" : "1.0.1")
            })
        let before = try await totals.series([.version])
        #expect(before.map(\.reports) == [15, 15] && before.map(\.devices.count) == [7, 7])
        #expect(before.map { $0.durations.count } == [15, 15])
        let counts = try await totals.store.reportCounts(of: Fixture.package("news"), in: Fixture.app)
        // In steps of other sizes than the batches.
        #expect(try await totals.store.aggregate(upTo: 7) == 7)
        #expect(try await totals.series([.version]) == before)
        #expect(try await totals.store.waitingReports() == 23)
        while try await totals.store.aggregate(upTo: 7) > 0 {}
        #expect(try await totals.store.waitingReports() == 0)
        #expect(try await totals.series([.version]) == before)
        #expect(try await totals.store.reportCounts(of: Fixture.package("news"), in: Fixture.app) == counts)
        #expect(try totals.sums() == ["hour": 30, "day-summary": 30, "all-time": 30])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a backlog that was aggregated already is refused, and nothing changes`(on database: DatabaseKind) async throws
    {
        let totals = try await Totals(on: database)
        try await totals.insert(try (0..<5).map { try report("\($0)") })
        let backlog = try #require(try await totals.store.reportBacklog(upTo: 10))
        // As if the program ended after the commit, before it knew of it.
        for isFirst in [true, false] {
            let code = try await code { try await totals.store.add(backlog, at: Fixture.start) }
            #expect(code == (isFirst ? nil : .conflict))
        }
        #expect(try totals.sums() == ["hour": 5, "day-summary": 5, "all-time": 5])
        #expect(try await totals.store.reportBacklog(upTo: 10) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a report that gets the number of an erased one is aggregated as well`(on database: DatabaseKind) async throws
    {
        let totals = try await Totals(on: database)
        try await totals.insert([try report("a"), try report("b", device: "gone")])
        let backlog = try #require(try await totals.store.reportBacklog(upTo: 10))
        try totals.rows.execute("DELETE FROM reports WHERE device = 'gone'")
        try await totals.insert([try report("c", device: "new")], at: Fixture.start.adding(milliseconds: 1))
        #expect(try await code { try await totals.store.add(backlog, at: Fixture.start) } == .conflict)
        #expect(try await totals.store.aggregate(upTo: 10) == 2)
        #expect(try await totals.series().map(\.devices.count) == [2])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `reports that are not aggregated stay in the window`(on database: DatabaseKind) async throws {
        let totals = try await Totals(on: database)
        let window = ReportWindow(rows: 2)
        func insert(_ numbers: Range<Int>) async throws {
            _ = try await totals.store.insertReports(
                try numbers.map { try report("\($0)") }, at: Fixture.start, keeping: window)
        }
        func kept() throws -> [String] { try totals.rows.values("SELECT event_id FROM reports ORDER BY number") }
        try await insert(0..<5)
        #expect(try kept().count == 5)
        _ = try await totals.store.aggregate(upTo: 2)
        try await insert(5..<6)
        #expect(try kept() == ["2", "3", "4", "5"])
        _ = try await totals.store.aggregate(upTo: 100)
        try await insert(6..<6)
        #expect(try kept() == ["4", "5"])
        #expect(try totals.sums()["all-time"] == 6)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `numbers are not used again after all reports were deleted`(on database: DatabaseKind) async throws {
        let totals = try await Totals(on: database)
        try await totals.insert(try (0..<3).map { try report("\($0)") })
        _ = try await totals.store.aggregate(upTo: 10)
        let later = Fixture.start.adding(milliseconds: ReportWindow.lifetimeMilliseconds + 1)
        try await totals.insert([], at: later)
        #expect(try totals.rows.value("SELECT count(*) FROM reports") == 0)
        try await totals.insert([try report("9", time: later)], at: later)
        #expect(try await totals.store.aggregate(upTo: 10, at: later) == 1)
        #expect(try totals.sums()["all-time"] == 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `past the limit of waiting reports further ones are refused until some are aggregated`(
        on database: DatabaseKind
    ) async throws {
        let totals = try await Totals(on: database)
        let window = ReportWindow(waiting: 4)
        func insert(_ numbers: Range<Int>) async throws -> PlatformError.Code? {
            try await code {
                _ = try await totals.store.insertReports(
                    try numbers.map { try report("\($0)") }, at: Fixture.start, keeping: window)
            }
        }
        #expect(try await insert(0..<4) == nil)
        #expect(try await insert(4..<5) == nil)
        #expect(try await insert(5..<6) == .busy)
        _ = try await totals.store.aggregate(upTo: 1)
        #expect(try await insert(5..<6) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a late report counts at its own time, and a clock that is years off at the receipt`(
        on database: DatabaseKind
    ) async throws {
        let totals = try await Totals(on: database)
        let now = days(0, 7_200_000)
        let times = [now, days(-3), days(-4), days(-29), days(-4000), days(4000)]
        try await totals.insert(try times.enumerated().map { try report("\($0.offset)", time: $0.element) }, at: now)
        let before = try await totals.series(bucket: .day, at: now)
        _ = try await totals.store.aggregate(upTo: 10, at: now)
        let rows = try await totals.series(bucket: .day, at: now)
        #expect(rows == before)
        #expect(rows.map(\.reports) == [1, 1, 1, 3] && rows.map(\.corrected) == [0, 0, 0, 2])
        // The days before the last three have no hours.
        #expect(try totals.sums() == ["hour": 4, "day": 2, "day-summary": 6, "all-time": 6])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `hours become days in bounded steps, and the oldest days end past a number of days with totals`(
        on database: DatabaseKind
    ) async throws {
        let totals = try await Totals(on: database)
        try await totals.insert(
            try (0..<60).map { number in
                let time = Fixture.start.adding(milliseconds: Int64(number) * 1_800_000)
                return try report(
                    "\(number)", [.init("duration", 5), .init("reason", .string("r\(number % 3)"))],
                    device: "d\(number % 11)", event: "failed", time: time)
            }, at: days(2))
        _ = try await totals.store.aggregate(upTo: 100, at: days(2))
        func rows(_ now: Timestamp) async throws -> [ReportSeries.Row] {
            try await totals.series([.reason], bucket: .day, at: now)
        }
        let before = try await rows(days(2))
        let now = days(6)
        let end = ReportTotal.firstHour(at: now)
        var steps = 0
        while case let count = try await totals.store.mergeHours(before: end, upTo: 7).count, count > 0 {
            #expect(count <= 7)
            steps += 1
        }
        #expect(steps >= 9)
        #expect(try totals.sums() == ["day": 60, "day-summary": 60, "all-time": 60])
        #expect(try await rows(days(2)) == before)
        // A clock that jumps ahead by years adds one day.
        try await totals.insert([try report("late", event: "failed", time: days(4000))], at: days(4000))
        _ = try await totals.store.aggregate(upTo: 100, at: days(4000))
        #expect(try await totals.store.mergeHours(before: days(5000), upTo: 7).count == 1)
        #expect(try await totals.store.removeDays(keeping: 3) == 0)
        var removed = 0
        while case let count = try await totals.store.removeDays(keeping: 1), count > 0 { removed += count }
        #expect(removed == 12)
        #expect(try totals.sums() == ["all-time": 61, "day": 1, "day-summary": 1])
        let counts = try await totals.store.reportCounts(of: Fixture.package("news"), in: Fixture.app)
        #expect(
            try counts == [ReportCount(version: Fixture.reported("1.0.0"), event: "failed", reports: 61, devices: 12)])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a package has 200 reasons, 16 platforms and 200 host-app versions; further ones are others`(
        on database: DatabaseKind
    ) async throws {
        let totals = try await Totals(on: database)
        try await totals.insert(
            try (0..<202).map { number in
                let text = JSON.string("t\(number)")
                return try report(
                    "\(number)", [.init("reason", text), .init("platform", text), .init("appVersion", text)])
            })
        while try await totals.store.aggregate(upTo: 64) > 0 {}
        for (dimension, limit) in [(ReportQuery.Dimension.reason, 200), (.platform, 16), (.appVersion, 200)] {
            let rows = try await totals.series([dimension])
            #expect(rows.count == limit + 1)
            #expect(rows.first { $0.values == [ReportTotal.other] }?.reports == 202 - limit)
        }
        // A month later each new text replaces an unused one.
        let later = days(31)
        try await totals.insert([try report("x", [.init("platform", "new")], time: later)], at: later)
        _ = try await totals.store.aggregate(upTo: 64, at: later)
        #expect(try await totals.series([.platform], filters: [.platform: "new"], at: later).map(\.reports) == [1])
        #expect(try totals.rows.value("SELECT count(*) FROM report_labels WHERE kind = 'platform'") == 16)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a release counts if the package has it`(on database: DatabaseKind) async throws {
        let totals = try await Totals(on: database)
        try await totals.store.release("1.0.0")
        try await totals.insert([
            try report("a", [.init("release", 1)]), try report("b", [.init("release", 99)]), try report("c"),
        ])
        for _ in 0...1 {
            let rows = try await totals.series([.release])
            #expect(rows.map(\.values) == [["0"], ["1"]] && rows.map(\.reports) == [2, 1])
            _ = try await totals.store.aggregate(upTo: 10)
        }
    }

    @Test func `a version and day have a limited number of totals, past which texts are others`() async throws {
        let totals = try await Totals(on: .sqlite)
        try totals.rows.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ReportTotal.maximumPerDay - 1))
            INSERT INTO report_totals SELECT 1, 'hour', \(ReportTotal.Span.hour.start(of: Fixture.start)), 'e' || i, 0,
                'r', '', '', 1, 0, 1, zeroblob(9), NULL FROM n
            """)
        let kinds = ["one", "two", "two"]
        try await totals.insert(
            try kinds.enumerated().map { try report("\($0.offset)", [.init("reason", .string($0.element))]) })
        _ = try await totals.store.aggregate(upTo: 10)
        let reasons = try totals.rows.rows(
            "SELECT reason, reports FROM report_totals WHERE event = 'applied' AND span = 'hour' ORDER BY reason"
        ) { row in "\(try row[0] as String) \(try row[1] as Int)" }
        #expect(reasons.contains("other 1") || reasons.contains("other 2"))
        #expect(reasons.count == 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a version and day have a limited number of summaries, past which reasons are others`(
        on database: DatabaseKind
    ) async throws {
        let totals = try await Totals(on: database)
        try await totals.insert(
            try (0...ReportTotal.maximumSummaries).map { number in
                try report(
                    "\(number)", [.init("reason", .string("r\(number % 150)"))],
                    event: number < 150 ? "failed" : "crash")
            })
        _ = try await totals.store.aggregate(upTo: 1000)
        try await totals.insert([try report("past", [.init("reason", "new")], event: "crash")])
        _ = try await totals.store.aggregate(upTo: 1000)
        let rows = try await totals.series([.event, .reason])
        #expect(rows.count == ReportTotal.maximumSummaries + 1)
        #expect(rows.first { $0.values == ["crash", ReportTotal.other] }?.reports == 2)
        // The totals of hours have all distinctions.
        #expect(try await totals.series([.event, .reason, .platform]).count == ReportTotal.maximumSummaries + 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `more totals than a page and a step are read and written as a whole`(on database: DatabaseKind) async throws {
        let totals = try await Totals(on: database)
        let count = 2 * ReportFold.maximumTotals + 1
        try await totals.insert(
            try (0..<count).map { number in
                try report(
                    "\(number)",
                    [
                        .init("appVersion", .string("\(number % 150)")), .init("platform", .string("\(number % 7)")),
                        .init("release", .integer(1)),
                    ], version: number % 2 == 0 ? "1.0.0" : "1.0.1")
            })
        let backlog = try #require(try await totals.store.reportBacklog(upTo: count))
        let step = try #require(backlog.step(at: Fixture.start))
        #expect(step.totals.count == ReportFold.maximumTotals && step.last.number < backlog.reports.last?.number ?? 0)
        _ = try await totals.store.aggregate(upTo: count)
        #expect(try await totals.store.waitingReports() == 0)
        #expect(try await totals.series([.appVersion]).count == 150)
        #expect(try await totals.series([.appVersion]).reduce(0) { $0 + $1.reports } == count)
        let filters: [ReportQuery.Dimension: String] = [.platform: "3", .appVersion: "10", .release: "0"]
        let matching = (0..<count).filter { $0 % 7 == 3 && $0 % 150 == 10 }
        #expect(try await totals.series(filters: filters).map(\.reports) == [matching.count])
        #expect(try await totals.series(filters: [.release: "1"]).isEmpty)
        #expect(try await totals.series(filters: [.platform: "a\0b"]).isEmpty)
        // Without another distinction than the event, the summary of the day is read.
        #expect(try await totals.series([.version, .event]).map(\.reports) == [(count + 1) / 2, count / 2])
    }

    @Test func `collapsed totals keep the release, and a registered host-app version always counts`() async throws {
        let totals = try await Totals(on: .sqlite)
        try await totals.store.release("1.0.0")
        try totals.rows.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ReportTotal.maximumPerDay))
            INSERT INTO report_totals SELECT 1, 'hour', \(ReportTotal.Span.hour.start(of: Fixture.start)), 'e' || i, 0,
                'r', '', '', 1, 0, 1, zeroblob(9), NULL FROM n
            """)
        try totals.rows.execute(
            "INSERT INTO builds (app, app_version, apis, changed_at) VALUES ('default', '9.0', '[]', 1)")
        try await totals.insert(
            try (0..<201).map { try report("f\($0)", [.init("appVersion", .string("x\($0)"))], version: "1.0.1") })
        _ = try await totals.store.aggregate(upTo: 1000)
        let details: [JSON.Member] = [
            .init("release", 1), .init("reason", "full"), .init("appVersion", "9.0"), .init("platform", "ios"),
        ]
        try await totals.insert([try report("a", details)])
        _ = try await totals.store.aggregate(upTo: 10)
        let row = try totals.rows.row(
            """
            SELECT release, reason, app_version, platform FROM report_totals
            WHERE span = 'hour' AND version = 1 AND event = 'applied'
            """
        ) { row in "\(try row[0] as Int) \(try row[1] as String) \(try row[2] as String) \(try row[3] as String)" }
        #expect(row == "1 other 9.0 ios")
    }

    @Test func `each stage of a total has fewer distinctions, and the release goes last`() {
        let key = ReportTotal.Key(
            version: 1, span: .hour, start: Fixture.start, event: "e", release: 7, reason: "r", platform: "p",
            appVersion: "")
        #expect(
            key.stages.map { "\($0.release) \($0.reason) \($0.appVersion) \($0.platform)" }
                == ["7 r  p", "7 other  p", "7 other  p", "7 other  other", "0 other  other"])
    }

    @Test func `two events that differ in their Unicode form only are two totals`() async throws {
        let totals = try await Totals(on: .sqlite)
        try await totals.insert([
            try report("a", event: "\u{e9}"), try report("b", event: "e\u{301}"), try report("c", event: "e\u{301}"),
        ])
        for _ in 0...1 {
            #expect(try await totals.series([.event]).map(\.reports).sorted() == [1, 2])
            _ = try await totals.store.aggregate(upTo: 10)
        }
    }

    @Test func `each installation has a key of its own for devices`() throws {
        let keys = try (0...1).map { _ in
            let database = try Database(.memory)
            try Migrator().migrate(database)
            return try #require(try database.value("SELECT device_key FROM meta") as [UInt8]?)
        }
        #expect(keys[0].count == DeviceHasher.keyLength && keys[0] != keys[1])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the funnel never grows, and reasons are ranked`(on database: DatabaseKind) async throws {
        let totals = try await Totals(on: database)
        var reports = [
            try report("a", device: "a", event: "opened"), try report("b", device: "b", event: "applied"),
            try report("c", device: "c", event: "downloaded"), try report("d", device: "d", event: "downloadStarted"),
            try report("e", device: "b", event: "downloaded"),
        ]
        for (number, reason) in ["full", "full", "net"].enumerated() {
            reports.append(
                try report("f\(number)", [.init("reason", .string(reason))], device: "f", event: "downloadFailed"))
        }
        try await totals.insert(reports)
        for _ in 0...1 {
            let query = ReportQuery(from: nil, to: nil, bucket: .all, filters: [:], groups: [], at: Fixture.start)
            let series = try await totals.store.reportSeries(
                of: Fixture.package("news"), in: Fixture.app, query, at: Fixture.start)
            #expect(series.funnels.map { $0.steps.map(\.count) } == [[5, 3, 2, 1]])
            #expect(series.reasons.map { "\($0.reason) \($0.reports)" } == ["full 2", "net 1"])
            _ = try await totals.store.aggregate(upTo: 10)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the totals of all packages of an app are read, in pages of a limited number of ranges`(
        on database: DatabaseKind
    ) async throws {
        let totals = try await Totals(on: database)
        _ = try await totals.store.putPackage(
            try Fixture.newsPackage("shop"), audit: Fixture.audit("package.put"))
        try await totals.store.publish("1.0.0", of: "shop", seed: 3)
        func report(_ id: String, _ package: String, _ version: String) throws -> Report {
            Report(
                app: Fixture.app, eventID: id, deviceID: "d", package: try Fixture.package(package), version: version,
                event: "applied", time: Fixture.start, details: [])
        }
        try await totals.insert(
            [try report("a", "news", "1.0.0"), try report("b", "news", "1.0.1"), try report("c", "shop", "1.0.0")])
        for _ in 0...1 {
            let query = ReportQuery(
                from: nil, to: nil, bucket: .all, filters: [:], groups: [.package], at: Fixture.start)
            let rows = try await totals.store.reportSeries(of: nil, in: Fixture.app, query, at: Fixture.start).rows
            #expect(
                rows.map { "\($0.values) \($0.reports) \($0.devices.count)" } == ["[\"news\"] 2 1", "[\"shop\"] 1 1"])
            let counts = try await totals.store.reportCounts(of: nil, in: Fixture.app)
            let versions =
                try ["1.0.0", "1.0.1"].map { try Fixture.reported($0) } + [Fixture.reported("1.0.0", of: "shop")]
            #expect(counts.map(\.version) == versions)
            _ = try await totals.store.aggregate(upTo: 10)
        }
        // No total matches the filter, and each transaction looks at one range only.
        let query = ReportQuery(
            from: nil, to: nil, bucket: .all, filters: [.platform: "none"], groups: [], at: Fixture.start)
        let selection = try await totals.store.reportSelection(of: nil, in: Fixture.app, query)
        #expect(selection.ranges.count == 3)
        var (cursor, pages): (ReportCursor?, Int) = (.start, 0)
        while let position = cursor {
            let page = try #require(try await totals.store.totals(of: selection, from: position, upTo: 1))
            #expect(page.totals.isEmpty)
            cursor = page.next
            pages += 1
        }
        #expect(pages == 3)
    }

    @Test func `reports from before the totals stay counted once`() async throws {
        let database = try Database(.memory)
        let all = Migration.embedded(for: .sqlite)
        try Migrator(all.filter { $0.number < 22 }).migrate(database)
        try database.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO packages (app, id, folded, name, url_prefix, enabled, priority)
            VALUES ('default', 'news', 'news', '', '/', 1, 1);
            INSERT INTO versions (package, version, folded, tree_hash, identity, url_prefix, app_config, file_map, file_count,
                total_size, created_at)
            VALUES (1, '1.0.0', '1.0.0', zeroblob(32), zeroblob(32), '/', '{}', '{}', 0, 0, 1);
            INSERT INTO reports (app, device, event_id, version, event, time, received_at, details)
            VALUES ('default', 'd', 'a', 1, 'applied', 1, 1, '{}'), ('default', 'd', 'b', 1, 'applied', 1, 1, '{}');
            """)
        let store = try SQLStore(database)
        #expect(try await store.waitingReports() == 0)
        _ = try await store.insertReports(
            [try report("c"), try report("a")], at: Fixture.start, keeping: ReportWindow())
        for _ in 0...1 {
            let counts = try await store.reportCounts(of: Fixture.package("news"), in: Fixture.app)
            #expect(
                try counts == [
                    ReportCount(version: Fixture.reported("1.0.0"), event: "applied", reports: 3, devices: 2)
                ])
            _ = try await store.aggregate(upTo: 10)
        }
    }
}

extension SQLStore {
    /// Adds the reports of a backlog to the totals.
    nonisolated func add(_ backlog: ReportBacklog, at now: Timestamp) async throws {
        var rest = backlog
        while let step = rest.step(at: now) {
            _ = try await addTotals(of: step)
            rest.remove(step)
        }
    }

    /// Aggregates waiting reports; returns their number.
    nonisolated func aggregate(upTo count: Int, at now: Timestamp = Fixture.start) async throws -> Int {
        guard let backlog = try await reportBacklog(upTo: count) else { return 0 }
        try await add(backlog, at: now)
        return backlog.reports.count
    }
}

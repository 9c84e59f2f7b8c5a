import Domain
import Ground
import TestKit
import Testing

@testable import Store

/// Tests that the ids of reports are known for 7 days, also after the reports have left the window.
@Suite(.scratchDirectory, .databases)
struct ReportIDTests {
    private static let segment: Int64 = 1 << 16
    private static let week = ReportWindow.promisedMilliseconds

    private struct Window {
        private let location: Database.Location
        private(set) var store: SQLStore
        /// A second connection to the same database.
        let rows: Database

        init(on database: DatabaseKind) async throws {
            try await self.init(at: database.location())
        }

        /// - Parameter location: With PostgreSQL, several stores may use it.
        init(at location: Database.Location) async throws {
            self.location =
                if case .postgreSQL(let address) = location { .postgreSQL(address.with(.shared)) } else { location }
            store = try SQLStore(opening: self.location)
            try await store.addNews()
            try await store.publish("1.0.0", seed: 1)
            rows = try Database(location.shared)
        }

        /// Opens the database anew, as a start of the server does.
        mutating func restart() throws { store = try SQLStore(opening: location) }

        /// Inserts a report of each event id.
        func insert(
            _ ids: [String], after milliseconds: Int64 = 0, rows: Int = 2, ids limit: Int = ReportWindow.defaultIDs
        ) async throws -> [ReportOutcome] {
            try await store.insertReports(
                ids.map { try ReportIDTests.report($0) }, at: Fixture.start.adding(milliseconds: milliseconds),
                keeping: ReportWindow(rows: rows, ids: limit))
        }

        /// Inserts a report of each event id and aggregates them, so that they may leave the window.
        @discardableResult
        func insert(
            _ ids: String..., after milliseconds: Int64 = 0, rows: Int = 2, ids limit: Int = ReportWindow.defaultIDs
        ) async throws -> [ReportOutcome] {
            let outcomes = try await insert(ids, after: milliseconds, rows: rows, ids: limit)
            try await aggregate()
            return outcomes
        }

        func aggregate() async throws { while try await store.aggregate(upTo: 10_000) > 0 {} }

        /// Lets the next report have a number, as if all earlier ones had been stored and aggregated.
        func setNext(_ number: Int64) throws { try rows.execute("UPDATE report_progress SET through = \(number - 1)") }

        /// Returns the event ids in the window, oldest first.
        func stored() throws -> [String] { try rows.values("SELECT event_id FROM reports ORDER BY number") }

        /// Returns the number of kept ids by segment.
        func kept() throws -> [Int64: Int] {
            Dictionary(uniqueKeysWithValues: try rows.keptSegments().map { ($0.segment, $0.ids) })
        }

        func known(after milliseconds: Int64, rows: Int = 2) async throws -> Int64 {
            ReportWindow(rows: rows).knownMilliseconds(
                try await store.reportExtent(), at: Fixture.start.adding(milliseconds: milliseconds))
        }
    }

    fileprivate static func report(_ id: String, device: String = "d") throws -> Report {
        Report(
            app: Fixture.app, eventID: id, deviceID: device, package: try Fixture.package("news"), version: "1.0.0",
            event: "applied", time: Fixture.start, details: [])
    }

    // MARK: Time

    @Test(arguments: DatabaseKind.allCases)
    func `an id is known for 7 days, whether its report is in the window or not`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b", "c", "d")
        try await window.insert()
        #expect(try window.stored() == ["c", "d"])
        #expect(try await window.insert("a", "b", "c", "d", "e") == [.known, .known, .known, .known, .stored])
        #expect(try await window.insert("a", "e", after: Self.week) == [.known, .known])
        // The ids are forgotten at the end of the next batch.
        try await window.insert(after: Self.week + 1)
        #expect(try window.kept() == [:])
        #expect(try window.stored() == ["d", "e"])
        #expect(try await window.insert("a", "d", "b", after: Self.week + 1) == [.stored, .known, .stored])
        #expect(try await window.known(after: Self.week + 2) == Self.week)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `ids that were forgotten since the clock was ahead show when it is right again`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b")
        try await window.insert("c", "d", after: 2 * Self.week)
        try await window.insert(after: 2 * Self.week)
        #expect(try window.stored() == ["c", "d"] && window.kept() == [:])
        #expect(try await window.known(after: 5) == 5)
        // An older id that is forgotten later changes nothing.
        try await window.insert("e", "f", after: -3 * Self.week)
        try await window.insert("g", "h", after: 4)
        try await window.insert(after: 4)
        #expect(try await window.known(after: 5) == 5)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `ids that were kept while the clock was behind stay known when it is right again`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        let now = 3 * Self.week
        try await window.insert("a", "b", after: now)
        try await window.insert("c", "d", after: now - Self.week)
        try await window.insert(after: now - Self.week)
        #expect(try window.stored() == ["c", "d"] && window.kept().count == 1)
        try await window.insert("e", after: now + 1)
        #expect(try await window.insert("a", "b", after: now + Self.week) == [.known, .known])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the ids of reports that leave after 7 days are not kept`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b")
        try await window.insert("c", after: Self.week)
        // The first one left within 7 days, and the ids of its segment were kept with it.
        #expect(try window.stored() == ["b", "c"] && window.kept() == [0: 2])
        try await window.insert("d", after: Self.week + 1)
        #expect(try window.stored() == ["c", "d"] && window.kept() == [:])
        try await window.insert("e", after: 2 * Self.week + 1)
        #expect(try window.stored() == ["d", "e"] && window.kept() == [:])
        #expect(try await window.insert("a", "c", after: 2 * Self.week + 1) == [.stored, .stored])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `ids are known after a restart, and their filter is made again if it is lost`(
        on database: DatabaseKind
    ) async throws {
        var window = try await Window(on: database)
        try await window.insert("a", "b")
        try window.setNext(Self.segment)
        try await window.insert("c", "d")
        try await window.insert()
        #expect(try window.stored() == ["c", "d"])
        try window.restart()
        #expect(try await window.insert("a", "b", "c", "d") == [.known, .known, .known, .known])
        let filter: [UInt8]? = try window.rows.value("SELECT bits FROM report_id_filters WHERE segment = 0")
        #expect(filter != nil)
        try window.rows.execute("DELETE FROM report_id_filters")
        try window.restart()
        #expect(try await window.insert("a", "b", "e") == [.known, .known, .stored])
        #expect(try window.rows.value("SELECT bits FROM report_id_filters WHERE segment = 0") == filter)
    }

    // MARK: Segments

    @Test(arguments: DatabaseKind.allCases)
    func `the ids of 65,536 reports are kept when the first of them leaves`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        let ids = (1...70_000).map(String.init)
        for start in stride(from: 0, to: ids.count, by: 10_000) {
            _ = try await window.insert(Array(ids[start..<start + 10_000]), rows: 70_000)
            try await window.aggregate()
        }
        #expect(try window.kept() == [:])
        try await window.insert(rows: 68_000)
        #expect(try window.kept() == [0: 65_535])
        #expect(try window.stored().first == "1001")
        #expect(Set(try await window.insert(ids, rows: 68_000)) == [.known])
        for _ in 1...70 { _ = try await window.insert([], rows: 10) }
        #expect(try window.stored().count == 10)
        #expect(try window.kept() == [0: 65_535, 1: 4_465])
        #expect(Set(try await window.insert(ids, rows: 10)) == [.known])
        let others = (1...5_000).map { "other \($0)" }
        #expect(Set(try await window.insert(others, rows: 10)) == [.stored])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `ids stay known while their segment leaves report by report, in a window of one report`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        var ids: [String] = []
        for number in 1...12 {
            if number % 4 == 0 { try window.setNext(Int64(number / 4) * Self.segment) }
            ids.append("\(number)")
            #expect(try await window.insert("\(number)", rows: 1) == [.stored])
            #expect(Set(try await window.insert(ids, rows: 1)) == [.known], "after \(number)")
        }
        #expect(try window.stored() == ["12"])
        #expect(try window.kept() == [0: 3, 1: 4, 2: 4])
        let complete: [Int64] = try window.rows.values("SELECT segment FROM report_id_filters ORDER BY segment")
        #expect(complete == [0, 1, 2])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `reports that are not aggregated are kept later than the others of their segment`(
        on database: DatabaseKind
    ) async throws {
        var window = try await Window(on: database)
        _ = try await window.insert(["a", "b", "c", "d"])
        _ = try await window.store.aggregate(upTo: 2)
        _ = try await window.insert([])
        #expect(try window.stored() == ["c", "d"] && window.kept() == [0: 2])
        // The numbers of the erased reports are used again.
        try window.rows.execute("DELETE FROM reports")
        #expect(try await window.insert("c", "e") == [.stored, .stored])
        #expect(try window.rows.values("SELECT number FROM reports ORDER BY number") == [3, 4] as [Int64])
        try await window.insert("f")
        #expect(try window.stored() == ["e", "f"] && window.kept() == [0: 4])
        for _ in 1...2 {
            #expect(try await window.insert("a", "b", "c", "e", "f") == [.known, .known, .known, .known, .known])
            try window.restart()
        }
    }

    // MARK: Limits

    @Test(arguments: DatabaseKind.allCases)
    func `as many ids are kept as the limit says, and past the limit the oldest segment is forgotten`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b", rows: 1, ids: 4)
        try window.setNext(Self.segment)
        try await window.insert("c", "d", after: 10, rows: 1, ids: 4)
        try window.setNext(2 * Self.segment)
        try await window.insert("e", after: 20, rows: 1, ids: 4)
        #expect(try window.stored() == ["e"] && window.kept() == [0: 2, 1: 2])
        #expect(try await window.known(after: 30, rows: 1) == Self.week)
        try await window.insert("f", after: 30, rows: 1, ids: 4)
        #expect(try window.stored() == ["f"] && window.kept() == [1: 2, 2: 1])
        // The ids of the first segment, received at the start, are forgotten.
        #expect(try await window.known(after: 40, rows: 1) == 40)
        #expect(try await window.known(after: Self.week, rows: 1) == Self.week)
        #expect(
            try await window.insert("c", "d", "e", "f", "a", after: 40, rows: 1, ids: 4)
                == [.known, .known, .known, .known, .stored])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `no ids are kept with a limit of 0, and the newest segment's with one of 1`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b", "c", ids: 0)
        try await window.insert("d", after: 5, ids: 0)
        try await window.insert(after: 5, ids: 0)
        #expect(try window.stored() == ["c", "d"] && window.kept() == [:])
        #expect(try await window.known(after: 9) == 9)
        #expect(try await window.insert("a", after: 5, ids: 1) == [.stored])
        #expect(try window.stored() == ["d", "a"] && window.kept() == [0: 2])
        #expect(try await window.insert("a", "c", "d", after: 5, ids: 1) == [.known, .known, .known])
        try await window.insert(after: 5, ids: 0)
        #expect(try window.kept() == [:])
    }

    // MARK: Failures

    @Test(arguments: DatabaseKind.allCases)
    func `a transaction that is rolled back neither keeps nor forgets ids`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b", "c")
        try refuseDeletions(of: "reports", in: window.rows)
        await #expect(throws: PlatformError.self) { try await window.insert("d") }
        #expect(try window.kept() == [:])
        try allowDeletions(of: "reports", in: window.rows)
        #expect(try await window.insert("a", "b", "c", "d") == [.known, .known, .known, .stored])
        #expect(try window.kept() == [0: 3])
        try refuseDeletions(of: "report_id_segments", in: window.rows)
        await #expect(throws: PlatformError.self) { try await window.insert(after: Self.week + 1) }
        try allowDeletions(of: "report_id_segments", in: window.rows)
        #expect(try await window.insert("a", "b", "c", "d") == [.known, .known, .known, .known])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `ids are known after a roll-back, also those of segments far before the window`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b")
        try window.setNext(100 * Self.segment)
        try await window.insert("c", "d")
        #expect(try window.kept() == [0: 2])
        try refuseDeletions(of: "reports", in: window.rows)
        await #expect(throws: PlatformError.self) { try await window.insert("e") }
        try allowDeletions(of: "reports", in: window.rows)
        #expect(try await window.insert("a", "b", "e") == [.known, .known, .stored])
    }

    private func refuseDeletions(of table: String, in database: Database) throws {
        try database.executeScript(
            database.dialect == .sqlite
                ? "CREATE TRIGGER stop BEFORE DELETE ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END"
                : "CREATE TRIGGER stop BEFORE DELETE ON \(table) FOR EACH ROW EXECUTE FUNCTION refuse('no')")
    }

    private func allowDeletions(of table: String, in database: Database) throws {
        try database.executeScript("DROP TRIGGER stop" + (database.dialect == .sqlite ? "" : " ON \(table)"))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the ids of an erased device stay if they were kept`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert("a", "b", "c")
        try await window.insert()
        try window.setNext(Self.segment)
        try await window.insert("d", rows: 100_000)
        let names = DeviceNames(
            plain: DeviceName(text: "d", key: DeviceKey(high: 5, low: 9)),
            hashed: DeviceName(text: "hashed:d", key: DeviceKey(high: 5, low: 10)))
        let erasure = try await window.store.eraseDevice(names, in: Fixture.app) { _ in Fixture.audit("device.erase") }
        #expect(erasure.reports == 3)
        #expect(try await window.insert("a", "b", "c", "d") == [.known, .known, .known, .stored])
    }

    // MARK: Databases

    @Test(arguments: DatabaseKind.allCases)
    func `a move carries the ids to the other kind of database`(from kind: DatabaseKind) async throws {
        let window = try await Window(on: kind)
        try await window.insert("a", "b")
        try window.setNext(Self.segment)
        try await window.insert("c", "d")
        try await window.insert()
        let location = try (kind == .sqlite ? DatabaseKind.postgresql : .sqlite).location()
        _ = try TableCopy(source: window.rows, target: Database(location.shared)).run()
        let store = try SQLStore(opening: location)
        let outcomes = try await store.insertReports(
            ["a", "b", "c", "d", "e"].map { try Self.report($0) }, at: Fixture.start, keeping: ReportWindow(rows: 2))
        #expect(outcomes == [.known, .known, .known, .known, .stored])
    }

    @Test(arguments: DatabaseKind.allCases, [1, 2])
    func `a database from before kept ids states since when ids are known`(
        on database: DatabaseKind, first: Int
    ) async throws {
        let location = try database.blankLocation()
        let old = try Database(location)
        let (count, zeros) = database == .sqlite ? (27, "zeroblob(32)") : (8, "decode(repeat('00', 32), 'hex')")
        try Migrator(Array(Migration.embedded(for: old.dialect).prefix(count))).migrate(old)
        try old.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO packages (app, id, folded, name, url_prefix, enabled, priority)
            VALUES ('default', 'news', 'news', '', '/', 1, 1);
            INSERT INTO versions (package, version, folded, tree_hash, identity, url_prefix, app_config, file_map,
                file_count, total_size, created_at)
            VALUES (1, '1', '1', \(zeros), \(zeros), '/', '{}', '{}', 0, 0, 0);
            INSERT INTO reports (number, app, device, event_id, version, event, time, received_at, details)
            VALUES (\(first), 'default', 'd', 'a', 1, 'applied', 1, 7, '{}'), (9, 'default', 'd', 'b', 1, 'applied', 1, 8, '{}');
            """)
        let store = try SQLStore(opening: location.shared)
        let forgotten = first == 1 ? nil : Timestamp(milliseconds: 7)
        #expect(
            try await store.reportExtent()
                == ReportExtent(count: 10 - first, oldest: Timestamp(milliseconds: 7), forgotten: forgotten))
    }

    @Test func `a second node knows the ids that the first has kept, until it has forgotten them`() async throws {
        guard case .postgreSQL(let address) = try DatabaseKind.postgresql.location() else {
            Issue.record("PostgreSQL has another location")
            return
        }
        let window = try await Window(at: .postgreSQL(address))
        let second = try SQLStore(opening: .postgreSQL(address.with(.shared)))
        func insertBySecond(_ ids: String..., after milliseconds: Int64 = 0) async throws -> [ReportOutcome] {
            try await second.insertReports(
                ids.map { try Self.report($0) }, at: Fixture.start.adding(milliseconds: milliseconds),
                keeping: ReportWindow(rows: 2))
        }
        #expect(try await insertBySecond("a", "b", "c") == [.stored, .stored, .stored])
        try await window.aggregate()
        for _ in 1...3 {
            try await window.insert()
            #expect(try await insertBySecond("a", "b", "c") == [.known, .known, .known])
        }
        // The segment has further ids, and another one follows.
        try await window.insert("d", "e")
        try await window.insert()
        #expect(try await insertBySecond("a", "c", "d", "e") == [.known, .known, .known, .known])
        try window.setNext(Self.segment)
        try await window.insert("f", "g", "h")
        try await window.insert()
        #expect(try window.kept().keys.sorted() == [0, 1])
        #expect(try await insertBySecond("a", "f", "g", "h") == [.known, .known, .known, .known])
        try await window.insert(after: Self.week + 1)
        #expect(try await insertBySecond("a", "f", after: Self.week + 1) == [.stored, .stored])
    }
}

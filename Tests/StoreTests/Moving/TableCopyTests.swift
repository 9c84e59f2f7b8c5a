import Domain
import TestKit
import Testing

@testable import Store

/// Tests the copy of all rows from one kind of database to the other.
@Suite(.scratchDirectory, .databases)
struct TableCopyTests {
    /// Returns a database with rows in its tables, and an empty one of the other kind.
    private func databases(from kind: DatabaseKind) async throws -> (source: Database, target: Database) {
        let source = try await FilledDatabase.fill(kind.location())
        // Texts of every length of UTF-8, and values at the ends of their ranges.
        try source.executeScript(
            """
            INSERT INTO seen_places (app, channel, since) VALUES ('default', 'beta', 1);
            INSERT INTO seen_texts (hash, text)
            VALUES (-9223372036854775808, 'é 图 😀 ''"?$1'), (9223372036854775807, ''), (NULL, 'a');
            INSERT INTO seen_devices VALUES (1, zeroblob(16), 1, 1, NULL, 0);
            INSERT INTO page_grants VALUES ('default', 'a', 'https://a.example', '/', '[]', 1);
            INSERT INTO unreferenced_artifacts VALUES (1, 1);
            INSERT INTO retention_clock VALUES (1, 5);
            INSERT INTO key_remains VALUES (1);
            INSERT INTO report_events VALUES (1, 'opened', 1);
            UPDATE releases SET revision = 2, changed_at = 9 WHERE id = 1;
            INSERT INTO tokens (name, role, secret_hash, created_at) VALUES ('', 'admin', zeroblob(32), 1);
            DELETE FROM tokens WHERE secret_hash = zeroblob(32);
            """)
        return (source, try Database(kind.other.location().shared))
    }

    /// Returns all rows by table, read without pages.
    private func rows(of database: Database) throws -> [String: [[SQLValue]]] {
        var rows: [String: [[SQLValue]]] = [:]
        for table in try database.tableShapes() {
            let statement = "SELECT \(table.columnList) FROM \(table.quoted) ORDER BY \(table.keyList)"
            rows[table.name] = try database.rows(SQL(text: statement, values: [])) { row in
                try (0..<Int32(table.columns.count)).map { column throws(DatabaseError) -> SQLValue in try row[column] }
            }
        }
        return rows
    }

    private func triggers(of database: Database) throws -> [String] {
        try database.values(
            database.dialect == .sqlite
                ? "SELECT name || sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1"
                : "SELECT tgname || ' ' || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1")
    }

    private func insertToken(in database: Database) throws -> Int64 {
        try database.inserted(
            """
            INSERT INTO tokens (name, role, secret_hash, created_at)
            VALUES ('', 'admin', \(try Fixture.digest(99)), 1) RETURNING id
            """)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `every row of every table arrives, and the triggers stay as they were`(_ kind: DatabaseKind) async throws {
        let (source, target) = try await databases(from: kind)
        let expected = try rows(of: source)
        #expect(expected.filter(\.value.isEmpty).keys.sorted() == [])
        let before = try triggers(of: target)
        #expect(!before.isEmpty)

        let outcome = try TableCopy(source: source, target: target).run()
        #expect(try rows(of: target) == expected)
        #expect(outcome.rows == expected.values.reduce(0) { $0 + $1.count })
        #expect(outcome.tables == expected.count && outcome.unstorable.isEmpty)
        #expect(try triggers(of: target) == before)
        #expect(throws: DatabaseError.self) { try target.execute("UPDATE audit SET actor = 'x'") }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `ids continue after the last ones, also after those of deleted rows`(_ kind: DatabaseKind) async throws {
        let (source, target) = try await databases(from: kind)
        _ = try TableCopy(source: source, target: target).run()
        let token = try insertToken(in: source)
        // The last token is deleted, so that its id is in no row.
        #expect(token > 2)
        #expect(try insertToken(in: target) == token)
        for database in [source, target] {
            let number = try database.inserted(
                "INSERT INTO presets (app, build, created_at) VALUES ('default', '9', 1) RETURNING number")
            #expect(number == 2)
            let release = try database.inserted(
                "INSERT INTO release_sets (app, channel, created_at) VALUES ('default', 'beta', 1) RETURNING id")
            #expect(release == 2)
        }
    }

    @Test func `a copy into SQLite removes the filters of the reports that it replaces`() async throws {
        let (source, target) = try await databases(from: .postgresql)
        try target.execute("INSERT INTO report_filters VALUES (0, zeroblob(131072))")
        _ = try TableCopy(source: source, target: target).run()
        #expect(try target.value("SELECT count(*) FROM report_filters") == 0 as Int?)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a second copy replaces the rows of the first`(_ kind: DatabaseKind) async throws {
        let (source, target) = try await databases(from: kind)
        _ = try TableCopy(source: source, target: target).run()
        try source.executeScript(
            """
            DELETE FROM builds;
            INSERT INTO channels VALUES ('default', 'later', 0);
            UPDATE apps SET sequence = sequence + 7;
            """)
        _ = try TableCopy(source: source, target: target).run()
        #expect(try rows(of: target) == rows(of: source))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `tables of many pages and rows of megabytes arrive`(_ kind: DatabaseKind) async throws {
        let (source, target) = try await databases(from: kind)
        try source.executeAll(
            (0..<1_300).map { number in
                "INSERT INTO builds VALUES ('default', \("v\(number)"), '[]', \(number))" as SQL
            })
        try source.executeAll(
            (0..<20).map { number in
                """
                INSERT INTO device_lists (app, name, changed_at, devices)
                VALUES ('default', \("list-\(number)"), 1, \([UInt8](repeating: UInt8(number), count: 1 << 20)))
                """ as SQL
            })
        _ = try TableCopy(source: source, target: target).run()
        #expect(try rows(of: target) == rows(of: source))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a page has at most 500 rows, and 4 MiB unless it has one row`(_ kind: DatabaseKind) async throws {
        let database = try await FilledDatabase.fill(kind.location())
        let table = try #require(try database.tableShapes().first { $0.name == "seen_texts" })
        let fixed = TableShape.integerBytes * table.columns.count
        func insert(_ first: Int, _ count: Int, bytes: Int) throws {
            let text = String(repeating: "é", count: (bytes - fixed) / 2)
            try database.executeAll(
                (first..<first + count).map { number in
                    "INSERT INTO seen_texts (number, text) VALUES (\(number), \(text))" as SQL
                })
        }
        try insert(1, 501, bytes: 64)
        try insert(1_000, 9, bytes: 1 << 20)
        try insert(2_000, 1, bytes: TableRows.pageBytes + 2)
        try insert(3_000, 1, bytes: 64)
        var reader = TableRows(of: table, in: database)
        var counts: [Int] = []
        while case let rows = try reader.next(), !rows.isEmpty { counts.append(rows.count) }
        // The row after the 500 is followed by three of a mebibyte, then four of them fill a page exactly.
        #expect(counts == [500, 4, 4, 2, 1, 1])
    }

    @Test func `reports with U+0000, which PostgreSQL cannot store, are left out`() async throws {
        let (source, target) = try await databases(from: .sqlite)
        let before = try rows(of: source)
        try source.executeScript(
            """
            INSERT INTO reports (app, device, event_id, version, event, time, received_at, details)
            VALUES ('default', 'a' || char(0) || 'b', 'x', 1, 'applied', 1, 1, '{}');
            INSERT INTO report_events VALUES (1, 'a' || char(0), 1);
            """)
        let outcome = try TableCopy(source: source, target: target).run()
        #expect(outcome.unstorable == ["reports": 1, "report_events": 1])
        let after = try rows(of: target)
        #expect(after["reports"] == before["reports"] && after["report_events"] == before["report_events"])
        #expect(after["report_counts"] == (try rows(of: source))["report_counts"])
    }

    @Test func `another text with U+0000 is refused, and the target stays as it was`() async throws {
        let (source, target) = try await databases(from: .sqlite)
        let (expected, before) = (try rows(of: target), try triggers(of: target))
        try source.executeScript("UPDATE packages SET name = 'a' || char(0)")
        #expect(throws: PlatformError.self) { try TableCopy(source: source, target: target).run() }
        #expect(try rows(of: target) == expected)
        #expect(try triggers(of: target) == before)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `databases with different tables or columns are refused`(_ kind: DatabaseKind) async throws {
        let (source, target) = try await databases(from: kind)
        try target.executeScript("CREATE TABLE extra (number bigint PRIMARY KEY)")
        let table = #expect(throws: DatabaseError.self) { try TableCopy(source: source, target: target).run() }
        #expect(table?.description.contains("extra") ?? false)
        try target.executeScript("DROP TABLE extra")
        let type = kind == .sqlite ? "INTEGER" : "bigint"
        try source.executeScript("ALTER TABLE builds ADD COLUMN further \(type)")
        let column = #expect(throws: DatabaseError.self) { try TableCopy(source: source, target: target).run() }
        #expect(column?.description.contains("tables builds") ?? false)
    }
}

extension DatabaseKind {
    var other: DatabaseKind { self == .sqlite ? .postgresql : .sqlite }
}

import Store
import TestKit
import Testing

@Suite(.scratchDirectory)
struct DatabaseTests {
    private func database() throws -> Database {
        let database = try Database(.memory)
        try database.executeScript("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b BLOB) STRICT")
        return database
    }

    @Test func `a connection is set up for durability and for constraints`() throws {
        let database = try Database(.file("\(ScratchDirectory.path)/x.sqlite"))
        #expect(try database.value("PRAGMA journal_mode") == "wal")
        #expect(try database.value("PRAGMA synchronous") == 2)
        #expect(try database.value("PRAGMA foreign_keys") == 1)
        #expect(try database.value("PRAGMA trusted_schema") == 0)
        #expect(try database.value("PRAGMA busy_timeout") == 5000)
    }

    @Test(arguments: ["", "'; DROP TABLE t; --", "a\u{0}b", "新闻 é"])
    func `interpolated values are bound`(text: String) throws {
        let database = try database()
        let bytes: [UInt8] = Array(text.utf8)
        try database.execute("INSERT INTO t (a, b) VALUES (\(text), \(bytes))")
        let read = try database.row("SELECT a, b FROM t WHERE a = \(text)") { row in
            (try row[0] as String, try row[1] as [UInt8])
        }
        #expect(read?.0 == text)
        #expect(read?.1 == bytes)
    }

    @Test func `a rehearsed transaction returns its result and is rolled back, and the next one commits`() throws {
        let database = try database()
        func insert(_ text: String, isRehearsal: Bool) throws -> Int64 {
            try database.transaction {
                if isRehearsal { database.rehearse() }
                return try database.inserted("INSERT INTO t (a) VALUES (\(text)) RETURNING id")
            }
        }
        #expect(try insert("x", isRehearsal: true) == 1)
        #expect(try database.values("SELECT a FROM t") == [String]())
        #expect(try insert("x", isRehearsal: false) == 1)
        #expect(try database.values("SELECT a FROM t") == ["x"])
    }

    @Test func `parts of statements keep their values in order`() {
        let part: SQL = "b = \(2) AND c = \("x")"
        let sql: SQL = "a = \(1) AND \(part) AND d = \(Int64?.none)"
        #expect(sql.text == "a = ? AND b = ? AND c = ? AND d = ?")
        #expect(sql.values == [.integer(1), .integer(2), .text("x"), .null])
    }

    @Test func `integers keep all their bits`() throws {
        let database = try database()
        for value in [Int64.min, -1, 0, Int64.max] {
            #expect(try database.value("SELECT \(value)") == value)
        }
        #expect(try database.value("SELECT \(UInt32.max)") == UInt32.max)
        #expect(throws: DatabaseError.self) { try database.value("SELECT -1") as UInt32? }
    }

    @Test func `a value of another type than the program's is an error that names the column`() throws {
        let database = try database()
        let error = #expect(throws: DatabaseError.self) { try database.value("SELECT 'x' AS number") as Int? }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("number") == true)
        let null = #expect(throws: DatabaseError.self) { try database.value("SELECT NULL") as String? }
        #expect(null?.code == .corrupt)
        let optional = try database.row("SELECT NULL, 5") { row in (try row[0] as Int?, try row[1] as Int?) }
        #expect(optional?.0 == nil)
        #expect(optional?.1 == 5)
    }

    @Test func `an error contains the statement and not the values`() throws {
        let database = try database()
        try database.execute("INSERT INTO t (a) VALUES (\("secret"))")
        let error = #expect(throws: DatabaseError.self) {
            try database.execute("INSERT INTO t (a) VALUES (\("secret"))")
        }
        #expect(error?.code == .constraint)
        #expect(error?.description.contains("UNIQUE constraint failed: t.a") == true)
        #expect(error?.description.contains("INSERT INTO t (a) VALUES (?)") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `a transaction that throws is undone, and the next one works`() throws {
        struct Change: Error {}
        let database = try database()
        #expect(throws: Change.self) {
            try database.transaction {
                try database.execute("INSERT INTO t (a) VALUES ('x')")
                throw Change()
            }
        }
        try database.transaction { _ = try database.execute("INSERT INTO t (a) VALUES ('y')") }
        #expect(try database.values("SELECT a FROM t") == ["y"])
    }

    @Test func `a statement can be used while its own rows are read`() throws {
        let database = try database()
        try database.execute("INSERT INTO t (a) VALUES ('x'), ('y')")
        let pairs = try database.rows("SELECT a FROM t ORDER BY id") { row in
            let inner: [String] = try database.rows("SELECT a FROM t ORDER BY id") { try $0[0] }
            return try row[0] + inner.joined()
        }
        #expect(pairs == ["xxy", "yxy"])
    }

    @Test func `a statement returns the number of written rows`() throws {
        let database = try database()
        #expect(try database.execute("INSERT INTO t (a) VALUES ('x'), ('y')") == 2)
        #expect(try database.execute("INSERT INTO t (a) VALUES ('x') ON CONFLICT DO NOTHING") == 0)
        #expect(throws: DatabaseError.self) {
            try database.inserted("INSERT INTO t (a) VALUES ('x') ON CONFLICT DO NOTHING RETURNING id")
        }
    }
}

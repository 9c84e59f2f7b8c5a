import CSQLite

/// One connection to a database, its prepared statements and its transactions.
///
/// Used from one thread at a time; owned by an actor.
package final class Database {
    private let connection: Connection
    /// Prepared once each; there are as many as the program has statements.
    private var idle: [String: CachedStatement] = [:]
    /// Whether the transaction that runs is rolled back at its end, although nothing failed.
    private var isRehearsal = false

    /// Where a database is kept.
    package enum Location: Sendable {
        case memory
        /// A file, made where there is none.
        case file(String)
    }

    /// Opens a database: write-ahead log, synced at every commit, foreign keys enforced, what is deleted overwritten.
    package init(_ location: Location) throws {
        switch location {
        case .memory: connection = try Connection(path: ":memory:")
        case .file(let path): connection = try Connection(path: path)
        }
        try executeScript(
            """
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA secure_delete = ON;
            """)
        // SQLite keeps another mode, and says so, where the file system cannot hold the log's index.
        let mode: String? = try value("PRAGMA journal_mode = WAL")
        guard mode == "wal" || mode == "memory" else {
            throw SQLiteError.unmet("the file system takes no write-ahead log", statement: "PRAGMA journal_mode")
        }
    }

    /// Runs a statement that gives no rows; the number of rows it wrote.
    @discardableResult
    package func execute(_ sql: SQL) throws(SQLiteError) -> Int {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        while try cached.statement.step() {}
        return Int(sqlite3_changes64(connection.handle))
    }

    /// Reads every row.
    package func rows<Element>(_ sql: SQL, _ read: (borrowing Row) throws -> Element) throws -> [Element] {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        var elements: [Element] = []
        while try cached.statement.step() {
            elements.append(try read(Row(of: cached.statement)))
        }
        return elements
    }

    /// Reads the first row; `nil` where there is none.
    package func row<Element>(_ sql: SQL, _ read: (borrowing Row) throws -> Element) throws -> Element? {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        guard try cached.statement.step() else { return nil }
        let element = try read(Row(of: cached.statement))
        // To its end, for a statement that writes and returns what it wrote.
        while try cached.statement.step() {}
        return element
    }

    /// The first column of the first row; `nil` where there is no row.
    package func value<Value: SQLConvertible>(_ sql: SQL) throws -> Value? {
        try row(sql) { row throws(SQLiteError) in try row[0] as Value }
    }

    /// The id that an `INSERT … RETURNING` gives.
    package func inserted(_ sql: SQL) throws -> Int64 {
        guard let id: Int64 = try value(sql) else { throw SQLiteError.unmet("no row was written", statement: sql.text) }
        return id
    }

    /// The first column of every row.
    package func values<Value: SQLConvertible>(_ sql: SQL) throws -> [Value] {
        try rows(sql) { row throws(SQLiteError) in try row[0] as Value }
    }

    /// Runs several statements that bind nothing.
    package func executeScript(_ text: String) throws(SQLiteError) {
        let result = sqlite3_exec(connection.handle, text, nil, nil, nil)
        try SQLiteError.check(result, on: connection.handle, statement: "script")
    }

    /// Runs `body` in a transaction that takes the right to write at once; undone where it throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        isRehearsal = false
        do {
            let result = try body()
            try execute(isRehearsal ? "ROLLBACK" : "COMMIT")
            return result
        } catch {
            // SQLite has rolled back by itself after some errors. Where this fails too, the first error says why, and
            // the next transaction cannot begin.
            if sqlite3_get_autocommit(connection.handle) == 0 { _ = try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Ends the transaction that runs without keeping anything of it; its result is returned all the same.
    package func rehearse() { isRehearsal = true }

    /// Takes a statement out of the cache, so that a nested use of the same text gets one of its own.
    private func checkOut(_ sql: SQL) throws(SQLiteError) -> CachedStatement {
        let cached: CachedStatement
        if let known = idle.removeValue(forKey: sql.text) {
            cached = known
        } else {
            cached = CachedStatement(try Statement(sql.text, on: connection))
        }
        try cached.statement.bind(sql.values)
        return cached
    }

    private func checkIn(_ cached: CachedStatement) {
        cached.statement.reset()
        idle[cached.statement.text] = cached
    }
}

/// A place for a statement in a dictionary, which holds copyable values alone.
private final class CachedStatement {
    let statement: Statement

    init(_ statement: consuming Statement) { self.statement = statement }
}

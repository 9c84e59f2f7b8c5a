import CSQLite

/// A database connection with its prepared statements and transactions.
///
/// Belongs to an actor, which uses it from one thread at a time.
package final class Database {
    private let connection: Connection
    /// The prepared statements by text; their number is bounded by the program's statements.
    private var idle: [String: CachedStatement] = [:]
    /// Whether the current transaction is rolled back at its end although it succeeds.
    private var isRehearsal = false

    /// The location of a database.
    package enum Location: Sendable {
        case memory
        /// A file, created if it is missing.
        case file(String)
    }

    /// Opens a database with a write-ahead log, a sync for each commit, enforced foreign keys, and deleted data
    /// overwritten.
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
        // SQLite keeps another mode without an error if the file system does not support the log's index.
        let mode: String? = try value("PRAGMA journal_mode = WAL")
        guard mode == "wal" || mode == "memory" else {
            throw SQLiteError.unmet("the file system takes no write-ahead log", statement: "PRAGMA journal_mode")
        }
    }

    /// Runs a statement without result rows; returns the number of rows it wrote.
    @discardableResult
    package func execute(_ sql: SQL) throws(SQLiteError) -> Int {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        while try cached.statement.step() {}
        return Int(sqlite3_changes64(connection.handle))
    }

    /// Reads all rows.
    package func rows<Element>(_ sql: SQL, _ read: (borrowing Row) throws -> Element) throws -> [Element] {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        var elements: [Element] = []
        while try cached.statement.step() {
            elements.append(try read(Row(of: cached.statement)))
        }
        return elements
    }

    /// Reads the first row; returns `nil` if there is none.
    package func row<Element>(_ sql: SQL, _ read: (borrowing Row) throws -> Element) throws -> Element? {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        guard try cached.statement.step() else { return nil }
        let element = try read(Row(of: cached.statement))
        // Runs to its end, for a statement that writes rows and returns them.
        while try cached.statement.step() {}
        return element
    }

    /// Returns the first column of the first row, or `nil` if there is no row.
    package func value<Value: SQLConvertible>(_ sql: SQL) throws -> Value? {
        try row(sql) { row throws(SQLiteError) in try row[0] as Value }
    }

    /// Returns the id of an `INSERT … RETURNING`.
    package func inserted(_ sql: SQL) throws -> Int64 {
        guard let id: Int64 = try value(sql) else { throw SQLiteError.unmet("no row was written", statement: sql.text) }
        return id
    }

    /// Returns the first column of all rows.
    package func values<Value: SQLConvertible>(_ sql: SQL) throws -> [Value] {
        try rows(sql) { row throws(SQLiteError) in try row[0] as Value }
    }

    /// Runs several statements without bound values.
    package func executeScript(_ text: String) throws(SQLiteError) {
        let result = sqlite3_exec(connection.handle, text, nil, nil, nil)
        try SQLiteError.check(result, on: connection.handle, statement: "script")
    }

    /// Runs `body` in a transaction that locks the database for writing at once; rolls back if it throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        isRehearsal = false
        do {
            let result = try body()
            try execute(isRehearsal ? "ROLLBACK" : "COMMIT")
            return result
        } catch {
            // SQLite rolls back by itself after some errors. If this fails too, the first error shows the cause, and
            // the next transaction cannot begin.
            if sqlite3_get_autocommit(connection.handle) == 0 { _ = try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Rolls the current transaction back at its end; the transaction still returns its result.
    package func rehearse() { isRehearsal = true }

    /// Removes a statement from the cache, so that a nested use of the same text gets another one.
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

/// A box for a statement, because dictionaries only hold copyable values.
private final class CachedStatement {
    let statement: Statement

    init(_ statement: consuming Statement) { self.statement = statement }
}

import CSQLite

/// A database in a file or in memory, with its prepared statements.
final class SQLiteEngine: SQLEngine {
    private let connection: Connection
    /// The prepared statements by text; their number is bounded by the program's statements.
    private var idle: [String: CachedStatement] = [:]

    var dialect: SQLDialect { .sqlite }

    /// The lock of the data directory excludes other servers.
    var isOwner: Bool { true }

    var isShared: Bool { false }

    /// A file has one connection until the program ends.
    var sessionNumber: Int { 1 }

    var isInTransaction: Bool { sqlite3_get_autocommit(connection.handle) == 0 }

    /// Opens a database with a write-ahead log, a sync for each commit, enforced foreign keys, and deleted data
    /// overwritten.
    ///
    /// - Parameter path: A file, created if it is missing, or `:memory:`.
    init(path: String) throws {
        connection = try Connection(path: path)
        try executeScript(
            """
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA secure_delete = ON;
            PRAGMA cache_size = -16384;
            """)
        // SQLite keeps another mode without an error if the file system does not support the log's index.
        var mode: String?
        _ = try run("PRAGMA journal_mode = WAL") { row in
            mode = try row[0]
            return false
        }
        guard mode == "wal" || mode == "memory" else {
            throw DatabaseError.unmet("the file system takes no write-ahead log", statement: "PRAGMA journal_mode")
        }
    }

    func run(_ sql: SQL, _ read: (borrowing Row) throws -> Bool) throws -> Int {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        var isReading = true
        // Runs to its end, for a statement that writes rows and returns them.
        while try cached.statement.step() {
            if isReading { isReading = try read(Row(SQLiteRow(of: cached))) }
        }
        return Int(sqlite3_changes64(connection.handle))
    }

    func execute(_ sql: SQL) throws(DatabaseError) -> Int {
        let cached = try checkOut(sql)
        defer { checkIn(cached) }
        while try cached.statement.step() {}
        return Int(sqlite3_changes64(connection.handle))
    }

    func executeAll(_ statements: some Sequence<SQL>) throws(DatabaseError) -> [Int] {
        var counts: [Int] = []
        for statement in statements { counts.append(try execute(statement)) }
        return counts
    }

    func executeScript(_ text: String) throws(DatabaseError) {
        let result = sqlite3_exec(connection.handle, text, nil, nil, nil)
        try DatabaseError.check(result, on: connection.handle, statement: "script")
    }

    func begin() throws(DatabaseError) { _ = try execute("BEGIN IMMEDIATE") }

    func commit() throws(DatabaseError) { _ = try execute("COMMIT") }

    func rollback() throws(DatabaseError) { _ = try execute("ROLLBACK") }

    func forgetTransaction() {}

    /// Does nothing: the connection to a file lasts as long as the engine.
    func pinIdentity(_ identity: SQL) {}

    /// Removes a statement from the cache, so that a nested use of the same text gets another one.
    private func checkOut(_ sql: SQL) throws(DatabaseError) -> CachedStatement {
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

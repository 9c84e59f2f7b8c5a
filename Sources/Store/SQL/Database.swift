import Domain

/// A database connection with its transactions; the queries of the store run on either kind of database.
///
/// Belongs to an actor, which uses it from one thread at a time.
package final class Database {
    private let engine: any SQLEngine
    /// The latest timeline that sessions with a server of PostgreSQL have found.
    let timelines: LatestTimeline?
    /// The hashing of audit entries; `nil` for a connection that appends none.
    var cryptography: (any Cryptography)?
    /// Whether the current transaction is rolled back at its end although it succeeds.
    private var isRehearsal = false

    /// The location of a database.
    package enum Location: Sendable {
        case memory
        /// A file of SQLite, created if it is missing.
        case file(String)
        case postgreSQL(PostgreSQLAddress)
    }

    /// Opens a database; a server of PostgreSQL has to be reachable.
    package init(_ location: Location) throws {
        switch location {
        case .memory: (engine, timelines) = (try SQLiteEngine(path: ":memory:"), nil)
        case .file(let path): (engine, timelines) = (try SQLiteEngine(path: path), nil)
        case .postgreSQL(let address):
            let engine = try PostgreSQLEngine(address)
            (self.engine, timelines) = (engine, engine.timelines)
        }
    }

    /// The dialect of SQL that the database understands.
    package var dialect: SQLDialect { engine.dialect }

    /// Whether other nodes change the database as well.
    var isShared: Bool { engine.isShared }

    /// The number of the current session, which holds the locks of this server.
    var sessionNumber: Int { engine.sessionNumber }

    /// The end of a statement that wrote a row, by which other nodes learn of the change once it is committed.
    var announcement: SQL { isShared ? "RETURNING pg_notify('larder', '')" : "" }

    /// Runs a statement without result rows; returns the number of rows it wrote.
    @discardableResult
    package func execute(_ sql: SQL) throws(DatabaseError) -> Int { try engine.execute(sql) }

    /// Runs statements without result rows in order, in fewer round trips to a server than one for each; returns the
    /// number of rows that each wrote.
    @discardableResult
    package func executeAll(_ statements: some Sequence<SQL>) throws(DatabaseError) -> [Int] {
        try engine.executeAll(statements)
    }

    /// Reads all rows.
    package func rows<Element>(_ sql: SQL, _ read: (borrowing Row) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try engine.run(sql) { row in
            elements.append(try read(row))
            return true
        }
        return elements
    }

    /// Passes each row to `read`.
    package func each(_ sql: SQL, _ read: (borrowing Row) throws -> Void) throws {
        try engine.run(sql) { row in
            try read(row)
            return true
        }
    }

    /// Reads the first row; returns `nil` if there is none.
    package func row<Element>(_ sql: SQL, _ read: (borrowing Row) throws -> Element) throws -> Element? {
        var element: Element?
        try engine.run(sql) { row in
            element = try read(row)
            return false
        }
        return element
    }

    /// Returns the first column of the first row, or `nil` if there is no row.
    package func value<Value: SQLConvertible>(_ sql: SQL) throws -> Value? {
        try row(sql) { row throws(DatabaseError) in try row[0] as Value }
    }

    /// Returns the id of an `INSERT … RETURNING`.
    package func inserted(_ sql: SQL) throws -> Int64 {
        guard let id: Int64 = try value(sql) else {
            throw DatabaseError.unmet("no row was written", statement: sql.text)
        }
        return id
    }

    /// Returns the first column of all rows.
    package func values<Value: SQLConvertible>(_ sql: SQL) throws -> [Value] {
        try rows(sql) { row throws(DatabaseError) in try row[0] as Value }
    }

    /// Runs several statements without bound values.
    package func executeScript(_ text: String) throws(DatabaseError) { try engine.executeScript(text) }

    /// Runs `body` in a transaction that no other writer interrupts; rolls back if it throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try engine.begin()
        isRehearsal = false
        do {
            let result = try body()
            if isRehearsal { try engine.rollback() } else { try engine.commit() }
            return result
        } catch {
            // Some errors end the transaction. If this fails too, the first error shows the cause.
            if engine.isInTransaction { try? engine.rollback() }
            engine.forgetTransaction()
            throw error
        }
    }

    /// Rolls the current transaction back at its end; the transaction still returns its result.
    package func rehearse() { isRehearsal = true }

    /// Stores the identity of the data.
    ///
    /// A later connection to other data fails, and so does one to data that another owner has used. If several servers
    /// change the data, each transaction checks the identity.
    func pinIdentity() throws {
        // A file has one connection until the program ends.
        guard dialect == .postgreSQL else { return }
        if engine.isOwner || isShared { try countStart() }
        let starts: SQL = "coalesce((SELECT number FROM last_numbers WHERE name = 'starts'), 0)"
        // A move ends the use of the data by nodes, which may have been cut off when it began.
        let move: SQL = "coalesce(to_regclass('larder_move')::text, '')"
        let suffix: SQL = isShared ? "|| ' ' || \(move)" : "|| ' ' || \(starts)"
        try engine.pinIdentity("SELECT epoch || ' ' || (SELECT max(number) FROM migrations) \(suffix) FROM meta")
    }

    /// Counts the starts of owners, whose memory is only valid until the next one.
    private func countStart() throws {
        _ = try transaction {
            try execute(
                """
                INSERT INTO last_numbers (name, number) VALUES ('starts', 1)
                ON CONFLICT (name) DO UPDATE SET number = last_numbers.number + 1
                """)
        }
    }
}

import Glibc

/// A database on a server of PostgreSQL, which one owner uses at a time.
///
/// A lost connection fails the statement in progress. The next transaction connects again; a statement whose effect is
/// unknown is never repeated.
final class PostgreSQLEngine: SQLEngine {
    private let address: PostgreSQLAddress
    /// The session; `nil` after its connection was lost.
    private var session: PostgreSQLSession?
    /// Whether the connection was lost in the current transaction, which has to end before another statement runs.
    private var isTransactionLost = false
    /// The statement that tells databases apart, and its value at the start.
    private var identity: (statement: SQL, value: String)?
    /// The last failure to connect, and the instant until which it is not tried again.
    private var failure: (error: DatabaseError, until: ContinuousClock.Instant)?

    /// The time between two attempts to connect, so that calls do not queue up behind a server that is unreachable.
    private static let retryDelay: Duration = .seconds(1)
    /// The number of statements that are sent before their results are read.
    private static let batchCount = 500
    /// The first key of the advisory lock of the owner: the letters `lard`.
    private static let lockKey: Int64 = 0x6c61_7264

    var dialect: SQLDialect { .postgreSQL }

    var isInTransaction: Bool { session?.isInTransaction ?? false }

    /// Connects, and becomes the owner of the database unless the address states otherwise.
    init(_ address: PostgreSQLAddress) throws {
        self.address = address
        session = try connect(waiting: address.ownerPatience)
    }

    func run(_ sql: SQL, _ read: (borrowing Row) throws -> Bool) throws -> Int {
        let rows = try result(of: sql)
        for index in 0..<rows.count {
            guard try read(Row(PostgreSQLRow(index, of: rows))) else { break }
        }
        return rows.affected
    }

    func execute(_ sql: SQL) throws(DatabaseError) -> Int { try result(of: sql).affected }

    func executeAll(_ statements: some Sequence<SQL>) throws(DatabaseError) -> [Int] {
        var counts: [Int] = []
        var batch: [SQL] = []
        for statement in statements {
            batch.append(statement)
            if batch.count == Self.batchCount {
                counts += try watching { (session) throws(DatabaseError) in try session.runAll(batch) }
                batch.removeAll(keepingCapacity: true)
            }
        }
        guard !batch.isEmpty else { return counts }
        return counts + (try watching { (session) throws(DatabaseError) in try session.runAll(batch) })
    }

    func executeScript(_ text: String) throws(DatabaseError) {
        try watching { (session) throws(DatabaseError) in
            if session.isInTransaction {
                _ = try session.send(
                    "SET LOCAL statement_timeout = '\(PostgreSQLSession.scriptLimit.components.seconds)s'",
                    within: PostgreSQLSession.statementLimit)
            }
            _ = try session.send(text, within: PostgreSQLSession.scriptLimit)
        }
    }

    /// Begins a transaction, with a new connection if the previous one was lost.
    ///
    /// Nothing else writes to the database, so that each statement may see what was committed before it.
    func begin() throws(DatabaseError) {
        isTransactionLost = false
        do {
            try beginOnce()
        } catch  where error.code == .unavailable && session == nil && failure == nil {
            // The server was restarted while the connection was idle; the transaction has no statement yet.
            try beginOnce()
        }
    }

    private func beginOnce() throws(DatabaseError) {
        try watching { (session) throws(DatabaseError) in
            _ = try session.send(
                "BEGIN ISOLATION LEVEL READ COMMITTED", within: PostgreSQLSession.statementLimit)
        }
    }

    func commit() throws(DatabaseError) {
        let rows = try watching { (session) throws(DatabaseError) in
            try session.send("COMMIT", within: PostgreSQLSession.statementLimit)
        }
        // The command of a transaction in which a statement failed.
        guard rows.command == "COMMIT" else {
            throw .unmet("a statement of the transaction had failed", statement: "COMMIT")
        }
    }

    func rollback() throws(DatabaseError) {
        _ = try watching { (session) throws(DatabaseError) in
            try session.send("ROLLBACK", within: PostgreSQLSession.statementLimit)
        }
    }

    func remember(_ identity: SQL) throws {
        guard let value = try text(of: result(of: identity)) else {
            throw DatabaseError.unmet("the database has no epoch", statement: identity.text)
        }
        self.identity = (identity, value)
    }

    private func result(of sql: SQL) throws(DatabaseError) -> PostgreSQLRows {
        try watching { (session) throws(DatabaseError) in try session.run(sql) }
    }

    /// Calls `body` with the session, connecting if there is none, and drops the session if its connection fails.
    private func watching<Result>(
        _ body: (PostgreSQLSession) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        guard !isTransactionLost else {
            throw .lost("the connection was lost in this transaction", statement: "statement")
        }
        let current = try currentSession()
        let wasInTransaction = current.isInTransaction
        do throws(DatabaseError) {
            return try body(current)
        } catch {
            // A deadline leaves a statement on its way, so that the connection cannot be used any more.
            if error.code == .unavailable || !current.isAlive {
                session = nil
                isTransactionLost = wasInTransaction
            }
            throw error
        }
    }

    /// Returns the session, and connects if there is none.
    private func currentSession() throws(DatabaseError) -> PostgreSQLSession {
        if let session { return session }
        if let failure, ContinuousClock.now < failure.until { throw failure.error }
        do throws(DatabaseError) {
            let made = try connect(waiting: .zero)
            session = made
            failure = nil
            return made
        } catch {
            // To a request, another owner is a failure of the store; only a start names it.
            let cause = error.code == .inUse ? DatabaseError.lost(error.message, statement: "connect") : error
            failure = (cause, .now + Self.retryDelay)
            throw cause
        }
    }

    /// Connects, becomes the owner, and checks that the database is the one of the start.
    private func connect(waiting patience: Duration) throws(DatabaseError) -> PostgreSQLSession {
        let session = try PostgreSQLSession(to: address)
        if address.isOwner { try own(session, waiting: patience) }
        if let identity, try text(of: session.run(identity.statement)) != identity.value {
            throw .unmet(
                "\(address) was replaced or migrated since the start: restart the server", statement: "connect")
        }
        return session
    }

    /// Takes the advisory lock that excludes another server; the end of the session releases it.
    private func own(_ session: PostgreSQLSession, waiting patience: Duration) throws(DatabaseError) {
        let lock: SQL = "SELECT pg_try_advisory_lock(\(Self.lockKey)::int, hashtext(current_schema()))::text"
        let end = ContinuousClock.now + patience
        while true {
            guard let isOwned = try text(of: session.run(lock)) else {
                throw .unmet("no schema of the search path exists", statement: lock.text)
            }
            if isOwned == "true" { return }
            guard ContinuousClock.now < end else { break }
            usleep(100_000)
        }
        let owner: SQL = """
            SELECT 'process ' || locks.pid || coalesce(' from ' || host(client_addr), '')
                || coalesce(', connected since ' || to_char(backend_start, 'YYYY-MM-DD HH24:MI:SS "UTC"'), '')
            FROM pg_locks AS locks LEFT JOIN pg_stat_activity AS sessions ON sessions.pid = locks.pid
            WHERE locktype = 'advisory' AND granted AND classid = \(Self.lockKey)
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            LIMIT 1
            """
        let holder = try text(of: session.run(owner)) ?? "another process"
        throw DatabaseError(
            code: .inUse, origin: "PostgreSQL",
            message: "The database \(address) is in use by another server: \(holder).", statement: "connect")
    }

    /// Returns the text in the first column of the first row.
    private func text(of rows: PostgreSQLRows) throws(DatabaseError) -> String? {
        guard rows.count > 0 else { return nil }
        return try Row(PostgreSQLRow(0, of: rows))[0]
    }
}

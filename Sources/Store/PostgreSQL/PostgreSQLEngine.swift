import Glibc

/// A database on a server of PostgreSQL, which one owner uses at a time, or several servers.
///
/// A lost connection fails the statement in progress. The next transaction connects again; a statement whose effect is
/// unknown is never repeated. A connection of an owner to data that another server may have changed fails, since the
/// program has read its data at the start. The transactions of several servers run one after the other (decision 0064).
final class PostgreSQLEngine: SQLEngine {
    private let address: PostgreSQLAddress
    /// The session; `nil` after its connection was lost.
    private var session: PostgreSQLSession?
    private(set) var sessionNumber = 0
    /// Whether the connection was lost in the current transaction; until it ends, statements fail.
    private var isTransactionLost = false
    /// The statement that identifies the data, and its value at the start.
    private var identity: (statement: SQL, value: String)?
    /// The last session of this server, which may still have its locks.
    private var owner: PostgreSQLSession.Process?
    /// The timeline of the session's server; `nil` for a session that only reads, which takes any server.
    private var timeline: Int64?
    /// The latest timeline that this program has used; another session may find a later one.
    let timelines = LatestTimeline()
    /// The last failure to connect, and the instant until which it is not tried again.
    private var lastConnectFailure: (error: DatabaseError, until: ContinuousClock.Instant)?

    /// The time between two attempts to connect, so that calls do not queue up behind a server that is unreachable.
    private static let retryDelay: Duration = .seconds(1)
    /// The time that a connection after the start waits for the lock of the owner.
    private static let reconnectPatience: Duration = .milliseconds(200)
    /// The number of statements that are sent before their results are read.
    private static let batchCount = 500

    var dialect: SQLDialect { .postgreSQL }

    var isOwner: Bool { address.access == .exclusive }

    var isShared: Bool { address.access == .shared }

    var isInTransaction: Bool { session?.isInTransaction ?? false }

    /// Connects, and excludes other servers as the address states.
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
                counts += try withSession { (session) throws(DatabaseError) in try session.runAll(batch) }
                batch.removeAll(keepingCapacity: true)
            }
        }
        guard !batch.isEmpty else { return counts }
        return counts + (try withSession { (session) throws(DatabaseError) in try session.runAll(batch) })
    }

    func executeScript(_ text: String) throws(DatabaseError) {
        try withSession { (session) throws(DatabaseError) in
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
    /// `READ COMMITTED` suffices: locks exclude other writers.
    func begin() throws(DatabaseError) {
        isTransactionLost = false
        // PostgreSQL would continue the open transaction with a warning.
        guard !isInTransaction else { throw .unmet("a transaction is open", statement: "BEGIN") }
        do {
            try beginOnce()
        } catch {
            guard error.code == .unavailable, session == nil, lastConnectFailure == nil else { throw error }
            // The server was restarted while the connection was idle; the transaction has no statement yet.
            try beginOnce()
        }
    }

    private func beginOnce() throws(DatabaseError) {
        let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"
        guard isShared else {
            _ = try withSession { (session) throws(DatabaseError) in
                try session.send(begin, within: PostgreSQLSession.promptLimit)
            }
            return
        }
        do throws(DatabaseError) {
            try beginShared(begin)
        } catch {
            // A failed lock leaves the transaction open.
            if isInTransaction { try? rollback() }
            throw error
        }
    }

    /// Begins a transaction that runs after those of the other servers, in one round trip.
    ///
    /// The identity is read by a statement of its own after the lock, so that it sees what the last transaction wrote.
    private func beginShared(_ begin: String) throws(DatabaseError) {
        var script = "\(begin); SELECT \(AdvisoryLock.transactions.taking)"
        if let identity { script += "; \(identity.statement.text)" }
        let rows = try withSession { (session) throws(DatabaseError) in
            try session.send(script, within: PostgreSQLSession.statementLimit)
        }
        guard let identity, let value = try rows.firstText(), value != identity.value else { return }
        let (known, found) = (DataIdentity(identity.value), DataIdentity(value))
        guard known.epoch == found.epoch else { throw Self.replaced }
        throw known.move == found.move ? .outdated(statement: "BEGIN") : Self.moved
    }

    /// The error of a connection to other data than at the start.
    private static let replaced = DatabaseError.unusable(
        "The database was replaced, migrated or used by another server since the start: restart the server.",
        statement: "connect")

    /// The error of a node that was cut off while its data were moved.
    private static let moved = DatabaseError.unusable(
        "The data of this installation were moved: serve the database or the data directory to which they were moved, and "
            + "stop this server.",
        statement: "BEGIN")

    func commit() throws(DatabaseError) {
        let rows = try withSession { (session) throws(DatabaseError) in
            try session.send("COMMIT", within: PostgreSQLSession.statementLimit)
        }
        // The command of a transaction in which a statement failed.
        guard rows.command == "COMMIT" else {
            throw .unmet("a statement of the transaction had failed", statement: "COMMIT")
        }
    }

    func rollback() throws(DatabaseError) {
        do throws(DatabaseError) {
            _ = try withSession { (session) throws(DatabaseError) in
                try session.send("ROLLBACK", within: PostgreSQLSession.statementLimit)
            }
        } catch {
            // The end of the session rolls the transaction back.
            session = nil
            throw error
        }
    }

    func forgetTransaction() { isTransactionLost = false }

    func pinIdentity(_ identity: SQL) throws {
        guard let value = try result(of: identity).firstText() else {
            throw DatabaseError.unmet("the database has no epoch", statement: identity.text)
        }
        self.identity = (identity, value)
    }

    private func result(of sql: SQL) throws(DatabaseError) -> PostgreSQLRows {
        try withSession { (session) throws(DatabaseError) in try session.run(sql) }
    }

    /// Calls `body` with the session, connecting if there is none, and drops the session if its connection fails.
    private func withSession<Result>(
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
        if let session {
            guard let timeline, timeline < timelines.number else { return session }
            // Another session has found the successor of a former primary, whose commits would be lost.
            self.session = nil
            guard !session.isInTransaction else {
                isTransactionLost = true
                throw .lost("the server is a former primary, whose standby was promoted", statement: "timeline")
            }
        }
        if let last = lastConnectFailure, ContinuousClock.now < last.until { throw last.error }
        do throws(DatabaseError) {
            let made = try connect(waiting: Self.reconnectPatience)
            session = made
            lastConnectFailure = nil
            return made
        } catch {
            // A request reports another owner as `storage-unavailable`; `inUse` is an error of the start only.
            let cause = error.code == .inUse ? DatabaseError.lost(error.message, statement: "connect") : error
            lastConnectFailure = (cause, .now + Self.retryDelay)
            throw cause
        }
    }

    /// Connects, becomes the owner, and checks that the data are those of the start.
    private func connect(waiting patience: Duration) throws(DatabaseError) -> PostgreSQLSession {
        let session: PostgreSQLSession
        if address.access == .reader {
            session = try PostgreSQLSession(to: address)
        } else {
            let primary = try PrimarySession(of: address, timelines)
            (session, timeline) = (primary.session, primary.timeline)
            owner = try session.takeOwnership(of: address, replacing: owner, waiting: patience)
        }
        // With several servers, each transaction reads the identity.
        if !isShared, let identity, try session.run(identity.statement).firstText() != identity.value {
            throw Self.replaced
        }
        sessionNumber += 1
        return session
    }
}

/// The identity of the data as nodes read it in each transaction; see ``Database/pinIdentity()``.
private struct DataIdentity {
    let epoch: Substring
    /// The mark of a move; empty without one.
    let move: Substring

    /// - Parameter text: The epoch, the schema and the mark, with a space after each of the first two.
    init(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        epoch = parts.first ?? ""
        move = parts.count > 2 ? parts[2] : ""
    }
}

/// A connection to one kind of database, which ``Database`` uses from one thread at a time.
protocol SQLEngine: AnyObject {
    var dialect: SQLDialect { get }

    /// Whether the connection excludes other servers.
    var isOwner: Bool { get }

    /// Whether other nodes change the database as well.
    var isShared: Bool { get }

    /// The number of the current or last session; a reconnection increments it.
    ///
    /// Locks of a session end with it, so they are held only while the number stays the same.
    var sessionNumber: Int { get }

    /// Whether a transaction is open; some errors end it.
    var isInTransaction: Bool { get }

    /// Runs a statement to its end, passes each result row to `read`, and returns the number of rows it wrote.
    ///
    /// Rows are passed until `read` returns `false`. Throws ``DatabaseError``, or an error of `read`.
    @discardableResult
    func run(_ sql: SQL, _ read: (borrowing Row) throws -> Bool) throws -> Int

    /// Runs a statement, discards its result rows, and returns the number of rows it wrote.
    @discardableResult
    func execute(_ sql: SQL) throws(DatabaseError) -> Int

    /// Runs statements in order, in few round trips to a server, and returns the number of rows that each wrote.
    func executeAll(_ statements: some Sequence<SQL>) throws(DatabaseError) -> [Int]

    /// Runs several statements without bound values.
    func executeScript(_ text: String) throws(DatabaseError)

    /// Opens a transaction that no other writer interrupts.
    func begin() throws(DatabaseError)

    /// Commits the transaction, durably.
    ///
    /// After the error `unavailable` the outcome is unknown; after any other error nothing is committed.
    func commit() throws(DatabaseError)

    /// Rolls the transaction back.
    ///
    /// After an error of a database server, the end of the session rolls it back.
    func rollback() throws(DatabaseError)

    /// Notes that a failed transaction has ended: the next statement may connect again.
    func forgetTransaction()

    /// Stores the identity of the data.
    ///
    /// A later connection to other data fails.
    ///
    /// - Parameter identity: A statement with one row and column of text that identifies the data.
    func pinIdentity(_ identity: SQL) throws
}

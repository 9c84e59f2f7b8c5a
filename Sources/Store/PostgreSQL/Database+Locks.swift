import Domain
import Glibc

/// Locks of the session, which end with it at the latest.
extension Database {
    /// The time between two attempts to take the lock of migrations.
    private static let migrationDelay: Duration = .milliseconds(100)
    /// The time after which a session without a statement is taken for that of a stopped server.
    ///
    /// A server that works uses its session every three seconds (``NodeLease``).
    static let silence: Duration = .seconds(10)

    /// Runs `body` while no other server migrates the database; waits for one that does.
    ///
    /// Blocks.
    func migrating<Result>(_ body: () throws -> Result) throws -> Result {
        guard isShared else { return try body() }
        let key = AdvisoryLock.migrations.rawValue
        let lock: SQL = "SELECT pg_try_advisory_lock(\(key)::int, hashtext(current_schema()))"
        let end = ContinuousClock.now + PostgreSQLSession.scriptLimit
        while try value(lock) != true {
            guard ContinuousClock.now < end else {
                throw DatabaseError(
                    code: .timedOut, origin: "PostgreSQL",
                    message: "another server has been migrating the database for too long", statement: lock.text)
            }
            usleep(UInt32(Self.migrationDelay / .microseconds(1)))
        }
        let result = try body()
        try execute("SELECT pg_advisory_unlock(\(key)::int, hashtext(current_schema()))")
        return result
    }

    /// Tries to take the lock of an app's changes; returns whether this session has it now.
    func tryLockChanges(of app: AppID) throws -> Bool {
        try value("SELECT pg_try_advisory_lock(\(Self.key(of: app)))") ?? false
    }

    /// Releases the lock of an app's changes.
    func unlockChanges(of app: AppID) throws {
        try execute("SELECT pg_advisory_unlock(\(Self.key(of: app)))")
    }

    /// Ends the session that has the lock of an app's changes if its server has stopped working.
    ///
    /// Its transactions then fail. A stopped process would keep the lock until it continues.
    func endSilentHolder(of app: AppID) throws {
        try execute(
            """
            SELECT pg_terminate_backend(sessions.pid) FROM \(Self.otherHolder(of: app)) AND state = 'idle'
                AND state_change < clock_timestamp() - make_interval(secs => \(Self.silence.components.seconds))
            """)
    }

    /// Returns the name of the server whose session has the lock of an app's changes; `nil` if there is none.
    func changeHolder(of app: AppID) throws -> String? {
        let name: String? = try value(
            "SELECT application_name FROM \(Self.otherHolder(of: app)) AND application_name <> ''")
        guard let name, name.hasPrefix(ServerName.prefix) else { return name }
        return String(name.dropFirst(ServerName.prefix.count))
    }

    /// Returns the table of the other session that has the lock of an app's changes, for `FROM`, with its condition.
    private static func otherHolder(of app: AppID) -> SQL {
        """
        pg_locks AS locks JOIN pg_stat_activity AS sessions ON sessions.pid = locks.pid
        WHERE locktype = 'advisory' AND granted AND objsubid = 2
            AND classid::bigint = \(AdvisoryLock.changes.rawValue)
            AND objid::bigint = \(hash(of: app))::bigint & 4294967295
            AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND sessions.pid <> pg_backend_pid()
        """
    }

    private static func key(of app: AppID) -> SQL { "\(AdvisoryLock.changes.rawValue)::int, \(hash(of: app))" }

    private static func hash(of app: AppID) -> SQL { "hashtext(current_schema() || ' ' || \(app))" }
}

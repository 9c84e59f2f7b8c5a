import Glibc

extension PostgreSQLSession {
    /// The server process of a session.
    struct Process {
        let id: Int64
        /// The start in seconds since 1970 as a decimal text, since ids of processes are used again.
        let startedAt: String
    }

    /// The time between two attempts to take the lock.
    private static let lockDelay: Duration = .milliseconds(100)

    /// Takes the advisory lock that excludes other servers, and returns the process of this session.
    ///
    /// Servers that share the database take the lock in shared mode, so that they exclude an exclusive owner. The end of
    /// the session releases the lock. Throws `inUse` if another session has it.
    ///
    /// - Parameters:
    ///   - last: The last session of this server; it is ended if it still exists and may have locks, because PostgreSQL
    ///     may not have detected the loss of its connection.
    ///   - patience: The time to wait for the lock.
    func takeOwnership(
        of address: PostgreSQLAddress, replacing last: Process?, waiting patience: Duration
    ) throws(DatabaseError) -> Process {
        let key = AdvisoryLock.owner.rawValue
        let isShared = address.access == .shared
        let lock: SQL =
            isShared
            ? "SELECT pg_try_advisory_lock_shared(\(key)::int, hashtext(current_schema()))::text"
            : "SELECT pg_try_advisory_lock(\(key)::int, hashtext(current_schema()))::text"
        let end = ContinuousClock.now + patience
        var isLastEnded = false
        // The shared lock does not show whether the last session still has locks of changes.
        if isShared, let last {
            isLastEnded = true
            try self.end(last)
        }
        while true {
            guard let isOwned = try run(lock).firstText() else {
                throw .unusable(
                    "No schema of the search path exists, or the role may not use it. Create the schema, grant its use "
                        + "to the role, or change search_path.",
                    statement: lock.text)
            }
            if isOwned == "true" { return try process() }
            if let last, !isLastEnded {
                isLastEnded = true
                try self.end(last)
                continue
            }
            guard ContinuousClock.now < end else { throw try inUse(address) }
            usleep(UInt32(Self.lockDelay / .microseconds(1)))
        }
    }

    /// Ends a session of this server if it still exists.
    private func end(_ last: Process) throws(DatabaseError) {
        _ = try run(
            """
            SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
            WHERE pid = \(last.id) AND extract(epoch FROM backend_start)::text = \(last.startedAt)
            """)
    }

    private func process() throws(DatabaseError) -> Process {
        let rows = try run(
            """
            SELECT pid::bigint, extract(epoch FROM backend_start)::text FROM pg_stat_activity
            WHERE pid = pg_backend_pid()
            """)
        guard rows.count > 0 else { throw .unmet("the session has no process", statement: "connect") }
        let row = Row(PostgreSQLRow(0, of: rows))
        return Process(id: try row[0], startedAt: try row[1])
    }

    /// Returns the error that names the session with the lock.
    private func inUse(_ address: PostgreSQLAddress) throws(DatabaseError) -> DatabaseError {
        // `pg_locks` shows the keys as numbers without a sign.
        let holder: SQL = """
            SELECT 'PostgreSQL session ' || locks.pid || coalesce(' from ' || host(client_addr), '')
                || coalesce(', connected since ' || to_char(backend_start, 'YYYY-MM-DD HH24:MI:SS "UTC"'), '')
            FROM pg_locks AS locks LEFT JOIN pg_stat_activity AS sessions ON sessions.pid = locks.pid
            WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = \(AdvisoryLock.owner.rawValue)
                AND objid::bigint = hashtext(current_schema())::bigint & 4294967295
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        let name = try run(holder).firstText() ?? "another session"
        return DatabaseError(
            code: .inUse, origin: "PostgreSQL",
            message: address.access == .shared
                ? "The database \(address) is in use by a larder without --blobs: \(name). Stop that larder, or give "
                    + "another database."
                : "The database \(address) is in use by another larder: \(name). Stop that larder, or give another "
                    + "database.",
            statement: "connect")
    }

    /// Returns the timeline of the server, which each promotion of a standby increments; `nil` for a standby.
    func timeline() throws(DatabaseError) -> Int64? {
        let rows = try run(
            """
            SELECT CASE WHEN pg_is_in_recovery() THEN NULL
                ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END
            """)
        guard rows.count > 0 else { return nil }
        return try Row(PostgreSQLRow(0, of: rows))[0]
    }
}

package import Domain
import Execution
package import Ground

/// The lock of an app's changes with the facts that were read under it.
private struct HeldChanges: Sendable {
    let session: Int
    let revision: AppRevision
}

/// The time in which a node has changed an app without a pause.
struct ChangeStreak {
    var begun: ContinuousClock.Instant
    var ended: ContinuousClock.Instant
}

extension SQLStore: ChangeLock {
    /// The time that a change waits for those of other nodes.
    package static let changePatience: Duration = .seconds(10)
    /// The first and the longest pause between two attempts to take the lock of an app.
    private static let firstPause: Duration = .milliseconds(2)
    private static let longestPause: Duration = .milliseconds(25)
    /// The time for which a node may change an app without a pause, and that pause: more than ``longestPause``, so that
    /// another node gets the lock.
    private static let longestStreak: Duration = .milliseconds(100)
    private static let courtesy: Duration = .milliseconds(50)
    /// The pause that does not end a streak.
    private static let streakGap: Duration = .milliseconds(5)
    /// The time of waiting after which the holder is examined.
    private static let holderPatience: Duration = .seconds(1)

    package nonisolated func withChangesLocked<Result>(
        of app: AppID, _ body: (AppRevision) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let held = try await lockChanges(of: app)
        let outcome: Swift.Result<Result, PlatformError> = await TransactionFence.$session.withValue(held.session) {
            do throws(PlatformError) { return .success(try await body(held.revision)) } catch { return .failure(error) }
        }
        await unlockChanges(of: app, held)
        return try outcome.get()
    }

    private nonisolated func lockChanges(of app: AppID) async throws(PlatformError) -> HeldChanges {
        if await hasStreak(of: app) { await AsyncFlag().wait(upTo: Self.courtesy) }
        let start = ContinuousClock.now
        var pause = Self.firstPause
        var isRepeated = false
        while true {
            do throws(PlatformError) {
                if let held = try await tryLockChanges(of: app) { return held }
            } catch {
                // PostgreSQL was restarted while the connection was idle.
                guard error.code == .storageUnavailable, !isRepeated else { throw error }
                isRepeated = true
                continue
            }
            let waited = ContinuousClock.now - start
            guard waited < Self.changePatience, !Task.isCancelled else {
                let holder = await changeHolder(of: app).map { "The server '\($0)'" }
                throw PlatformError(
                    .busy,
                    "\(holder ?? "Another server of this installation") is changing the app '\(app)'. Try again in a "
                        + "moment.")
            }
            if waited > Self.holderPatience { try await endSilentHolder(of: app) }
            await AsyncFlag().wait(upTo: pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Whether other nodes have waited long enough; begins a new streak then.
    private func hasStreak(of app: AppID) -> Bool {
        let now = ContinuousClock.now
        guard let streak = changeStreaks[app], now - streak.ended < Self.streakGap else {
            changeStreaks[app] = ChangeStreak(begun: now, ended: now)
            return false
        }
        guard now - streak.begun > Self.longestStreak else { return false }
        changeStreaks[app] = nil
        return true
    }

    private func tryLockChanges(of app: AppID) throws(PlatformError) -> HeldChanges? {
        try PlatformError.storing {
            guard try database.tryLockChanges(of: app) else { return nil }
            // The next statement may connect again, without the lock.
            let session = database.sessionNumber
            do {
                let revision = try database.row("SELECT config_version, sequence FROM apps WHERE id = \(app)") { row in
                    AppRevision(configVersion: try row[0], sequence: try row[1])
                }
                return HeldChanges(session: session, revision: revision ?? .none)
            } catch {
                if database.sessionNumber == session { try? database.unlockChanges(of: app) }
                throw error
            }
        }
    }

    /// Returns the name of the server that changes an app; `nil` if it is unknown, for example because it has just ended.
    private func changeHolder(of app: AppID) -> String? { try? database.changeHolder(of: app) }

    private func endSilentHolder(of app: AppID) throws(PlatformError) {
        try PlatformError.storing { try database.endSilentHolder(of: app) }
    }

    /// Releases the lock; if that fails, the end of the session does.
    private func unlockChanges(of app: AppID, _ held: HeldChanges) {
        changeStreaks[app]?.ended = .now
        guard database.sessionNumber == held.session else { return }
        try? database.unlockChanges(of: app)
    }
}

extension SQLStore: LeaseStore {
    package func takeLease(
        _ name: String, for node: String, renewing token: LeaseToken?, lasting term: Duration
    ) throws(PlatformError) -> LeaseToken? {
        let number: Int64? = try transaction { database in
            let now = SQLDialect.storeTime
            let end: SQL = "\(now) + \(Int64(term / .milliseconds(1)))"
            return try database.value(
                """
                INSERT INTO leases AS known (name, node, token, expires_at) VALUES (\(name), \(node), 1, \(end))
                ON CONFLICT (name) DO UPDATE SET node = excluded.node, expires_at = excluded.expires_at,
                    token = CASE known.token WHEN \(token?.number ?? 0) THEN known.token ELSE known.token + 1 END
                WHERE known.token = \(token?.number ?? 0) OR known.expires_at <= \(now)
                RETURNING token
                """)
        }
        return number.map { LeaseToken(name: name, number: $0) }
    }

    package func releaseLease(_ token: LeaseToken) throws(PlatformError) {
        _ = try transaction { database in
            try database.execute(
                "UPDATE leases SET expires_at = 0 WHERE name = \(token.name) AND token = \(token.number)")
        }
    }
}

extension SQLStore: BlobRemovalStore {
    package func storeTime() throws(PlatformError) -> Timestamp {
        let time: Timestamp? = try transaction { try $0.value("SELECT \(SQLDialect.storeTime)") }
        guard let time else { throw PlatformError(.storageFailed, "The database did not return its time.") }
        return time
    }

    package func endRemovals(of digests: Set<SHA256Digest>, begunBy begun: Timestamp) throws(PlatformError) {
        try transaction { database in
            // After a failover, the clock of the database may be behind the beginning.
            let end = database.dialect.greater("begun_at", SQLDialect.storeTime)
            try database.executeAll(
                digests.lazy.map { digest in
                    "UPDATE blob_removals SET ended_at = \(end) WHERE digest = \(digest) AND begun_at <= \(begun)"
                })
            let kept = 2 * RemoteLimits.rememberedRemovalMilliseconds
            try database.execute("DELETE FROM blob_removals WHERE begun_at < \(SQLDialect.storeTime) - \(kept)")
        }
    }
}

extension SQLDialect {
    /// The current time of PostgreSQL in milliseconds, which progresses in a transaction.
    static let storeTime: SQL = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
}

extension Database {
    /// Throws if the grounds of a task's transaction are outdated; see ``TransactionFence``.
    func requireFence() throws {
        if let session = TransactionFence.session, session != sessionNumber {
            throw DatabaseError.lost("the lock of the app was lost with its session", statement: "BEGIN")
        }
        guard isShared, let lease = TransactionFence.lease else { return }
        let holder = try row("SELECT token, node FROM leases WHERE name = \(lease.name)") { row in
            (number: try row[0] as Int64, node: try row[1] as String)
        }
        guard holder?.number == lease.number else { throw PlatformError.leaseLost(to: holder?.node) }
    }
}

import Domain
import Execution
import Ground
import TestKit
import Testing

@testable import Store

/// Tests several stores on one database: what each commits holds for all, and what is outdated is refused.
@Suite(.scratchDirectory, .databases, .ownThread, .timeLimit(.minutes(5)))
struct NodeStoreTests {
    /// Returns the address of a new database for several servers.
    private func address() throws -> PostgreSQLAddress {
        guard case .postgreSQL(let address) = try DatabaseKind.postgresql.location() else { throw Unexpected() }
        return address.with(.shared)
    }

    private struct Unexpected: Error {}

    private func open(_ address: PostgreSQLAddress) throws -> SQLStore { try SQLStore(opening: .postgreSQL(address)) }

    private func connection(to address: PostgreSQLAddress) throws -> Database {
        try Database(.postgreSQL(address.with(.reader)))
    }

    /// Ends all sessions of stores.
    private func endSessions(by database: Database) throws {
        let ended: [Bool] = try database.values(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        #expect(!ended.isEmpty && ended.allSatisfy { $0 })
    }

    // MARK: Start

    @Test func `servers with a bucket exclude one without, and the other way round`() async throws {
        var shared = try address()
        shared.ownerPatience = .zero
        let exclusive = shared.with(.exclusive)
        do {
            let (one, two) = (try open(shared), try open(shared))
            let error = #expect(throws: PlatformError.self) { try open(exclusive) }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("in use by another larder") == true)
            try await one.check()
            try await two.check()
        }
        let isFree = try await freed(exclusive)
        try #require(isFree)
        let owner = try open(exclusive)
        let error = #expect(throws: PlatformError.self) { try open(shared) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("in use by a larder without --blobs") == true)
        try await owner.check()
    }

    /// Waits until no session has the lock of the owner.
    private func freed(_ address: PostgreSQLAddress) async throws -> Bool {
        let database = try connection(to: address)
        for _ in 0..<1_000 {
            let count: Int? = try database.value(
                """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
            if count == 0 { return true }
            await AsyncFlag().wait(upTo: .milliseconds(10))
        }
        return false
    }

    @Test func `of several servers that start on an empty database, one migrates it and all work`() async throws {
        guard case .postgreSQL(let blank) = try DatabaseKind.postgresql.blankLocation() else { throw Unexpected() }
        let address = blank.with(.shared)
        let stores = try await withThrowingTaskGroup(of: SQLStore.self) { group in
            for _ in 0..<4 { group.addTask { try SQLStore(opening: .postgreSQL(address)) } }
            return try await group.reduce(into: [SQLStore]()) { $0.append($1) }
        }
        #expect(Set(stores.map(\.epoch)).count == 1)
        for store in stores { try await store.check() }
        try await stores[0].addNews()
        #expect(try await stores[3].apps() == [Fixture.app])
    }

    // MARK: Transactions

    @Test func `a database that a newer server has migrated can no longer be changed`() async throws {
        let address = try address()
        let store = try open(address)
        try await store.addNews()
        try connection(to: address).execute(
            "INSERT INTO migrations (number, name, checksum) VALUES (999, '0999_later.sql', 1)")
        let error = await #expect(throws: PlatformError.self) {
            try await store.recordAudit(Fixture.audit("late", app: nil))
        }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("migrated by a newer node") == true)
        // Load balancers keep sending devices here.
        try await store.check()
        let count: Int? = try connection(to: address).value("SELECT count(*) FROM audit WHERE action = 'late'")
        #expect(count == 0)
    }

    @Test func `a server whose data were moved while it was cut off says so, and is not ready`() async throws {
        let address = try address()
        let store = try open(address)
        try await store.addNews()
        try connection(to: address).setMoveMark(MoveMark(state: .moved, epoch: store.epoch, other: "/there"))
        for _ in 0..<2 {
            let error = await #expect(throws: PlatformError.self) {
                try await store.recordAudit(Fixture.audit("late", app: nil))
            }
            // Reports that get this error are not spooled.
            #expect(error?.code == .storageFailed)
            #expect(error?.message.contains("were moved") == true)
            try endSessions(by: connection(to: address))
        }
        let error = await #expect(throws: PlatformError.self) { try await store.check() }
        #expect(error?.code == .storageFailed)
    }

    @Test func `a database that was replaced fails every transaction`() async throws {
        let address = try address()
        let store = try open(address)
        try connection(to: address).execute("UPDATE meta SET epoch = '0123456789abcdef'")
        let error = await #expect(throws: PlatformError.self) { try await store.check() }
        #expect(error?.code == .storageFailed && error?.message.contains("restart the server") == true)
    }

    @Test func `a transaction waits for those of other servers, and gives up after ten seconds`() async throws {
        let address = try address()
        let store = try open(address)
        let other = try connection(to: address)
        try other.executeScript("BEGIN; SELECT \(AdvisoryLock.transactions.taking)")
        let start = ContinuousClock.now
        let error = await #expect(throws: PlatformError.self) { try await store.apps() }
        #expect(error?.code == .storageUnavailable)
        let time = ContinuousClock.now - start
        #expect(time > .seconds(9) && time < .seconds(20))
        let call = Task { try await store.apps() }
        try other.executeScript("COMMIT")
        #expect(try await call.value == [])
    }

    @Test func `a server that is stopped in a transaction loses it after five seconds`() async throws {
        let address = try address()
        let store = try open(address)
        let stopped = try Database(.postgreSQL(address))
        let start = ContinuousClock.now
        // The thread does nothing more in its transaction.
        try stopped.executeScript("BEGIN; SELECT \(AdvisoryLock.transactions.taking)")
        #expect(try await store.apps() == [])
        let time = ContinuousClock.now - start
        #expect(time > .seconds(4) && time < .seconds(10))
        #expect(throws: DatabaseError.self) { try stopped.executeScript("COMMIT") }
    }

    // MARK: Locks of changes

    @Test func `changes of an app exclude each other among servers, and other apps' do not`() async throws {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        try await one.addNews()
        let other = try #require(AppID("other"))
        let inside = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in [one, two] {
                group.addTask {
                    for _ in 0..<20 {
                        try await store.withChangesLocked(of: Fixture.app) { (revision) throws(PlatformError) in
                            #expect(revision.configVersion > 0)
                            #expect(inside.increment() == 1)
                            try await store.check()
                            inside.value = 0
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await one.withChangesLocked(of: Fixture.app) { (_) throws(PlatformError) in
            try await two.withChangesLocked(of: other) { (revision) in #expect(revision == .none) }
        }
    }

    @Test func `a change waits ten seconds for that of another server`() async throws {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        try await one.addNews()
        try await one.withChangesLocked(of: Fixture.app) { (_) throws(PlatformError) in
            let start = ContinuousClock.now
            // A server that works uses its session.
            let work = Task {
                while !Task.isCancelled {
                    try await one.check()
                    await AsyncFlag().wait(upTo: .seconds(1))
                }
            }
            let error = await #expect(throws: PlatformError.self) {
                try await two.withChangesLocked(of: Fixture.app) { _ in }
            }
            work.cancel()
            #expect(error?.code == .busy)
            #expect(error?.message.hasPrefix("The server '\(ServerName.own)' is changing the app") == true)
            #expect(ContinuousClock.now - start >= SQLStore.changePatience)
        }
        try await two.withChangesLocked(of: Fixture.app) { _ in }
    }

    @Test func `a server that stops in a change loses the lock of the app to one that waits`() async throws {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        try await one.addNews()
        let error = await #expect(throws: PlatformError.self) {
            try await one.withChangesLocked(of: Fixture.app) { (_) throws(PlatformError) in
                // From here on the server uses its session no more; the other one waits from a moment later on.
                await AsyncFlag().wait(upTo: .milliseconds(200))
                let start = ContinuousClock.now
                try await two.withChangesLocked(of: Fixture.app) { (_) throws(PlatformError) in
                    #expect(ContinuousClock.now - start > Database.silence - .seconds(2))
                    try await two.drawConfigVersion(of: Fixture.app, at: Fixture.start)
                }
                try await one.drawConfigVersion(of: Fixture.app, at: Fixture.start)
            }
        }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.cause?.contains("lost with its session") == true)
    }

    @Test func `a session that was used lately keeps the lock of an app, and a silent one those of other apps`()
        async throws
    {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        try await one.addNews()
        let database = try connection(to: address)
        let other = try #require(AppID("other"))
        try await one.withChangesLocked(of: Fixture.app) { (_) throws(PlatformError) in
            try PlatformError.storing {
                #expect(try database.changeHolder(of: Fixture.app) == ServerName.own)
                #expect(try database.changeHolder(of: other) == nil)
                try database.endSilentHolder(of: Fixture.app)
            }
            await AsyncFlag().wait(upTo: Database.silence + .milliseconds(100))
            try PlatformError.storing { try database.endSilentHolder(of: other) }
            try await one.drawConfigVersion(of: Fixture.app, at: Fixture.start)
        }
        try await two.withChangesLocked(of: Fixture.app) { _ in }
    }

    @Test func `a lock that is lost in a change fails it, and nothing of it is done`() async throws {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        try await one.addNews()
        let other = try connection(to: address)
        let error = await #expect(throws: PlatformError.self) {
            try await one.withChangesLocked(of: Fixture.app) { (_) throws(PlatformError) in
                try PlatformError.storing { try endSessions(by: other) }
                // Another server has the lock meanwhile.
                try await two.withChangesLocked(of: Fixture.app) { _ in }
                try await one.drawConfigVersion(of: Fixture.app, at: Fixture.start)
            }
        }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.cause?.contains("lost with its session") == true)
        try await one.withChangesLocked(of: Fixture.app) { (_) throws(PlatformError) in
            try await one.drawConfigVersion(of: Fixture.app, at: Fixture.start)
        }
    }

    // MARK: Leases

    @Test func `one server has a lease, until it ends or is released`() async throws {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        func take(_ store: SQLStore, _ token: LeaseToken? = nil, for term: Duration) async throws -> LeaseToken? {
            try await store.takeLease("background", for: "node", renewing: token, lasting: term)
        }
        let first = try #require(try await take(one, for: .seconds(60)))
        #expect(first.number == 1)
        #expect(try await take(two, for: .seconds(60)) == nil)
        #expect(try await take(one, first, for: .zero) == first)
        // Its time is over, and the other one is faster.
        let second = try #require(try await take(two, for: .seconds(60)))
        #expect(second.number == 2)
        #expect(try await take(one, first, for: .seconds(60)) == nil)
        // An outdated token releases nothing.
        try await one.releaseLease(first)
        #expect(try await take(one, for: .seconds(60)) == nil)
        try await two.releaseLease(second)
        #expect(try await take(one, for: .seconds(60))?.number == 3)
    }

    @Test func `a transaction under a lease that another server has taken is refused`() async throws {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        let token = try await one.takeLease("background", for: "one", renewing: nil, lasting: .zero)
        try await TransactionFence.$lease.withValue(token) {
            // Nobody has taken it yet.
            try await one.recordAudit(Fixture.audit("first", app: nil))
            _ = try await two.takeLease("background", for: "two", renewing: nil, lasting: .seconds(60))
            let error = await #expect(throws: PlatformError.self) {
                try await one.recordAudit(Fixture.audit("second", app: nil))
            }
            #expect(error?.isLeaseLost == true)
            #expect(error?.message.hasPrefix("The server 'two' has taken over") == true)
        }
        #expect(try await two.audit(before: nil, limit: 9).map(\.entry.action) == ["first"])
    }

    // MARK: Removals of blobs

    @Test func `a version whose file another server removes meanwhile is refused, and then accepted`() async throws {
        let address = try address()
        let (one, two) = (try open(address), try open(address))
        try await one.addNews()
        let blob = BlobRecord(digest: try Fixture.digest(7), size: 1)
        try connection(to: address).execute("INSERT INTO blobs (digest, size) VALUES (\(blob.digest), 1)")
        func insert(_ blob: BlobRecord, since start: Timestamp) async throws {
            try await TransactionFence.$storedSince.withValue(start) { try await two.insertBlobs([blob]) }
        }
        let early = try await two.storeTime()
        let forgotten = try await one.forgetBlobs(in: blob.digest.bytes[0], upTo: 9) { $0 }
        #expect(forgotten.map(\.digest) == [blob.digest])
        // The removal may happen at any time.
        let error = await #expect(throws: PlatformError.self) { try await insert(blob, since: two.storeTime()) }
        #expect(error?.code == .busy)
        // A later removal, as by another node, does not end with an earlier one.
        try await one.endRemovals(of: [blob.digest], begunBy: early.adding(milliseconds: -1))
        await #expect(throws: PlatformError.self) { try await insert(blob, since: two.storeTime()) }
        try await one.endRemovals(of: [blob.digest], begunBy: one.storeTime())
        // It may have happened after the upload.
        await #expect(throws: PlatformError.self) { try await insert(blob, since: early) }
        await AsyncFlag().wait(upTo: .milliseconds(2))
        try await insert(blob, since: two.storeTime())
        // A publishing that takes a day cannot be checked.
        let other = BlobRecord(digest: try Fixture.digest(8), size: 1)
        let old = try await two.storeTime().adding(milliseconds: -RemoteLimits.rememberedRemovalMilliseconds)
        await #expect(throws: PlatformError.self) { try await insert(other, since: old) }
        try await insert(other, since: old.adding(milliseconds: 60_000))
    }

    @Test func `a removal ends although a failover has set the clock of the database back`() async throws {
        let address = try address()
        let store = try open(address)
        let blob = BlobRecord(digest: try Fixture.digest(7), size: 1)
        let database = try connection(to: address)
        try database.execute("INSERT INTO blobs (digest, size) VALUES (\(blob.digest), 1)")
        _ = try await store.forgetBlobs(in: blob.digest.bytes[0], upTo: 9) { $0 }
        try database.execute("UPDATE blob_removals SET begun_at = begun_at + 3600000")
        let begun: Timestamp? = try database.value("SELECT begun_at FROM blob_removals")
        try await store.endRemovals(of: [blob.digest], begunBy: try #require(begun))
        #expect(try database.value("SELECT ended_at = begun_at FROM blob_removals") == true)
    }
}

extension SQLStore {
    fileprivate func insertBlobs(_ blobs: [BlobRecord]) throws(PlatformError) {
        try transaction { try $0.insert(blobs) }
    }
}

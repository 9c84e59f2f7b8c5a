import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the store on PostgreSQL when its connection fails, or another server takes the database over.
///
/// The tests block, so they must not occupy the threads on which the calls of the store begin.
@Suite(.scratchDirectory, .databases, .ownThread, .timeLimit(.minutes(5)))
struct PostgreSQLLossTests {
    /// The parameters of URLs for tests in which a statement of the store waits for the test.
    private static let patience = "options=-clock_timeout%3D120s%20-cstatement_timeout%3D120s"

    /// Returns the address of a new database without a schema.
    private func address() throws -> PostgreSQLAddress {
        let cluster = try PostgresCluster.shared.get()
        let name = try cluster.makeDatabase()
        TestDatabases.note(name)
        return try #require(PostgreSQLAddress("\(cluster.url(of: name))&\(Self.patience)"))
    }

    /// Opens a further connection, which does not own the database.
    private func connection(to address: PostgreSQLAddress) throws -> Database {
        try Database(Database.Location.postgreSQL(address).shared)
    }

    /// Returns a relay to the server, a new database, and its address by way of the relay.
    private func relayed() throws -> (PostgreSQLRelay, database: PostgreSQLAddress, byRelay: PostgreSQLAddress) {
        let cluster = try PostgresCluster.shared.get()
        let relay = PostgreSQLRelay(to: cluster.folder, in: ScratchDirectory.path)
        let name = try cluster.makeDatabase()
        TestDatabases.note(name)
        let direct = try #require(PostgreSQLAddress(cluster.url(of: name)))
        let byRelay = try #require(
            PostgreSQLAddress(
                "postgresql://\(PostgresCluster.user)@/\(name)?host=\(relay.folder)&\(Self.patience)"))
        return (relay, direct, byRelay)
    }

    /// Ends all other sessions with the database, and returns when they have ended.
    private func endSessions(by database: Database) throws {
        let ended: [Bool] = try database.values(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        #expect(!ended.isEmpty && ended.allSatisfy { $0 })
    }

    /// Waits until a condition of a statement is true; fails after half a minute.
    private func wait(until condition: String, by database: Database) throws {
        try database.executeScript(
            """
            DO $$ BEGIN
                FOR attempt IN 1..3000 LOOP
                    IF \(condition) THEN RETURN; END IF;
                    PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
                END LOOP;
                RAISE EXCEPTION 'the condition is still false';
            END $$
            """)
    }

    /// Waits until a session waits for a lock.
    private func awaitWaiting(by database: Database) throws {
        let sessions = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        try wait(until: "EXISTS (\(sessions))", by: database)
    }

    /// Makes a trigger of a table wait for `database`, which releases it by `COMMIT`.
    private func hold(_ trigger: String, if condition: String = "true", by database: Database) throws {
        try database.executeScript(
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF \(condition) THEN PERFORM pg_advisory_xact_lock(1); END IF;
                RETURN NULL;
            END $$;
            CREATE \(trigger) FOR EACH ROW EXECUTE FUNCTION hold()
            """)
        try database.executeScript("BEGIN; SELECT pg_advisory_xact_lock(1)")
    }

    // MARK: The moment of the loss

    @Test func `a connection that is lost between two calls is replaced`() async throws {
        let address = try address()
        let store = try SQLStore(opening: .postgreSQL(address))
        try await store.addNews()
        try endSessions(by: connection(to: address))
        #expect(try await store.apps() == [Fixture.app])
    }

    @Test func `a connection that is lost in a call fails that call, and the next one succeeds`() async throws {
        let address = try address()
        let store = try SQLStore(opening: .postgreSQL(address))
        let other = try connection(to: address)
        try other.executeScript("BEGIN; LOCK TABLE audit")
        let entry = Fixture.audit("lost", app: nil)
        let call = Task { try await store.recordAudit(entry) }
        try awaitWaiting(by: other)
        try endSessions(by: other)
        let error = await #expect(throws: PlatformError.self) { try await call.value }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.message.contains("does not respond or refuses the connection") == true)
        try other.executeScript("COMMIT")
        try await store.recordAudit(Fixture.audit("next", app: nil))
        #expect(try await store.audit(before: nil, limit: 9).map(\.entry.action) == ["next"])
    }

    @Test func `a connection that is lost in COMMIT fails the call, which is not repeated`() async throws {
        let address = try address()
        let store = try SQLStore(opening: .postgreSQL(address))
        let other = try connection(to: address)
        try hold("CONSTRAINT TRIGGER held AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED", by: other)
        let entry = Fixture.audit("lost", app: nil)
        let call = Task { try await store.recordAudit(entry) }
        try awaitWaiting(by: other)
        let waiting: SQL = """
            SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
            """
        #expect(try other.values(waiting) == ["COMMIT"])
        try endSessions(by: other)
        let error = await #expect(throws: PlatformError.self) { try await call.value }
        #expect(error?.code == .storageUnavailable)
        try other.executeScript("COMMIT")
        try await store.recordAudit(Fixture.audit("next", app: nil))
        #expect(try await store.audit(before: nil, limit: 9).map(\.entry.action) == ["next"])
    }

    @Test func `a connection that is lost amid statements that were sent together undoes them all`() async throws {
        let address = try address()
        let store = try SQLStore(opening: .postgreSQL(address))
        try await store.addNews()
        try await store.publish(Fixture.publishing("1.0.0", seed: 1))
        let other = try connection(to: address)
        try hold("TRIGGER held AFTER INSERT ON reports", if: "NEW.event_id = 'e300'", by: other)
        let package = try #require(PackageID("news"))
        let reports = (0..<600).map { index in
            Report(
                app: Fixture.app, eventID: "e\(index)", deviceID: "device", package: package, version: "1.0.0",
                event: "update", time: Fixture.start, details: [])
        }
        let window = ReportWindow(rows: 1_000)
        let call = Task { try await store.insertReports(reports, at: Fixture.start, keeping: window) }
        try awaitWaiting(by: other)
        try endSessions(by: other)
        let error = await #expect(throws: PlatformError.self) { try await call.value }
        #expect(error?.code == .storageUnavailable)
        try other.executeScript("COMMIT")
        let outcomes = try await store.insertReports(reports, at: Fixture.start, keeping: window)
        #expect(outcomes == Array(repeating: .stored, count: reports.count))
    }

    @Test func `texts that were removed with a lost connection are stored again`() async throws {
        let (relay, address, byRelay) = try relayed()
        let store = try SQLStore(opening: .postgreSQL(byRelay))
        try await store.addNews()
        func note(_ device: UInt64, have: String, day: Int64) async throws {
            let seen = SeenDevice(
                key: DeviceKey(high: device, low: 9), facts: "{}", have: have, isCut: false,
                seenAt: Fixture.start.adding(milliseconds: day * 86_400_000))
            try await store.noteSeenDevices([SeenChannel(app: Fixture.app, channel: .production): [seen]])
        }
        try await note(1, have: "old", day: 0)
        try await note(1, have: "new", day: 2)
        let other = try connection(to: address)
        try hold("CONSTRAINT TRIGGER held AFTER DELETE ON seen_texts DEFERRABLE INITIALLY DEFERRED", by: other)
        let call = Task { try await store.removeUnusedTexts() }
        try awaitWaiting(by: other)
        relay.cut()
        let error = await #expect(throws: PlatformError.self) { try await call.value }
        #expect(error?.code == .storageUnavailable)
        // PostgreSQL commits what the store takes for lost.
        try other.executeScript("COMMIT")
        try wait(until: "NOT EXISTS (SELECT 1 FROM seen_texts WHERE text = 'old')", by: other)
        try await note(2, have: "old", day: 2)
        #expect(try other.value("SELECT count(*) FROM seen_texts WHERE text = 'old'") == 1)
    }

    // MARK: Sessions that PostgreSQL keeps

    @Test func `the session of a connection whose loss PostgreSQL has not detected is ended`() async throws {
        let (relay, _, byRelay) = try relayed()
        let store = try SQLStore(opening: .postgreSQL(byRelay))
        relay.cut()
        try await store.addNews()
        #expect(try await store.apps() == [Fixture.app])
    }

    @Test func `a server that stops responding between two calls is given up after five seconds`() async throws {
        let (relay, _, byRelay) = try relayed()
        let store = try SQLStore(opening: .postgreSQL(byRelay))
        relay.silence()
        let start = ContinuousClock.now
        try await store.addNews()
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `PostgreSQL does not end an idle session`() throws {
        let cluster = try PostgresCluster.shared.get()
        let name = try cluster.makeDatabase()
        TestDatabases.note(name)
        let url = cluster.url(of: name) + "&options=-cidle_session_timeout%3D60s"
        #expect(try Database(.postgresql(url)).value("SELECT current_setting('idle_session_timeout')") == "0")
    }

    @Test func `a session whose prepared statements are missing is replaced`() throws {
        let database = try Database(.postgreSQL(address()))
        #expect(try database.value("SELECT 1") == 1)
        try database.executeScript("DEALLOCATE ALL")
        #expect(throws: DatabaseError.self) { try database.value("SELECT 1") as Int? }
        #expect(try database.value("SELECT 1") == 1)
    }

    @Test func `a session with prepared statements of another client is replaced`() throws {
        let database = try Database(.postgreSQL(address()))
        let known: Int = try #require(try database.value("SELECT count(*) FROM pg_prepared_statements"))
        for number in 0...9 where number >= known { try database.executeScript("PREPARE larder_\(number) AS SELECT 1") }
        #expect(throws: DatabaseError.self) { try database.value("SELECT 2") as Int? }
        #expect(try database.value("SELECT 2") == 2)
    }

    // MARK: Another server

    @Test func `a server does not write after another one has used its database`() async throws {
        let address = try address()
        let first = try SQLStore(opening: .postgreSQL(address))
        try endSessions(by: connection(to: address))
        do { try await SQLStore(opening: .postgreSQL(address)).addNews() }
        let error = await #expect(throws: PlatformError.self) {
            try await first.recordAudit(Fixture.audit("first", app: nil))
        }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains("used by another server since the start: restart the server") == true)
        #expect(try connection(to: address).value("SELECT count(*) FROM audit WHERE action = 'first'") == 0)
        #expect(try await SQLStore(opening: .postgreSQL(address)).apps() == [Fixture.app])
    }

    @Test func `a server that lost its database leaves the session of the next one alone`() async throws {
        let address = try address()
        let first = try SQLStore(opening: .postgreSQL(address))
        try endSessions(by: connection(to: address))
        let second = try SQLStore(opening: .postgreSQL(address))
        #expect(try await code { try await first.check() } == .storageUnavailable)
        try await second.addNews()
        #expect(try await second.apps() == [Fixture.app])
    }

    @Test func `a database that was replaced since the start is not written to`() async throws {
        let address = try address()
        let store = try SQLStore(opening: .postgreSQL(address))
        let other = try connection(to: address)
        try other.execute("UPDATE meta SET epoch = '0123456789abcdef'")
        try endSessions(by: other)
        let error = await #expect(throws: PlatformError.self) { try await store.addNews() }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains("The database was replaced") == true)
        #expect(try other.value("SELECT count(*) FROM apps") == 0)
    }

    @Test func `the error of a second server names the session with the same schema`() throws {
        let cluster = try PostgresCluster.shared.get()
        let name = try cluster.makeDatabase()
        TestDatabases.note(name)
        let url = cluster.url(of: name)
        try Database(.postgresql(url).shared).executeScript("CREATE SCHEMA one; CREATE SCHEMA two")
        let owners = try ["one", "two"].map { schema in
            var address = try #require(PostgreSQLAddress(url + "&options=-csearch_path%3D\(schema)"))
            address.ownerPatience = .zero
            return (address, try Database(.postgreSQL(address)))
        }
        for (address, owner) in owners {
            let process: Int = try #require(try owner.value("SELECT pg_backend_pid()"))
            let error = #expect(throws: DatabaseError.self) { try Database(.postgreSQL(address)) }
            #expect(error?.code == .inUse)
            #expect(error?.message.contains("in use by another larder: PostgreSQL session \(process),") == true)
        }
    }
}

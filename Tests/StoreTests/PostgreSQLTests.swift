import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the store on PostgreSQL where it is not like the store on SQLite.
@Suite(.databases)
struct PostgreSQLTests {
    /// Returns the address of a new database with the newest schema.
    private func address() throws -> PostgreSQLAddress {
        guard case .postgreSQL(let address) = try DatabaseKind.postgresql.location() else { throw Unexpected() }
        return address
    }

    private struct Unexpected: Error {}

    /// Returns the URL of a new database without a schema, with further parameters.
    private func blankURL(_ parameters: String = "") throws -> String {
        let cluster = try PostgresCluster.shared.get()
        let name = try cluster.makeDatabase()
        TestDatabases.note(name)
        return cluster.url(of: name) + parameters
    }

    /// Opens a further connection, which does not own the database.
    private func connection(to address: PostgreSQLAddress) throws -> Database {
        try Database(Database.Location.postgreSQL(address).shared)
    }

    // MARK: One owner

    @Test func `of two stores that open an empty database at once, one migrates it and the other is refused`()
        async throws
    {
        var address = try #require(PostgreSQLAddress(try blankURL()))
        address.ownerPatience = .zero
        let location = Database.Location.postgreSQL(address)
        let opened = await withTaskGroup(of: Result<SQLStore, PlatformError>.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do throws(PlatformError) { return .success(try SQLStore(opening: location)) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let stores = opened.compactMap { try? $0.get() }
        #expect(stores.count == 1)
        for case .failure(let error) in opened {
            #expect(error.code == .busy)
            #expect(error.message.contains("in use by another larder: PostgreSQL session "))
            #expect(error.message.contains(address.description))
        }
        let database = try connection(to: address)
        #expect(
            try database.values("SELECT number FROM migrations ORDER BY number")
                == Migration.embedded(for: .postgreSQL).map { Int64($0.number) })
        try await stores.first?.check()
    }

    @Test func `a store takes over the database of one that has ended`() async throws {
        let location = Database.Location.postgreSQL(try address())
        do { try await SQLStore(opening: location).addNews() }
        #expect(try await SQLStore(opening: location).apps() == [Fixture.app])
    }

    @Test func `each schema of a database has its own store`() async throws {
        let url = try blankURL()
        let database = try Database(.postgresql(url).shared)
        try database.executeScript("CREATE SCHEMA one; CREATE SCHEMA two")
        let one = try SQLStore(opening: .postgresql(url + "&options=-csearch_path%3Done"))
        let two = try SQLStore(opening: .postgresql(url + "&options=-csearch_path%3Dtwo"))
        try await one.addNews()
        #expect(try await one.apps() == [Fixture.app])
        #expect(try await two.apps() == [])
        #expect(one.epoch != two.epoch)
        #expect(try database.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0)
    }

    // MARK: Addresses that cannot be used

    private static let guarded = Result {
        let cluster = try PostgresCluster.shared.get()
        try cluster.execute("CREATE ROLE \(PostgresCluster.guardedUser) LOGIN SUPERUSER PASSWORD 'right-secret'")
        return cluster
    }

    @Test func `the password comes from the URL or beside it`() async throws {
        let cluster = try Self.guarded.get()
        let database = try cluster.makeDatabase()
        TestDatabases.note(database)
        let url = cluster.url(of: database, user: PostgresCluster.guardedUser)
        let beside = try #require(PostgreSQLAddress(url, password: "right-secret"))
        do { try await SQLStore(opening: .postgreSQL(beside)).check() }
        let within = cluster.url(of: database, user: "\(PostgresCluster.guardedUser):right-secret")
        try await SQLStore(opening: .postgresql(within)).check()
    }

    @Test(arguments: ["guarded", "guarded:wrong-secret"])
    func `a wrong password is reported and not repeated`(user: String) throws {
        let cluster = try Self.guarded.get()
        let url = cluster.url(of: "postgres", user: user)
        let address = try #require(
            PostgreSQLAddress(url, password: user.contains(":") ? nil : "wrong-secret"))
        let error = #expect(throws: PlatformError.self) { try SQLStore(opening: .postgreSQL(address)) }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.message.contains("check that the database server runs and accepts connections") == true)
        #expect(error?.cause?.contains("password authentication failed for user \"guarded\"") == true)
        #expect("\(error.map(String.init(reflecting:)) ?? "") \(address)".contains("wrong-secret") == false)
    }

    @Test func `a missing database is reported by its name`() throws {
        let url = try PostgresCluster.shared.get().url(of: "none")
        let error = #expect(throws: PlatformError.self) { try SQLStore(opening: .postgresql(url)) }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.cause?.contains("database \"none\" does not exist") == true)
    }

    @Test func `a server that cannot be reached is reported by its address`() throws {
        let error = #expect(throws: PlatformError.self) {
            // No server listens on port 1.
            try SQLStore(opening: .postgresql("postgresql://larder:secret-word@127.0.0.1:1/larder"))
        }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.message.contains("check that the database server runs") == true)
        #expect(error?.cause?.contains("127.0.0.1") == true && error?.cause?.contains("port 1") == true)
        #expect("\(error.map(String.init(reflecting:)) ?? "")".contains("secret-word") == false)
    }

    @Test func `a database in another encoding than UTF-8 is refused`() throws {
        let cluster = try PostgresCluster.shared.get()
        try cluster.execute("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII'")
        TestDatabases.note("ascii")
        let error = #expect(throws: PlatformError.self) { try SQLStore(opening: .postgresql(cluster.url(of: "ascii"))) }
        #expect(error?.message.contains("Create one with ENCODING 'UTF8'") == true)
    }

    @Test func `a missing privilege is reported with what to grant`() throws {
        let cluster = try PostgresCluster.shared.get()
        try cluster.execute("CREATE ROLE stranger LOGIN")
        let name = try cluster.makeDatabase()
        TestDatabases.note(name)
        do { _ = try SQLStore(opening: .postgresql(cluster.url(of: name))) }
        let error = #expect(throws: PlatformError.self) {
            try SQLStore(opening: .postgresql(cluster.url(of: name, user: "stranger")))
        }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains("permission denied for table migrations. Grant the role") == true)
    }

    @Test func `a search path without a schema is reported`() throws {
        let url = try blankURL("&options=-csearch_path%3Dnone")
        let error = #expect(throws: PlatformError.self) { try SQLStore(opening: .postgresql(url)) }
        #expect(error?.message.contains("Create the schema") == true)
    }

    // MARK: Limits

    @Test func `a full disk of the database server is not reported as this machine's`() async throws {
        let location = try DatabaseKind.postgresql.location()
        let store = try SQLStore(opening: location)
        try Database(location.shared).executeScript(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION USING ERRCODE = 'disk_full';
            END $$;
            CREATE TRIGGER failing BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION fail()
            """)
        let error = await #expect(throws: PlatformError.self) {
            try await store.recordAudit(Fixture.audit("x", app: nil))
        }
        #expect(error?.code == .storageFull)
        #expect(error?.message.contains("The disk of the database server is full.") == true)
    }

    @Test func `the escape of the character NUL in JSON is refused`() throws {
        let database = try Database(.postgresql(blankURL()))
        let error = #expect(throws: DatabaseError.self) {
            try database.value(#"SELECT json_array_elements_text('["\u0000"]')"#) as String?
        }
        #expect(error?.code == .unstorable)
    }

    @Test func `a transaction does not continue one that is open`() throws {
        let database = try Database(.postgresql(blankURL()))
        try database.executeScript("BEGIN; CREATE TABLE t (a bigint)")
        #expect(throws: DatabaseError.self) { try database.transaction {} }
        try database.executeScript("ROLLBACK")
        let count: Int? = try database.transaction {
            try database.value("SELECT count(*) FROM pg_tables WHERE tablename = 't'")
        }
        #expect(count == 0)
    }

    @Test func `a text with the character NUL is refused, and the change is undone`() async throws {
        let store = try await DatabaseKind.postgresql.withNews()
        let before = try await store.audit(before: nil, limit: 9).count
        let entry = AuditEntry(time: Fixture.start, actor: "a\u{0}", action: "x", app: nil, subject: "")
        let error = await #expect(throws: PlatformError.self) { try await store.recordAudit(entry) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("U+0000") == true)
        #expect(try await store.audit(before: nil, limit: 9).count == before)
    }

    @Test func `a call that waits too long for a lock fails, and the next one succeeds`() async throws {
        let url = try blankURL("&options=-clock_timeout%3D50ms")
        let store = try SQLStore(opening: .postgresql(url))
        let other = try Database(.postgresql(url).shared)
        try other.executeScript("BEGIN; LOCK TABLE audit")
        #expect(try await code { try await store.recordAudit(Fixture.audit("late", app: nil)) } == .storageUnavailable)
        try other.executeScript("COMMIT")
        try await store.recordAudit(Fixture.audit("next", app: nil))
        #expect(try await store.audit(before: nil, limit: 9).map(\.entry.action) == ["next"])
    }

    @Test func `a statement that takes too long is canceled`() throws {
        let database = try Database(.postgresql(blankURL("&options=-cstatement_timeout%3D50ms")))
        let error = #expect(throws: DatabaseError.self) { try database.execute("SELECT pg_sleep(600)") }
        #expect(error?.code == .timedOut)
        #expect(try database.value("SELECT 1") == 1)
    }

    @Test func `the longest names fit into the indexes`() async throws {
        let store = try await DatabaseKind.postgresql.withNews()
        let host = [text(63), text(63), text(63), text(57), "com"].joined(separator: ".")
        let grant = PageGrant(
            name: try #require(GrantName("long")), origin: try PageOrigin("https://\(host)"),
            path: try PagePath("/\(text(2047))"), apis: [], expiresAt: Fixture.start)
        #expect(try await store.putPageGrant(grant, of: Fixture.app, audit: Fixture.audit("grant.put")))
        #expect(try await store.pageGrants(of: Fixture.app) == [grant])

        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        let version = publishing.version
        let path = try TreePath([text(255), text(255), text(255), text(256 - 5), "ab"].joined(separator: "/"))
        let file = try #require(version.tree.files.first)
        publishing.version = Version(
            app: version.app, package: version.package, version: version.version,
            tree: Tree([TreeFile(path: path, content: file.content)]), treeHash: version.treeHash, entry: nil,
            urlPrefix: version.urlPrefix, uploaded: version.uploaded, createdAt: version.createdAt)
        try await store.publish(publishing)
        let report = Report(
            app: Fixture.app, eventID: text(128), deviceID: text(128), package: version.package,
            version: version.version.text, event: text(128), time: Fixture.start, details: [])
        #expect(
            try await store.insertReports([report], at: Fixture.start, keeping: ReportWindow(rows: 10)) == [.stored])
    }

    /// Returns a text of so many letters that cannot be compressed.
    private func text(_ count: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz012345")
        var state: UInt64 = 7
        return String(
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return letters[Int(state >> 59)]
            })
    }
}

import CEmbedded
import Domain
import FoundationEssentials
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchDirectory, .databases)
struct MigratorTests {
    private var file: Database.Location { .file("\(ScratchDirectory.path)/larder.sqlite") }

    private func migration(_ name: String, _ script: String) throws -> Migration {
        try #require(Migration(name: name, script: script))
    }

    /// Returns the number of the newest migration that was applied.
    private func schema(of database: Database) throws -> Int? {
        try database.value("SELECT max(number) FROM migrations")
    }

    @Test(arguments: DatabaseKind.allCases)
    func `every store has an epoch of its own, and keeps it`(on kind: DatabaseKind) throws {
        let other = try SQLStore(opening: kind == .sqlite ? .memory : kind.blankLocation()).epoch
        let location = try kind.blankLocation().shared
        let epoch = try SQLStore(opening: location).epoch
        #expect(epoch != other)
        #expect(Cursor("\(epoch).0")?.epoch == epoch)
        #expect(try SQLStore(opening: location).epoch == epoch)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `older data are brought to the newest schema`(on kind: DatabaseKind) throws {
        let location = try kind.blankLocation().shared
        let first = try migration("0001_a.sql", "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);")
        let second = try migration("0002_b.sql", "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 8;")
        try Migrator([first]).migrate(Database(location))
        let database = try Database(location)
        try Migrator([first, second]).migrate(database)
        try Migrator([first, second]).migrate(database)
        #expect(try database.values("SELECT x + y FROM a") == [15])
        #expect(try schema(of: database) == 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a migration that fails leaves the schema before it`(on kind: DatabaseKind) throws {
        let first = try migration("0001_a.sql", "CREATE TABLE a (x INTEGER);")
        let broken = try migration("0002_b.sql", "CREATE TABLE b (x INTEGER); INSERT INTO nowhere VALUES (1);")
        let database = try Database(kind.blankLocation())
        try Migrator([first]).migrate(database)
        #expect(throws: DatabaseError.self) { try Migrator([first, broken]).migrate(database) }
        #expect(try schema(of: database) == 1)
        #expect(throws: Never.self) { try database.execute("INSERT INTO a VALUES (1)") }
        #expect(throws: DatabaseError.self) { try database.execute("INSERT INTO b VALUES (1)") }
        let mended = try migration("0002_b.sql", "CREATE TABLE b (x INTEGER);")
        try Migrator([first, mended]).migrate(database)
        #expect(try schema(of: database) == 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a new database gets all migrations or none`(on kind: DatabaseKind) throws {
        let first = try migration("0001_a.sql", "CREATE TABLE a (x INTEGER);")
        let broken = try migration("0002_b.sql", "CREATE TABLE b (x INTEGER); INSERT INTO nowhere VALUES (1);")
        let database = try Database(kind.blankLocation())
        #expect(throws: DatabaseError.self) { try Migrator([first, broken]).migrate(database) }
        #expect(throws: DatabaseError.self) { try schema(of: database) }
        let mended = try migration("0002_b.sql", "CREATE TABLE b (x INTEGER);")
        try Migrator([first, mended]).migrate(database)
        #expect(try schema(of: database) == 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a newer database is refused, and the message says what to do`(on kind: DatabaseKind) throws {
        let location = try kind.location().shared
        let database = try Database(location)
        let known = try #require(try schema(of: database))
        try database.execute("INSERT INTO migrations (number, name, checksum) VALUES (\(known + 1), 'x', 1)")
        if kind == .sqlite { try database.executeScript("PRAGMA user_version = \(known + 1)") }
        let error = #expect(throws: PlatformError.self) { try SQLStore(opening: location) }
        #expect(error?.code == .storageFailed)
        let message = try #require(error?.message)
        #expect(message.contains("schema \(known + 1)"))
        #expect(message.contains("up to \(known)"))
        #expect(message.contains("Start the newer larder"))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a migration that was edited after it was applied is found`(on kind: DatabaseKind) throws {
        let database = try Database(kind.blankLocation())
        try Migrator([try migration("0001_a.sql", "CREATE TABLE a (x INTEGER);")]).migrate(database)
        let edited = try migration("0001_a.sql", "CREATE TABLE a (x INTEGER); ")
        #expect(throws: MigrationError.altered(name: "0001_a.sql")) { try Migrator([edited]).migrate(database) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `another program's database is refused`(on kind: DatabaseKind) throws {
        let database = try Database(kind.blankLocation())
        try database.executeScript("CREATE TABLE a (x INTEGER)")
        #expect(throws: MigrationError.foreign) { try Migrator().migrate(database) }
    }

    @Test func `another program's file with a version is refused`() throws {
        let versioned = try Database(.memory)
        try versioned.executeScript("PRAGMA user_version = 1")
        #expect(throws: MigrationError.foreign) { try Migrator().migrate(versioned) }
    }

    @Test(arguments: ["1_a.sql", "0001a.sql", "0001_a.txt", "000x_a.sql", "0000_a.sql", "-001_a.sql", ""])
    func `a file with another name is not a migration`(name: String) {
        #expect(Migration(name: name, script: "") == nil)
    }

    @Test func `the embedded files are those of the folders`() throws {
        var count = 0
        let migrations = UnsafeBufferPointer(start: embedded_migrations(&count), count: count)
        #expect(contents(migrations) == (try contents(of: "migrations/sqlite")))
        let others = UnsafeBufferPointer(start: embedded_postgresql_migrations(&count), count: count)
        #expect(contents(others) == (try contents(of: "migrations/postgresql")))
        #expect(migrations.map { String(cString: $0.name) }.sorted() == migrations.map { String(cString: $0.name) })
        let console = UnsafeBufferPointer(start: embedded_console(&count), count: count)
        #expect(contents(console) == (try contents(of: "Public")))
    }

    private func contents(_ files: UnsafeBufferPointer<embedded_file>) -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for file in files {
            contents[String(cString: file.name)] = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        }
        return contents
    }

    /// Returns the contents of files by path in a folder of the repository.
    private func contents(of folder: String) throws -> [String: [UInt8]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: folder).path
        var contents: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
            guard let bytes = FileManager.default.contents(atPath: "\(root)/\(path)") else { continue }
            contents[path] = Array(bytes)
        }
        return contents
    }
}

extension MigratorTests {
    @Test func `artifacts and their signatures stay when delta patches come to be`() async throws {
        let old = try Database(file)
        try Migrator(Array(Migration.embedded.prefix(1))).migrate(old)
        // The rows of Larder's first release.
        try old.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO channels VALUES ('default', 'production');
            INSERT INTO keys (app, id, purpose, public_key, private_key, created_at)
            VALUES ('default', '0123456789abcdef', 'signing', zeroblob(32), zeroblob(32), 1);
            INSERT INTO packages (app, id, folded, name, entry, url_prefix, enabled, priority)
            VALUES ('default', 'news', 'news', 'News', NULL, '/', 1, 999);
            INSERT INTO blobs VALUES (zeroblob(32), 5);
            INSERT INTO versions (package, version, folded, tree_hash, identity, url_prefix, app_config, file_map,
                file_count, total_size, created_at)
            VALUES (1, '1.0.0', '1.0.0', zeroblob(32), zeroblob(32), '/', '{}', '{}', 0, 0, 1),
                (1, '2.0.0', '2.0.0', zeroblob(32), zeroblob(32), '/', '{}', '{}', 0, 0, 1);
            INSERT INTO artifacts (package, version, kind, base, base_tree, layout, tree, blob, size, md5, recipe)
            VALUES (1, 1, 'full', NULL, NULL, 'app-folder', zeroblob(32), zeroblob(32), 5, zeroblob(16), 1),
                (1, 2, 'full', NULL, NULL, 'app-folder', zeroblob(32), zeroblob(32), 5, zeroblob(16), 1),
                (1, 2, 'files', 1, zeroblob(32), 'app-folder', zeroblob(32), zeroblob(32), 5, zeroblob(16), 1);
            INSERT INTO artifact_signatures VALUES (1, 1, X'01'), (3, 1, X'03');
            INSERT INTO releases (app, package, channel, version, mandatory, active_time, created_at, rank)
            VALUES ('default', 1, 'production', 2, 0, 1, 1, 1);
            """)
        let store = try SQLStore(opening: file)
        let news = try #require(PackageID("news"))
        let version = try #require(VersionString("2.0.0"))
        let released = try #require(try await store.state(of: .default).versions[news]?[version])
        #expect(released.full.artifact.kind == .full)
        #expect(released.patches.map(\.artifact.base?.text) == ["1.0.0"])
        #expect(released.patches.first?.signatures.map(\.value) == [[3]])
        #expect(try old.value("PRAGMA foreign_key_check") as String? == nil)
        #expect(throws: DatabaseError.self) { try old.execute("DELETE FROM artifacts") }
        #expect(throws: DatabaseError.self) { try old.execute("UPDATE artifacts SET size = 6") }
    }

    /// The rows of a key document of the app `default`, and of a package with one unsigned archive.
    private static let published = """
        INSERT INTO key_documents VALUES ('default', 7, 1, 2, x'00', '00000000000000f1', x'00');
        \(package)
        INSERT INTO artifacts (package, version, kind, base, base_tree, layout, tree, blob, size, md5, recipe)
        VALUES (1, 1, 'full', NULL, NULL, 'app-folder', zeroblob(32), zeroblob(32), 5, zeroblob(16), 1);
        """

    /// The rows of a package with one version.
    private static let package = """
        INSERT INTO packages (app, id, folded, name, entry, url_prefix, enabled, priority)
        VALUES ('default', 'news', 'news', 'News', NULL, '/', 1, 999);
        INSERT INTO blobs VALUES (zeroblob(32), 5);
        INSERT INTO versions (package, version, folded, tree_hash, identity, url_prefix, app_config, file_map,
            file_count, total_size, created_at)
        VALUES (1, '1', '1', zeroblob(32), zeroblob(32), '/', '{}', '{}', 0, 0, 1);
        """

    /// Checks that the keys of an app survive a migration, in use and with their references.
    private func expectKept(in store: SQLStore, _ database: Database, signatures: [[UInt8]]) async throws {
        let keys = try await store.keys(of: .default)
        #expect(keys.map(\.purpose) == [.root, .signing, .legacy] && keys.last?.privateKey == [1])
        #expect(try await store.keyDocument(of: .default)?.number == 7)
        let news = try #require(PackageID("news"))
        let version = try #require(VersionString("1"))
        let full = try await store.archives(of: version, of: news, in: .default).first
        #expect(full?.signatures.map(\.value) == signatures)
        #expect(try database.value("PRAGMA foreign_key_check") as String? == nil)
    }

    @Test func `keys and what refers to them stay when signing keys may be several`() async throws {
        let old = try Database(file)
        try Migrator(Array(Migration.embedded.prefix(6))).migrate(old)
        try old.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO keys (app, id, purpose, public_key, private_key, created_at, retired_at)
            VALUES ('default', '00000000000000f1', 'root', zeroblob(32), zeroblob(32), 1, NULL),
                ('default', '00000000000000f2', 'signing', zeroblob(32), zeroblob(32), 1, NULL),
                ('default', '00000000000000f3', 'legacy', x'00', NULL, 1, 2),
                ('default', '00000000000000f4', 'legacy', x'00', x'01', 2, NULL);
            \(Self.published)
            INSERT INTO artifact_signatures VALUES (1, 2, X'01'), (1, 3, X'02');
            """)
        let store = try SQLStore(opening: file)
        try await expectKept(in: store, old, signatures: [[1], [2]])
        #expect(throws: DatabaseError.self) { try old.execute("DELETE FROM keys") }
    }

    @Test func `keys and what refers to them stay when they may be sealed`() async throws {
        let old = try Database(file)
        try Migrator(Array(Migration.embedded.prefix(7))).migrate(old)
        try old.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO keys (app, id, purpose, public_key, private_key, created_at, retired_at)
            VALUES ('default', '00000000000000f1', 'root', zeroblob(32), zeroblob(32), 1, NULL),
                ('default', '00000000000000f2', 'signing', zeroblob(32), zeroblob(32), 1, NULL),
                ('default', '00000000000000f3', 'signing', zeroblob(32), NULL, 1, 2),
                ('default', '00000000000000f4', 'legacy', x'00', x'01', 2, NULL);
            \(Self.published)
            INSERT INTO artifact_signatures VALUES (1, 2, X'01'), (1, 3, X'02'), (1, 4, X'03');
            """)
        let store = try SQLStore(opening: file)
        try await expectKept(in: store, old, signatures: [[1], [2], [3]])
        #expect(try await store.retiredKeys(.signing, of: .default, last: 9).map(\.id.text) == ["00000000000000f3"])
        #expect(throws: DatabaseError.self) {
            try old.execute("UPDATE keys SET retired_at = NULL, private_key = zeroblob(32) WHERE purpose = 'signing'")
        }
    }

    @Test func `the terms of releases stay what they were`() async throws {
        let old = try Database(file)
        try Migrator(Array(Migration.embedded.prefix(1))).migrate(old)
        try old.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO channels VALUES ('default', 'production');
            \(Self.package)
            """)
        try Migrator(Array(Migration.embedded.prefix(20))).migrate(old)
        try old.executeScript(
            #"""
            INSERT INTO device_lists (app, name, changed_at, devices)
            VALUES ('default', 'testers', 1, x''), ('default', 'staff', 1, x'');
            INSERT INTO releases (app, package, channel, version, mandatory, active_time, created_at, rank, salt)
            VALUES ('default', 1, 'production', 1, 0, 1, 1, 1, zeroblob(16));
            INSERT INTO releases (app, package, channel, version, mandatory, active_time, created_at, rank, salt, percent,
                plan, paused_for, update_mode, wifi_only, whitelist, excluded, rules, floor_version, floor_reason,
                floor_without_have, download_from, download_rate, download_devices, download_round)
            VALUES ('default', 1, 'production', 1, 1, 9, 2, 9000, x'000102030405060708090a0b0c0d0e0f', 5,
                '[[10,0],[10000,7200000]]', 77, 'immediate', 1, 1, 2,
                '[{"fact":"region","in":["C\"N","é\u2028"]},{"fact":"appVersion","range":">=8.3 <9"}]', '1.0.0',
                'a "reason" \ é', 'offer', 1767225600007, 9223372036, 1000000000, 3162240000000);
            INSERT INTO releases (app, package, channel, version, mandatory, active_time, created_at, rank, salt,
                update_mode, download_from, download_rate, download_devices, download_round)
            VALUES ('default', 1, 'production', 1, 1, 9, 3, 10000, zeroblob(16), 'prompt', 253402300799999, 1, 2, 3),
                ('default', 1, 'production', 1, 0, 9, 3, 11000, zeroblob(16), 'silent', 86400000, 1, 2, 3);
            """#)
        let store = try SQLStore(opening: file)
        let news = try #require(PackageID("news"))
        let terms = try await store.releases(of: news, in: .default).map(\.terms)
        let salt = try #require(Salt(bytes: Array(0..<16)))
        let zero = try #require(Salt(bytes: Array(repeating: 0, count: 16)))
        func share(_ value: Int) throws -> BasisPoints { try #require(BasisPoints(value)) }
        func window(_ opening: Int64) -> DownloadWindow {
            DownloadWindow(
                opensAt: Timestamp(milliseconds: opening), bytesPerSecond: 1, devices: 2, round: 3)
        }
        #expect(terms.count == 4 && terms[0] == ReleaseTerms(salt: zero))
        #expect(
            terms[1]
                == ReleaseTerms(
                    audience: Audience(
                        whitelist: DeviceListName("testers"), excluded: DeviceListName("staff"),
                        rules: [
                            AudienceRule(.region, .isIn(["C\"N", "é\u{2028}"])),
                            AudienceRule(.appVersion, .range(try #require(VersionRange(">=8.3 <9")))),
                        ]),
                    rollout: Rollout(
                        percent: try share(5),
                        steps: [
                            .init(percent: try share(10), after: 0), .init(percent: .all, after: 7_200_000),
                        ], pausedFor: 77), salt: salt, isMandatory: true, updateMode: .immediate, isWifiOnly: true,
                    floor: Floor(
                        version: try #require(VersionString("1.0.0")), reason: "a \"reason\" \\ é", withoutHave: .offer),
                    downloads: DownloadWindow(
                        opensAt: Timestamp(milliseconds: 1_767_225_600_007), bytesPerSecond: 9_223_372_036,
                        devices: 1_000_000_000, round: 3_162_240_000_000)))
        #expect(
            terms[2]
                == ReleaseTerms(
                    salt: zero, isMandatory: true, updateMode: .prompt, downloads: window(253_402_300_799_999)))
        #expect(terms[3] == ReleaseTerms(salt: zero, downloads: window(86_400_000)))
        #expect(throws: Never.self) { try old.execute("UPDATE releases SET activated_sequence = 9 WHERE id = 1") }
    }

    @Test func `numbers of resources stay, and the kept versions of lists are known`() async throws {
        let old = try Database(file)
        try Migrator(Array(Migration.embedded.prefix(1))).migrate(old)
        try old.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO channels VALUES ('default', 'production'), ('default', 'beta');
            \(Self.package)
            INSERT INTO releases (app, package, channel, version, mandatory, active_time, created_at, rank, activated_sequence)
            VALUES ('default', 1, 'production', 1, 0, 1, 1, 1, 4);
            """)
        try Migrator(Array(Migration.embedded.prefix(16))).migrate(old)
        // The rows of a store that counted by channel.
        try old.executeScript(
            """
            INSERT INTO resource_numbers (package, channel, resource, number, digest, told, app)
            VALUES (1, 'production', 'a', 1, zeroblob(32), 1, 'default'),
                (1, 'beta', 'a', 1, x'\(String(repeating: "01", count: 32))', 1, 'default');
            """)
        let store = try SQLStore(opening: file)
        let (news, version) = (try #require(PackageID("news")), try #require(VersionString("1")))
        let list = ResourceConfigVersion(sequence: 4, version: version)
        let named = try await store.listHistory(of: news, in: .default).versions(of: list)
        #expect(named == [ListedVersions(current: version, coming: nil, naming: nil)])
        func number(_ digest: SHA256Digest, on channel: ChannelName) async throws -> Int64? {
            let id = try #require(ResourceID("a"))
            return try await store.numberResources(
                current: [id: digest], coming: [:], recording: nil, of: news, on: channel, in: .default
            ).current[id]
        }
        let (zeros, ones) = (
            try #require(SHA256Digest(bytes: [UInt8](repeating: 0, count: 32))),
            try #require(SHA256Digest(bytes: [UInt8](repeating: 1, count: 32)))
        )
        #expect(try await number(zeros, on: .production) == 1)
        #expect(try await number(ones, on: try #require(ChannelName("beta"))) == 2)
        #expect(try await number(ones, on: .production) == 2)
        #expect(throws: DatabaseError.self) {
            try old.execute("UPDATE resource_lists SET sequence = 5")
        }
        #expect(throws: DatabaseError.self) { try old.execute("DELETE FROM resource_lists") }
        #expect(throws: DatabaseError.self) {
            try old.execute(
                """
                INSERT INTO resource_numbers (package, channel, resource, number, digest, told, app)
                VALUES (1, 'beta', 'b', 1, zeroblob(32), 1, 'default'), (1, 'production', 'b', 1, randomblob(32), 1, 'default')
                """)
        }
        #expect(try old.value("PRAGMA foreign_key_check") as String? == nil)
    }
}

import Domain
import FoundationEssentials
import Glibc
import Ground
import Store
import TestKit
import Testing

/// Tests the private keys in the database with and without a sealing key.
@Suite(.scratchDirectory, .databases)
struct KeySealingTests {
    private let folder = ScratchDirectory.path
    private var file: Database.Location { .file("\(folder)/larder.sqlite") }

    /// - Parameter location: The database; `nil` for the file.
    private func open(
        _ current: MarkingSealer?, was previous: MarkingSealer? = nil, in location: Database.Location? = nil
    ) throws -> SQLStore {
        try SQLStore(opening: location ?? file, keys: KeyProtection(current: current, previous: previous))
    }

    /// A text that occurs nowhere else in a database.
    private let secret = Array("-- nobody but the sealer sees it".utf8)

    private func key(_ purpose: KeyPurpose, _ number: Int) throws -> AppKey {
        let key = try Fixture.key(purpose, number)
        return AppKey(
            app: key.app, purpose: purpose, id: key.id, publicKey: key.publicKey, privateKey: secret,
            createdAt: key.createdAt)
    }

    private func keys() throws -> [AppKey] { try [key(.root, 1), key(.signing, 2), key(.legacy, 3)] }

    /// Creates the app with its keys, and an earlier legacy key.
    private func fill(_ store: SQLStore) async throws {
        _ = try await store.createApp(Fixture.app, keys: keys(), audit: Fixture.audit("app.create"))
        try await store.addKey(key(.legacy, 4), audit: Fixture.audit("key.import"))
        _ = try await store.retireKey(Fixture.keyID(4), of: Fixture.app, audit: Fixture.audit("key.retire"))
    }

    /// Returns the number of occurrences of bytes in the database's files.
    private func occurrences(of bytes: [UInt8]) throws -> Int {
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let content = Array(FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data())
            count += content.ranges(of: bytes).count
        }
        return count
    }

    private func rows(_ condition: String = "TRUE", in location: Database.Location? = nil) throws -> Int? {
        let database = try Database(location ?? file)
        return try database.values(
            "SELECT number FROM keys WHERE private_key IS NOT NULL AND \(SQL(stringLiteral: condition))"
        )
        .map { $0 as Int }.count
    }

    @Test func `with a key, private halves are sealed as they come, and read as they were`() async throws {
        let store = try open(MarkingSealer(1))
        try await fill(store)
        try await store.addKey(key(.signing, 5), audit: Fixture.audit("key.make"))
        #expect(store.keySealing == KeySealing())
        #expect(try await store.keys(of: Fixture.app) == keys() + [key(.signing, 5)])
        #expect(try rows("sealed = 0") == 0 && rows() == 5)
        #expect(try occurrences(of: secret) == 0)
        #expect(try await open(MarkingSealer(1)).keys(of: Fixture.app) == keys() + [key(.signing, 5)])
    }

    @Test func `plain private keys are sealed at the start, and no file contains them afterwards`() async throws {
        // Kept open, so that the log stays as after a crash.
        let plain = try open(nil)
        try await fill(plain)
        try await plain.addKey(key(.signing, 5), audit: Fixture.audit("key.make"))
        #expect(try occurrences(of: secret) > 0)
        #expect(try open(nil).keySealing == KeySealing())
        let store = try open(MarkingSealer(1))
        #expect(store.keySealing.sealed == 5 && store.keySealing.remains == nil)
        #expect(try occurrences(of: secret) == 0)
        #expect(try await store.keys(of: Fixture.app) == keys() + [key(.signing, 5)])
        #expect(try open(MarkingSealer(1)).keySealing == KeySealing())
    }

    @Test(arguments: DatabaseKind.allCases)
    func `plain private keys are sealed at the start, once`(on kind: DatabaseKind) async throws {
        let location = try kind.location().shared
        try await fill(open(nil, in: location))
        #expect(try rows("sealed = 0", in: location) == 4)
        let store = try open(MarkingSealer(1), in: location)
        #expect(store.keySealing.sealed == 4 && store.keySealing.remains == nil)
        #expect(try rows("sealed = 0", in: location) == 0)
        #expect(try await store.keys(of: Fixture.app) == keys())
        #expect(try open(MarkingSealer(1), in: location).keySealing == KeySealing())
    }

    @Test func `former free pages are removed too, also if the start that sealed was killed`() async throws {
        let database = try Database(file)
        _ = try SQLStore(database)
        try await fill(open(nil))
        // Like a table that was rebuilt by an SQLite that does not overwrite deleted data.
        let old = try Database(file)
        try old.executeScript(
            """
            PRAGMA secure_delete = OFF;
            CREATE TABLE old AS SELECT private_key FROM keys;
            DROP TABLE old;
            """)
        _ = try open(MarkingSealer(1))
        #expect(try occurrences(of: secret) == 0)

        try old.execute("CREATE TABLE old AS SELECT \(secret) AS secret")
        try old.execute("DROP TABLE old")
        try old.execute("INSERT INTO key_remains VALUES (1)")
        #expect(try occurrences(of: secret) > 0)
        let store = try open(MarkingSealer(1))
        #expect(store.keySealing == KeySealing())
        #expect(try occurrences(of: secret) == 0)
        #expect(try old.value("SELECT only FROM key_remains") as Int? == nil)
    }

    @Test func `remains that another program holds are reported, and removed at the next start`() async throws {
        try await fill(open(nil))
        let reader = try Database(file)
        try reader.execute("BEGIN")
        _ = try reader.values("SELECT id FROM keys") as [String]
        let store = try open(MarkingSealer(1))
        #expect(store.keySealing.sealed == 4)
        #expect(store.keySealing.remains?.isEmpty == false)
        try reader.execute("COMMIT")
        #expect(try open(MarkingSealer(1)).keySealing == KeySealing())
        #expect(try occurrences(of: secret) == 0)
    }

    @Test func `no log is left if the database cannot be rewritten`() async throws {
        // Kept open, so that the log is not removed with the last connection.
        let plain = try open(nil)
        try await fill(plain)
        let database = try Database(file)
        try database.executeScript("CREATE TABLE other (name TEXT); PRAGMA wal_checkpoint(TRUNCATE)")
        // A page that is read only when all pages are copied.
        let number: Int = try #require(try database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'other'"))
        let size: Int = try #require(try database.value("PRAGMA page_size"))
        let page = try exchange([UInt8](repeating: 0, count: size), at: (number - 1) * size)
        let log = "\(folder)/larder.sqlite-wal"
        let store = try open(MarkingSealer(1))
        #expect(store.keySealing.sealed == 4 && store.keySealing.remains?.contains("malformed") == true)
        #expect(try FileManager.default.attributesOfItem(atPath: log)[.size] as? UInt64 == 0)
        _ = try exchange(page, at: (number - 1) * size)
        let next = try open(MarkingSealer(1))
        #expect(next.keySealing == KeySealing())
        #expect(try occurrences(of: secret) == 0)
    }

    /// Writes bytes into the database's file, and returns the former ones.
    private func exchange(_ bytes: [UInt8], at offset: Int) throws -> [UInt8] {
        let path = "\(folder)/larder.sqlite"
        let content = Array(try #require(FileManager.default.contents(atPath: path)))
        let descriptor = Glibc.open(path, O_WRONLY)
        defer { close(descriptor) }
        #expect(pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
        return Array(content[offset..<offset + bytes.count])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `without the key, or with another one, no key is opened and no key is changed`(
        on kind: DatabaseKind
    ) async throws {
        let location = try kind.location().shared
        try await fill(open(MarkingSealer(1), in: location))
        let missing = #expect(throws: PlatformError.self) { try open(nil, in: location) }
        #expect(missing?.code == .invalidRequest && missing?.message.contains("--key-file") == true)
        let wrong = #expect(throws: PlatformError.self) { try open(MarkingSealer(2), in: location) }
        #expect(wrong?.code == .invalidRequest && wrong?.message.contains("--old-key-file") == true)
        let both = #expect(throws: PlatformError.self) {
            try open(MarkingSealer(2), was: MarkingSealer(3), in: location)
        }
        #expect(both?.message.contains("Neither") == true)
        #expect(try open(MarkingSealer(1), in: location).keySealing == KeySealing())
    }

    @Test(arguments: DatabaseKind.allCases)
    func `with the old key beside the new one, all are sealed with that`(on kind: DatabaseKind) async throws {
        let location = try kind.location().shared
        let first = try open(MarkingSealer(1), in: location)
        try await fill(first)
        #expect(try open(MarkingSealer(2), was: MarkingSealer(1), in: location).keySealing.sealed == 4)
        // Once more, as with a unit that still names both keys.
        #expect(try open(MarkingSealer(2), was: MarkingSealer(1), in: location).keySealing.sealed == 0)
        #expect(try await open(MarkingSealer(2), in: location).keys(of: Fixture.app) == keys())
        #expect(throws: PlatformError.self) { try open(MarkingSealer(1), in: location) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `no key is resealed if one does not open`(on kind: DatabaseKind) async throws {
        let location = try kind.location().shared
        try await fill(open(MarkingSealer(1), in: location))
        let database = try Database(location)
        let damaged = [UInt8](repeating: 0, count: 61)
        try database.execute("UPDATE keys SET private_key = \(damaged) WHERE number = 4")
        let error = #expect(throws: PlatformError.self) {
            try open(MarkingSealer(2), was: MarkingSealer(1), in: location)
        }
        #expect(try error?.message.contains(Fixture.keyID(4).text) == true)
        try database.execute("UPDATE keys SET private_key = NULL, sealed = 0 WHERE number = 4")
        #expect(try open(MarkingSealer(1), in: location).keySealing == KeySealing())
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a sealed half does not open in the place of another`(on kind: DatabaseKind) async throws {
        let location = try kind.location().shared
        try await fill(open(MarkingSealer(1), in: location))
        try Database(location).execute(
            "UPDATE keys SET private_key = (SELECT private_key FROM keys WHERE number = 1) WHERE number = 2")
        #expect(throws: PlatformError.self) { try open(MarkingSealer(1), in: location) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a key imported again by its public half stays sealed, and a retired key has no private half`(
        on kind: DatabaseKind
    ) async throws {
        let location = try kind.location().shared
        let store = try open(MarkingSealer(1), in: location)
        try await fill(store)
        let known = try key(.legacy, 3)
        let half = AppKey(
            app: known.app, purpose: .legacy, id: known.id, publicKey: known.publicKey, privateKey: nil,
            createdAt: known.createdAt)
        try await store.addKey(half, audit: Fixture.audit("key.import"))
        #expect(try await store.keys(of: Fixture.app).contains(known))
        try await store.addKey(key(.signing, 5), audit: Fixture.audit("key.make"))
        let retired = try await store.retireKey(Fixture.keyID(2), of: Fixture.app, audit: Fixture.audit("key.retire"))
        #expect(retired?.retiredAt != nil && retired?.privateKey == nil)
        #expect(try open(MarkingSealer(1), in: location).keySealing == KeySealing())
    }

    /// Adds a webhook whose URL has the secret.
    private func addWebhook(to store: SQLStore) async throws -> WebhookEndpoint {
        let url = "https://hooks.example/" + String(decoding: secret, as: UTF8.self)
        let endpoint = WebhookEndpoint(url: url, secret: WebhookSecret("robot"))
        _ = try await store.addWebhook(.dingtalk, endpoint, .all, of: Fixture.app, at: Fixture.start) { _ in
            Fixture.audit("webhook.make")
        }
        return endpoint
    }

    @Test func `endpoints of webhooks are sealed as they come, and by the start that gets a key`() async throws {
        let plain = try open(nil)
        try await fill(plain)
        let endpoint = try await addWebhook(to: plain)
        let store = try open(MarkingSealer(1))
        #expect(store.keySealing.sealed == 5 && store.keySealing.remains == nil)
        #expect(try occurrences(of: secret) == 0)
        _ = try await addWebhook(to: store)
        #expect(try occurrences(of: secret) == 0)
        #expect(try await store.webhooks(of: Fixture.app).map(\.endpoint) == [endpoint, endpoint])
    }

    @Test func `second factors are sealed as they come, and by the start that gets a key`() async throws {
        let plain = try open(nil)
        let name = try #require(UserName("ann"))
        let hash = PasswordHash(
            hash: Array(repeating: 1, count: 32), salt: Array(repeating: 2, count: 16),
            cost: ScryptCost(logN: 4, r: 8, p: 1))
        let audit = Fixture.audit("user.create", app: nil)
        let user = try await plain.createUser(
            name, grants: [Grant(.viewer, on: .everything)], password: hash, audit: audit)
        let factor = SecondFactor(secret: secret, isConfirmed: true)
        let stored = Array(Hex.encode(secret).utf8)
        try await plain.changeSecondFactor(of: user.id, verified: nil, audit: audit) { _ in factor }
        #expect(try occurrences(of: stored) > 0)
        let store = try open(MarkingSealer(1))
        #expect(store.keySealing.sealed == 1 && store.keySealing.remains == nil)
        #expect(try occurrences(of: stored) == 0)
        #expect(try await store.secrets(of: name)?.secrets.secondFactor == factor)
        try await store.changeSecondFactor(of: user.id, verified: nil, audit: audit) { $0 }
        #expect(try occurrences(of: stored) == 0)
        let wrong = #expect(throws: PlatformError.self) { try open(MarkingSealer(2)) }
        #expect(wrong?.message.contains("the second factor of user #1") == true)
        let second = try open(MarkingSealer(2), was: MarkingSealer(1))
        #expect(try await second.secrets(of: name)?.secrets.secondFactor == factor)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `endpoints of webhooks are sealed again with a new key, and need theirs`(
        on kind: DatabaseKind
    ) async throws {
        let location = try kind.location().shared
        let first = try open(MarkingSealer(1), in: location)
        _ = try await first.createApp(Fixture.app, keys: [], audit: Fixture.audit("app.create"))
        let endpoint = try await addWebhook(to: first)
        #expect(throws: PlatformError.self) { try open(nil, in: location) }
        let wrong = #expect(throws: PlatformError.self) { try open(MarkingSealer(2), in: location) }
        #expect(wrong?.message.contains("the endpoint of webhook 1 of 'default'") == true)
        let second = try open(MarkingSealer(2), was: MarkingSealer(1), in: location)
        #expect(second.keySealing.sealed == 1)
        #expect(try await second.webhooks(of: Fixture.app).map(\.endpoint) == [endpoint])
        #expect(throws: PlatformError.self) { try open(MarkingSealer(1), in: location) }
    }
}

/// Reverses bytes and marks them with the key's number and the label, in the length of the real sealer.
final class MarkingSealer: KeySealer {
    private let number: UInt8

    init(_ number: UInt8) { self.number = number }

    func seal(_ plain: [UInt8], for label: [UInt8]) -> [UInt8] {
        [number] + mark(of: label) + plain.reversed()
    }

    func open(_ sealed: [UInt8], for label: [UInt8]) -> [UInt8]? {
        guard sealed.first == number, Array(sealed[1..<29]) == mark(of: label) else { return nil }
        return sealed.dropFirst(29).reversed()
    }

    private func mark(of label: [UInt8]) -> [UInt8] {
        var mark = [UInt8](repeating: 0, count: 28)
        for (index, byte) in label.enumerated() { mark[index % 28] = mark[index % 28] &* 31 &+ byte }
        return mark
    }
}

import Execution
import Store
import Synchronization
import TestKit
import Testing

/// A kind of database on which the contract of the store is tested.
///
/// Tests need the trait `.databases`, and a scratch directory if they ask for a location.
enum DatabaseKind: CaseIterable {
    case sqlite
    case postgresql
}

extension DatabaseKind {
    /// Returns a store without any app.
    func empty() throws -> SQLStore {
        switch self {
        case .sqlite:
            let database = try Database(.memory)
            try database.executeScript(Self.script.get())
            return try SQLStore(database)
        case .postgresql: return try SQLStore(opening: location())
        }
    }

    /// Returns a store with the app, its keys and the package `news`.
    func withNews() async throws -> SQLStore {
        let store = try empty()
        try await store.addNews()
        return store
    }

    /// Returns the location of a new database, for tests with several connections; it has the newest schema and no app.
    func location() throws -> Database.Location {
        switch self {
        case .sqlite: return try lastingLocation(in: ScratchDirectory.path)
        case .postgresql:
            let (name, location) = try Self.makePostgreSQL()
            TestDatabases.note(name)
            return location
        }
    }

    /// Returns the location of a database that stays when the test ends, as a file in the folder if it is one.
    func lastingLocation(in folder: String) throws -> Database.Location {
        switch self {
        case .sqlite:
            let location = Database.Location.file("\(folder)/larder.sqlite")
            try Database(location).executeScript(Self.script.get())
            return location
        case .postgresql: return try Self.makePostgreSQL().location
        }
    }

    /// Returns the location of a new database without a schema.
    func blankLocation() throws -> Database.Location {
        switch self {
        case .sqlite: return .file("\(ScratchDirectory.path)/larder.sqlite")
        case .postgresql:
            let cluster = try PostgresCluster.shared.get()
            let name = try cluster.makeDatabase()
            TestDatabases.note(name)
            return try .postgresql(cluster.url(of: name))
        }
    }

    private static func makePostgreSQL() throws -> (name: String, location: Database.Location) {
        let cluster = try PostgresCluster.shared.get()
        let name = try cluster.makeDatabase(from: "larder") { url in
            try Migrator().migrate(Database(.postgresql(url)))
        }
        return (name, try .postgresql(cluster.url(of: name)))
    }

    /// The statements that create a database of SQLite with the newest schema.
    ///
    /// The migrations would take most of the time of a short test.
    private static let script = Result {
        let database = try Database(.memory)
        try Migrator().migrate(database)
        let schema: [String] = try database.values(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid")
        let rows: [String] = try database.values(
            "SELECT format('INSERT INTO migrations VALUES (%d, %Q, %d)', number, name, checksum) FROM migrations")
        let version: Int? = try database.value("PRAGMA user_version")
        let meta = "INSERT INTO meta (only, epoch, device_key) VALUES (1, lower(hex(randomblob(8))), randomblob(16))"
        return (schema + rows + [meta, "PRAGMA user_version = \(version ?? 0)"]).joined(separator: ";\n")
    }
}

extension Database.Location {
    /// Returns the location of a database of PostgreSQL.
    static func postgresql(_ url: String) throws -> Self { .postgreSQL(try #require(PostgreSQLAddress(url))) }

    /// The location for a further connection to the database, which does not own it.
    var shared: Self {
        guard case .postgreSQL(var address) = self else { return self }
        address.access = .reader
        return .postgreSQL(address)
    }
}

/// A trait that removes the PostgreSQL databases of each test after it, and bounds the number of tests that run at once.
///
/// Each database takes 8 MB, and the server accepts 100 connections.
struct TestDatabases: TestTrait, SuiteTrait, TestScoping {
    private final class Names: Sendable {
        let list = Mutex<[String]>([])
    }

    @TaskLocal private static var current: Names?
    private static let gate = AsyncGate(width: 16)

    var isRecursive: Bool { true }

    /// Notes a database of the running test.
    static func note(_ name: String) {
        guard let current else { preconditionFailure("the test has no .databases") }
        current.list.withLock { $0.append(name) }
    }

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let names = Names()
        defer {
            for name in names.list.withLock({ $0 }) { try? PostgresCluster.shared.get().discard(name) }
        }
        try await Self.gate.pass { try await Self.$current.withValue(names, operation: function) }
    }
}

extension Trait where Self == TestDatabases {
    /// Removes the PostgreSQL databases of each test after the test; sixteen tests run at once.
    static var databases: Self { Self() }
}

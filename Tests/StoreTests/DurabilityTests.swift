import Domain
import Files
import FoundationEssentials
import Glibc
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchDirectory, .databases)
struct DurabilityTests {
    private var path: String { "\(ScratchDirectory.path)/larder.sqlite" }

    @Test(arguments: DatabaseKind.allCases)
    func `reopening keeps everything`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let (published, before) = try await fill(location)

        let second = try SQLStore(opening: location)
        let after = try await second.state(of: Fixture.app)
        #expect(after.packages == before.packages)
        #expect(after.releases == before.releases)
        #expect(after.versions == before.versions)
        #expect(after.channels == before.channels)
        #expect(after.sequence == before.sequence)
        #expect(after.configVersion == before.configVersion)
        #expect(after.lastActivation == before.lastActivation)
        #expect(
            try await second.version(published.version.version, of: published.version.package, in: Fixture.app)
                == published.version)
        #expect(try await second.keys(of: Fixture.app) == Fixture.keys())
    }

    /// Publishes and releases a version in a store that is closed afterwards.
    private func fill(_ location: Database.Location) async throws -> (Publishing, AppState) {
        let store = try SQLStore(opening: location)
        try await store.addNews()
        let published = try await store.publish("1.0.0", seed: 1)
        try await store.release("1.0.0")
        return (published, try await store.state(of: Fixture.app))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an activation is announced once, also across a restart`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let moment = Fixture.start.adding(milliseconds: 1000)
        do {
            let first = try SQLStore(opening: location)
            try await first.addNews()
            try await first.publish("1.0.0", seed: 1)
            try await first.release("1.0.0", at: moment)
            try await first.recordActivations(of: Fixture.app, upTo: Fixture.start)
            #expect(try await activations(in: first) == 0)
        }
        // The activation time passes while no process runs.
        do {
            let second = try SQLStore(opening: location)
            try await second.recordActivations(of: Fixture.app, upTo: moment)
            #expect(try await activations(in: second) == 1)
        }
        let third = try SQLStore(opening: location)
        try await third.recordActivations(of: Fixture.app, upTo: moment)
        #expect(try await activations(in: third) == 1)
        #expect(try await third.state(of: Fixture.app).lastActivation == moment)
    }

    private func activations(in store: SQLStore) async throws -> Int {
        try await store.events(of: Fixture.app, last: 99).count { event in
            if case .activated = event.subject { true } else { false }
        }
    }

    @Test func `a full disk is reported as such, and the change is undone`() async throws {
        let database = try Database(.file(path))
        try Migrator().migrate(database)
        let pages: Int = try #require(try database.value("PRAGMA page_count"))
        try database.executeScript("PRAGMA max_page_count = \(pages + 4)")
        let store = try SQLStore(database)
        let entry = AuditEntry(
            time: Fixture.start, actor: "server", action: "x", app: nil,
            subject: String(repeating: "x", count: 100_000))
        #expect(try await code { try await store.recordAudit(entry) } == .storageFull)
        try await store.recordAudit(Fixture.audit("small"))
        #expect(try await store.audit(before: nil, limit: 9).map(\.entry.action) == ["small"])
    }

    @Test(arguments: [
        (ENOSPC, PlatformError.Code.storageFull), (EDQUOT, .storageFull), (EIO, .storageFailed),
    ])
    func `a file that cannot be written is reported with its reason`(number: Int32, code: PlatformError.Code) {
        let error = SystemError(number: number, action: "writing", path: "/data/blob")
        #expect(PlatformError(storing: error).code == code)
    }

    @Test func `a file that is not a database is reported as such`() throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
        let error = #expect(throws: PlatformError.self) { try SQLStore(opening: .file(path)) }
        #expect(error?.code == .storageFailed)
        #expect(error?.cause?.contains("not a database") == true)
    }

    @Test func `a database that cannot be opened is reported as such`() {
        let error = #expect(throws: PlatformError.self) {
            try SQLStore(opening: .file("\(path)/below/a/file"))
        }
        #expect(error?.code == .storageFailed)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the store reports health until its table is gone`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let store = try SQLStore(opening: location)
        try await store.check()
        try Database(location.shared).executeScript("DROP TABLE meta")
        #expect(try await code { try await store.check() } == .storageFailed)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `many callers at once get one change after the other`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        let ranks = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<50 { group.addTask { try await store.release("1.0.0").rank.value } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ranks).count == 50)
        #expect(try await store.events(of: Fixture.app, last: 99).map(\.sequence) == Array(1...51))
    }
}

import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct UnpackedTests {
    private func item(
        _ path: String, of version: String = "1.0.0", in package: String = "news",
        on channel: ChannelName = .production, from store: SQLStore
    ) async throws -> UnpackedItem? {
        try await store.unpackedItem(
            at: try #require(UnpackedPath(path)), of: try Fixture.version(version), of: try Fixture.package(package),
            on: channel, in: Fixture.app)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a file of a released version is found with all that is known of it`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let files = try await store.publish("1.0.0", seed: 1).version.tree.files
        try await store.release("1.0.0")
        #expect(try await item("index.html", from: store) == .file(files[0]))
        #expect(try await item("", from: store) == .file(files[0]))
        #expect(try await item("图/e\u{301}.png", from: store) == .file(files[1]))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a folder is distinguished from a missing path`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.release("1.0.0")
        #expect(try await item("图", from: store) == .folder)
        for path in ["图/", "图/é", "图/é.png/", "i", "index.html0", "INDEX.html", "index.html/"] {
            #expect(try await item(path, from: store) == .nothing, "\(path)")
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a version is found only on channels where it was released`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let beta = try Fixture.channel("beta")
        _ = try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("channel.declare"))
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("2.0.0-rc", seed: 2)
        #expect(try await item("", from: store) == nil)
        // A scheduled release suffices, because devices download ahead.
        try await store.release("1.0.0", at: Fixture.start.adding(milliseconds: 1000))
        try await store.release("2.0.0-rc", on: beta)
        #expect(try await item("", from: store) != nil)
        #expect(try await item("", on: beta, from: store) == nil)
        #expect(try await item("", of: "2.0.0-rc", on: beta, from: store) != nil)
        #expect(try await item("", of: "2.0.0-RC", on: beta, from: store) == nil)
        #expect(try await item("", of: "3", from: store) == nil)
        #expect(try await item("", in: "News", from: store) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a version without an entry is there, its root is not`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        let full = publishing.version
        publishing.version = Version(
            app: full.app, package: full.package, version: full.version, tree: full.tree, treeHash: full.treeHash,
            entry: nil, urlPrefix: .root, uploaded: UploadedDescriptors(), createdAt: full.createdAt)
        try await store.publish(publishing)
        try await store.release("1.0.0")
        #expect(try await item("", from: store) == .nothing)
        #expect(try await item("index.html", from: store) == .file(full.tree.files[0]))
    }
}

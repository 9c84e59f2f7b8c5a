import Artifacts
import Domain
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests full archives in further layouts.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ArchiveMakingTests {
    private let files: KeyValuePairs = ["index.html": "page", "js/app.js": "script", "empty": ""]

    private func made(
        _ service: TestService, _ layout: Layout, _ version: String = "1"
    ) async throws -> (archive: SignedArtifact, isNew: Bool) {
        try await service.archives.archive(
            of: try #require(VersionString(version)), of: try await service.putPackage(), in: layout, by: .server)
    }

    /// Returns the tree of an archive, read like an upload.
    private func tree(_ service: TestService, _ artifact: Artifact) throws -> Tree {
        let staging = try service.blobs.stage()
        defer { staging.discard() }
        let blob = try #require(try staging.open(artifact.blob))
        let upload = try staging.newScratch()
        try upload.append(try #require(blob.readAll()))
        return try ZipWorkshop().unpack(zipAt: upload.path, limits: PackageLimits(), into: staging)
    }

    @Test(arguments: [
        (Layout.flat, ["empty", "index.html", "js/app.js"]),
        (.topFolder, ["news/empty", "news/index.html", "news/js/app.js"]),
        (.baseNames, ["app.js", "empty", "index.html"]),
        (
            .appFolder,
            ["news/app.config.json", "news/empty", "news/files.json", "news/index.html", "news/js/app.js"]
        ),
    ])
    func `an archive unpacks to its layout's tree, and is signed as one`(layout: Layout, paths: [String]) async throws {
        let service = try await TestService()
        try await service.publish("1", files)
        let made = try await made(service, layout)
        #expect(made.isNew == (layout != .appFolder))
        let artifact = made.archive.artifact
        #expect(artifact.layout == layout && artifact.form == .full)
        let tree = try tree(service, artifact)
        #expect(tree.files.map(\.path.text) == paths)
        #expect(service.cryptography.treeHash(of: tree) == artifact.tree)
        #expect(Set(made.archive.signatures.map(\.purpose)) == [.signing, .legacy])
        let key = try #require(try await service.store.keys(of: .default).first { $0.purpose == .signing })
        let signature = try #require(made.archive.signatures.first { $0.purpose == .signing })
        let isRight = service.cryptography.verifyEd25519(
            signature.value, of: artifact.signedBytes, publicKey: key.publicKey)
        #expect(isRight)
    }

    @Test func `an archive is built once, however many requests ask for it at once`() async throws {
        let service = try await TestService()
        try await service.publish("1", files)
        let all = try await withThrowingTaskGroup(of: (SignedArtifact, Bool).self) { group in
            for _ in 0..<4 { group.addTask { try await made(service, .flat) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(all.map(\.0.artifact.blob)).count == 1)
        #expect(Set(all.map { $0.0.signatures.map(\.value) }).count == 1)
        #expect(try await !made(service, .flat).isNew)
        let known = try await service.store.blobs()
        #expect(try service.blobs.sweep(keeping: known) == 0)
    }

    @Test func `building an archive does not change the offers to devices`() async throws {
        let service = try await TestService()
        try await service.publish("1", files)
        try await service.release("1")
        let before = try #require(try service.entry()?.current).version.full
        _ = try await made(service, .flat)
        try await service.putPackage("news", .init(name: "Other"))
        #expect(try service.entry()?.current?.version.full == before)
    }

    @Test func `a layout that a version does not fit is refused, and no archive is stored`() async throws {
        let service = try await TestService()
        try await service.publish("1", ["index.html": "page", "a/x": "1", "b/x": "2"])
        let known = try await service.store.blobs()
        await #expect(throws: PlatformError.self) { try await made(service, .baseNames) }
        await #expect(throws: PlatformError.self) { try await made(service, .flat, "2") }
        #expect(try await service.store.blobs() == known)
        #expect(try service.blobs.sweep(keeping: known) == 0)
    }

    @Test func `a key that is made later signs it as well`() async throws {
        let service = try await TestService()
        try await service.publish("1", files)
        _ = try await made(service, .flat)
        let pem = try service.cryptography.makeLegacyPair().publicPEM
        let key = try await service.keys.importLegacy(pem: pem, of: service.app, by: .server)
        let first = try #require(try await service.store.keys(of: .default).legacy.first?.id)
        func legacy() async throws -> [KeyID] {
            try await made(service, .flat).archive.signatures.filter { $0.purpose == .legacy }.map(\.keyID)
        }
        // There is room for one key, and earlier clients have the first.
        #expect(try await legacy() == [first])
        service.clock.advance(milliseconds: 1)
        _ = try await service.keys.retire(first, of: service.app, by: .server)
        #expect(try await legacy() == [key.id])
    }
}

import Artifacts
import Domain
import FoundationEssentials
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PublishingTests {
    @Test func `a version has the tree hash that its definition gives`() async throws {
        let service = try await TestService()
        let outcome = try await service.publish(
            "1.0.0", ["js/app.js": "console.log(1)", "日本.txt": "", "js-x": "x", "index.html": "<html></html>"])
        // Computed with Python, as in DomainTests: the files in another order, the hash over their sorted lines.
        let hash = "469774699d14aa3db7b5ce8a4ae6208ee64c0a2e639af02052a42d29d07d0e5f"
        #expect(try #require(outcome.published).treeHash.hex == hash)
        #expect(outcome.published?.fileCount == 4)
        #expect(outcome.published?.totalSize == 28)
    }

    @Test func `publishing the same content again changes nothing`() async throws {
        let service = try await TestService()
        let first = try #require(try await service.publishSample("1.0.0").published)
        service.clock.advance(milliseconds: 5000)
        let again = try #require(try await service.publishSample("1.0.0").unchanged)
        #expect(again == first)
        // In another order, within a folder, and with macOS files: the same content.
        var files = TestService.sample("1.0.0").reversed().map { (path: "dist/\($0.path)", content: $0.content) }
        files.append((path: "__MACOSX/dist/._index.html", content: [1]))
        #expect(try await service.publish("1.0.0", zip: StoredZip(files).bytes).unchanged == first)
        let audit = try await service.store.audit(before: nil, limit: 100).filter {
            $0.entry.action == "version.publish"
        }
        #expect(audit.count == 1)
    }

    @Test func `a version without order is refused if another package came to need a range during the publishing`()
        async throws
    {
        let service = try await TestService()
        let (news, shop) = (try await service.putPackage(), try await service.putPackage("shop"))
        let range = try #require(VersionRange("^7"))
        let dependent = Publisher.Request(
            package: shop, version: try #require(VersionString("1.0")), unwrapping: .never,
            requirements: VersionRequirements(dependencies: [.init(package: news.id, range: range)]))
        let unordered = Publisher.Request(
            package: news, version: try #require(VersionString("winter-build")), unwrapping: .never)
        @Sendable func publish(_ request: Publisher.Request) async throws(PlatformError) {
            var zip: [UInt8]? = StoredZip(["index.html": "<p>1"]).bytes
            _ = try await service.publisher.publish(request, by: .server) { () throws(PlatformError) in zip.take() }
        }
        // Publishing reads the keys after its first check and before the commit.
        service.store.setBefore(.keys) { () throws(PlatformError) in
            service.store.setBefore(.keys, nil)
            try await publish(dependent)
        }
        #expect(try await code { try await publish(unordered) } == .conflict)
        #expect(try await service.store.versions(of: shop.id, in: .default).count == 1)
        #expect(try await service.store.versions(of: news.id, in: .default).isEmpty)
    }

    @Test func `a version string never means two contents`() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0-rc", ["index.html": "1"])
        #expect(try await code { try await service.publish("1.0.0-rc", ["index.html": "2"]) } == .versionExists)
        // Another case is rejected as well, although the content is the same.
        #expect(try await code { try await service.publish("1.0.0-RC", ["index.html": "1"]) } == .versionExists)
        #expect(try await service.store.versions(of: service.putPackage().id, in: .default).count == 1)
    }

    @Test func `a version with warnings is published, and the warnings are returned each time`() async throws {
        let service = try await TestService()
        let files: KeyValuePairs = ["index.html": "<img src=no.png>", "a b.txt": "", "js/a.js.map": "{}"]
        let outcome = try await service.publish("1.0.0", files)
        #expect(outcome.published != nil)
        let codes: [LintFinding.Code] = [.referenceMissing, .nameUnsafe, .sourceMap]
        #expect(outcome.warnings.map(\.code) == codes)
        #expect(outcome.warnings.map(\.path?.text) == ["index.html", "a b.txt", "js/a.js.map"])
        let again = try await service.publish("1.0.0", files)
        #expect(again.unchanged != nil && again.warnings == outcome.warnings)
    }

    @Test func `a package that grew is compared with what production offers`() async throws {
        let service = try await TestService()
        let large = String(repeating: "x", count: 200)
        try await service.publish("1.0.0", ["index.html": "1", "a.txt": String(repeating: "y", count: 100)])
        let files: KeyValuePairs = ["index.html": "1", "a.txt": large]
        #expect(try await service.publish("1.1.0", files).warnings == [])
        try await service.release("1.0.0")
        #expect(try await service.publish("1.2.0", files).warnings.map(\.code) == [.packageGrew])
    }

    @Test func `entry and prefix belong to the content, name and priority do not`() async throws {
        let service = try await TestService()
        let files: KeyValuePairs = ["index.html": "1", "home.html": "2"]
        try await service.publish("1.0.0", files)
        try await service.putPackage("news", .init(name: "Other", isEnabled: false, priority: 5))
        #expect(try await service.publish("1.0.0", files).unchanged != nil)
        try await service.putPackage("news", .init(entry: try TreePath("home.html")))
        #expect(try await code { try await service.publish("1.0.0", files) } == .versionExists)
        try await service.putPackage("news", .init(entry: .index, urlPrefix: URLPrefix("/n")))
        #expect(try await code { try await service.publish("1.0.0", files) } == .versionExists)
        try await service.putPackage("news", .init(urlPrefix: .root))
        #expect(try await service.publish("1.0.0", files).unchanged != nil)
    }

    @Test func `two identical concurrent uploads both succeed, and one publishes`() async throws {
        let service = try await TestService()
        try await service.putPackage()
        let barrier = Barrier(count: 2)
        // Both have found the name free before either continues.
        service.store.setAfter(.publication) { () throws(PlatformError) in await barrier.arrive() }
        async let left = service.publishSample("1.0.0")
        async let right = service.publishSample("1.0.0")
        let outcomes = try await [left, right]
        #expect(outcomes.compactMap(\.published).count == 1)
        #expect(outcomes.compactMap(\.unchanged) == outcomes.compactMap(\.published))
    }

    @Test func `one of two different concurrent uploads of a version wins, and the other is refused`() async throws {
        let service = try await TestService()
        try await service.putPackage()
        let barrier = Barrier(count: 2)
        service.store.setAfter(.publication) { () throws(PlatformError) in await barrier.arrive() }
        async let left = code { try await service.publish("1.0.0", ["index.html": "left"]) }
        async let right = code { try await service.publish("1.0.0", ["index.html": "right"]) }
        let codes = try await [left, right]
        #expect(Set(codes) == [nil, .versionExists])
        #expect(try await service.store.versions(of: service.putPackage().id, in: .default).count == 1)
    }

    @Test func `the archive unpacks to the layout, descriptors included`() async throws {
        let service = try await TestService()
        try await service.publish(
            "1.0.0",
            [
                "index.html": "<html>", "app.config.json": #"{"theme":"dark","version":"7"}"#,
                "files.json": #"{"/old":"/index.html"}"#,
            ])
        try await service.release("1.0.0")
        let files = try await service.unpack(try #require(try service.entry()?.current?.version.full.artifact))
        #expect(files.keys.sorted() == ["news/app.config.json", "news/files.json", "news/index.html"])
        #expect(files["news/app.config.json"] == #"{"appId":"news","version":"1.0.0","theme":"dark"}"#)
        #expect(
            files["news/files.json"] == """
                {"":"/index.html","/":"/index.html","/app.config.json":"/app.config.json","/files.json":"/files.json",\
                "/index.html":"/index.html","/old":"/index.html"}
                """)
    }

    @Test func `settings that change during an upload fail it, since the version would not have them`() async throws {
        let service = try await TestService()
        let request = Publisher.Request(
            package: try await service.putPackage(), version: try #require(VersionString("1.0.0")),
            unwrapping: .automatic)
        var pieces = [StoredZip(["index.html": "page"]).bytes][...]
        let error = await #expect(throws: PlatformError.self) {
            try await service.publisher.publish(request, by: .server) { () throws(PlatformError) in
                guard let piece = pieces.popFirst() else { return nil }
                _ = try await service.catalogue.putPackage(
                    request.package.id, .init(urlPrefix: URLPrefix("/moved/")),
                    of: try service.live.requireApp(.default), by: .server)
                return piece
            }
        }
        #expect(error?.code == .conflict)
        #expect(try await service.store.versions(of: request.package.id, in: .default).isEmpty)
    }

    @Test func `a refused upload leaves no data`() async throws {
        let service = try await TestService()
        #expect(try await code { try await service.publish("1.0.0", zip: Array("no zip".utf8)) } == .badPackage)
        #expect(try await code { try await service.publish("1.0.0", ["readme": "no entry"]) } == .badPackage)
        #expect(try await code { try await service.publish("1.0.0", zip: []) } == .badPackage)
        #expect(try service.stagedFiles() == [])
        #expect(try await service.store.versions(of: service.putPackage().id, in: .default) == [])
        #expect(try await service.store.blobs() == [])
    }

    @Test func `a zip may be as large as the limit, and no byte larger`() async throws {
        let zip = StoredZip(["index.html": "1"]).bytes
        var limits = PackageLimits()
        limits.uploadBytes = zip.count
        let service = try await TestService(limits: limits)
        #expect(try await service.publish("1.0.0", zip: zip).published != nil)
        #expect(try await code { try await service.publish("2.0.0", zip: zip + [0]) } == .bodyTooLarge)
        #expect(try service.stagedFiles() == [])
    }

    @Test func `an error that ends the upload is passed on`() async throws {
        let service = try await TestService()
        let request = Publisher.Request(
            package: try await service.putPackage(), version: try #require(VersionString("1.0.0")),
            unwrapping: .automatic)
        let outcome = try await code {
            _ = try await service.publisher.publish(request, by: .server) {
                () throws(PlatformError) -> [UInt8]? in throw PlatformError(.bodyIncomplete, "The peer left.")
            }
        }
        #expect(outcome == .bodyIncomplete)
        #expect(try service.stagedFiles() == [])
    }

    @Test func `staged files are removed however publishing and releasing end, though they are held`() async throws {
        let blobs = HoldingBlobs(try DiskBlobStore(directory: ScratchDirectory.path))
        let service = try await TestService(blobs: blobs)
        for number in 1...2 {
            try await service.publishSample("\(number).0.0")
            try await service.release("\(number).0.0")
        }
        try await service.putPackage("other")
        let outcome = try await code { try await service.publish("1", of: "other", zip: [1, 2, 3]) }
        #expect(outcome == .badPackage)
        #expect(blobs.held == 4)
        #expect(try service.stagedFiles() == [])
    }

    @Test func `a publishing that fails in the store can be repeated`() async throws {
        let service = try await TestService()
        service.store.setBefore(.publish) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { try await service.publishSample("1.0.0") } == .storageFailed)
        service.store.setBefore(.publish, nil)
        #expect(try await service.publishSample("1.0.0").published != nil)
        // The second publishing has the blobs that the first left: there is nothing to sweep.
        #expect(try service.blobs.sweep(keeping: try await service.store.blobs()) == 0)
    }
}

/// A blob store that retains its stagings.
private final class HoldingBlobs: BlobStore {
    private let base: any BlobStore
    private let stagings = Shared<[any BlobStaging]>([])

    init(_ base: any BlobStore) { self.base = base }

    var held: Int { stagings.value.count }

    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? { try base.open(digest) }

    func stage() throws(PlatformError) -> any BlobStaging {
        let staging = try base.stage()
        stagings.change { $0.append(staging) }
        return staging
    }

    func sweep(keeping known: Set<SHA256Digest>) throws(PlatformError) -> Int { try base.sweep(keeping: known) }

    func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest> { base.condemn(digests) }

    func permitRemoval(at now: Timestamp) throws(PlatformError) -> RemovalPermit? { try base.permitRemoval(at: now) }

    func removeCondemned(_ digests: Set<SHA256Digest>) throws(PlatformError) -> Int {
        try base.removeCondemned(digests)
    }
}

extension TestService {
    /// Returns the files of an artifact as a device unpacks them.
    func unpack(_ artifact: Artifact) async throws -> [String: String] {
        let blob = try #require(try blobs.open(artifact.blob))
        let workshop = ZipWorkshop()
        let staging = try blobs.stage()
        let tree = try workshop.unpack(
            zipAt: "/proc/self/fd/\(blob.descriptor)", limits: PackageLimits(), into: staging)
        #expect(cryptography.sha256(tree.hashedBytes) == artifact.tree || artifact.base != nil)
        return try Dictionary(
            uniqueKeysWithValues: tree.files.map { file in
                let bytes = try workshop.read(file.content, from: staging, upTo: 1 << 20)
                return (file.path.text, String(decoding: bytes, as: UTF8.self))
            })
    }

    /// Returns the names in the staging folder.
    func stagedFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/staging")
    }
}

extension Publisher.Outcome {
    var published: VersionSummary? {
        guard case .published(let summary, _) = self else { return nil }
        return summary
    }

    var unchanged: VersionSummary? {
        guard case .unchanged(let summary, _) = self else { return nil }
        return summary
    }

    var warnings: [LintFinding] {
        switch self {
        case .published(_, let result), .unchanged(_, let result), .possible(_, let result): result.findings
        case .exists: []
        }
    }
}

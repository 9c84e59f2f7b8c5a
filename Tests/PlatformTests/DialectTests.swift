import Artifacts
import Dialects
import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests the checks of packages' dialects, and the artifacts that exist before devices get them.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DialectTests {
    private let page: KeyValuePairs = ["index.html": "page", "js/app.js": "script"]
    private let nested: KeyValuePairs = ["a/index.html": "page", "b/x": "1", "c/x": "2"]

    private func failure(_ body: () async throws -> Void) async throws -> PlatformError? {
        do {
            try await body()
            return nil
        } catch let error as PlatformError {
            return error
        }
    }

    private func turnOn(_ dialects: Set<Dialect>, _ service: TestService) async throws {
        try await service.putPackage("news", .init(dialects: dialects))
    }

    private func layouts(_ service: TestService, _ version: String = "1") async throws -> Set<Layout> {
        let archives = try await service.archives.archives(
            of: try #require(VersionString(version)), of: try await service.putPackage().id, in: .default)
        #expect(archives.allSatisfy { Set($0.signatures.map(\.purpose)) == [.signing, .legacy] })
        return Set(archives.map(\.artifact.layout))
    }

    @Test func `turning a dialect on builds the archives of offered and scheduled versions`() async throws {
        let service = try await TestService()
        for version in ["0", "1", "2", "3"] { try await service.publish(version, page + version) }
        try await service.release("0")
        try await service.release("1")
        try await service.release("2", at: service.fromNow(1000))
        try await turnOn([.newestPackage], service)
        #expect(try await layouts(service, "1") == [.appFolder, .flat])
        #expect(try await layouts(service, "2") == [.appFolder, .flat])
        // Ended or not released.
        #expect(try await layouts(service, "0") == [.appFolder])
        #expect(try await layouts(service, "3") == [.appFolder])
        let entry = try #require(try service.entry())
        #expect(entry.package.dialects == [.newestPackage])
        #expect(Set(try #require(entry.current).version.archives.keys) == [.flat])
        #expect(Set(try #require(entry.next).version.archives.keys) == [.flat])
        try await turnOn([.newestPackage, .infoJSON], service)
        #expect(Set(try #require(service.entry()?.current).version.archives.keys) == [.flat, .baseNames])
        try await turnOn([], service)
        #expect(try #require(service.entry()?.current).version.archives.isEmpty)
        try await service.putPackage("news", .init(name: "Other", dialects: [.infoJSON]))
        #expect(try await service.putPackage("news", .init(priority: 4)).dialects == [.infoJSON])
    }

    @Test func `a data directory with an unknown dialect is refused, and the error names it`() async throws {
        let service = try await TestService()
        try await turnOn([.infoJSON], service)
        let database = try Database(.file(service.folder + "/larder.sqlite"))
        try database.execute(#"UPDATE packages SET dialects = '["info-json","other"]'"#)
        let error = try await failure { _ = try await service.restarted() }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.hasPrefix("The package 'news' of the app 'default' has the dialect 'other'") == true)
        try database.execute(#"UPDATE packages SET dialects = '["info-json"]'"#)
        #expect(try await service.restarted().putPackage().dialects == [.infoJSON])
    }

    @Test func `a release has its archives before it is made`() async throws {
        let service = try await TestService()
        try await turnOn([.newestPackage, .infoJSON], service)
        try await service.publish("1", page)
        service.store.setBefore(.makeRelease) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { try await service.release("1") } == .storageFailed)
        #expect(try await layouts(service) == [.appFolder, .flat, .baseNames])
        service.store.setBefore(.makeRelease, nil)
        try await service.release("1")
        let archives = try #require(service.entry()?.current).version.archives
        #expect(Set(archives.keys) == [.flat, .baseNames])
        #expect(try service.view().named.isSuperset(of: archives.values.map(\.blob)))
        for artifact in archives.values { #expect(try service.blobs.open(artifact.blob) != nil) }
    }

    @Test func `a dialect that an offered or scheduled version does not fit is not turned on`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(entry: .some(nil)))
        try await service.publish("1", nested, unwrapping: .never)
        try await service.release("1", at: service.fromNow(1000))
        try await service.publish("2", page)
        for (dialect, path) in [(Dialect.newestPackage, "index.html"), (.infoJSON, "c/x")] {
            let error = try await failure { try await turnOn([dialect], service) }
            #expect(error?.code == .conflict && error?.entry == path && error?.reason == "dialect")
            #expect(error?.message.contains("1 of 'news'") == true)
        }
        #expect(try await service.putPackage().dialects == [])
        #expect(try await layouts(service) == [.appFolder])
    }

    @Test func `the newest unreleased version must fit as well, unless it is retired`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(entry: .some(nil)))
        try await service.publish("1", page)
        try await service.publish("2", nested, unwrapping: .never)
        #expect(try await code { try await turnOn([.infoJSON], service) } == .conflict)
        _ = try await service.versions.retire(
            try #require(VersionString("2")), of: try await service.putPackage(), because: "r", by: .server)
        try await turnOn([.infoJSON], service)
    }

    @Test func `an id that the clients cannot have is refused, also of a new package`() async throws {
        let service = try await TestService()
        let error = try await failure { try await service.putPackage("News", .init(dialects: [.newestPackage])) }
        #expect(error?.code == .conflict && error?.message.contains("News.package") == true)
        #expect(try await service.catalogue.packages(of: service.app).isEmpty)
    }

    @Test(arguments: [false, true])
    func `publishing a version that does not fit is refused once the dialect is on`(isDryRun: Bool) async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(entry: .some(nil), dialects: [.infoJSON]))
        let error = try await failure {
            try await service.publish("1", nested, unwrapping: .never, isDryRun: isDryRun)
        }
        #expect(error?.code == .badPackage && error?.entry == "c/x" && error?.reason == "dialect")
        try await service.publish("1", page, isDryRun: isDryRun)
    }

    @Test func `publishing the same content again is not checked by a dialect`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(entry: .some(nil)))
        try await service.publish("1", nested, unwrapping: .never)
        try await service.publish("2", page)
        try await turnOn([.infoJSON], service)
        guard case .unchanged = try await service.publish("1", nested, unwrapping: .never) else {
            Issue.record("refused")
            return
        }
        // Its release is checked.
        let error = try await failure { try await service.release("1") }
        #expect(error?.code == .conflict && error?.entry == "c/x" && error?.message.contains("1 of 'news'") == true)
        #expect(try service.entry() == nil)
    }

    @Test func `an archive that was made before names were folded is still released and announced`() async throws {
        let service = try await TestService()
        let files: KeyValuePairs = ["index.html": "page", "a/ς": "1", "b/σ": "2"]
        try await service.publish("1", files)
        // No new archive is made with such names.
        #expect(try await code { try await turnOn([.infoJSON], service) } == .conflict)
        let package = try await service.putPackage()
        let version = try #require(VersionString("1"))
        let refusal = try await code {
            _ = try await service.archives.archive(of: version, of: package, in: .baseNames, by: .server)
        }
        #expect(refusal == .conflict)
        try await makeArchive(of: "1", in: .baseNames, service)
        try await turnOn([.infoJSON], service)
        try await service.release("1")
        let info = try await service.get("/packages/news/info.json")
        #expect(try info.json["fileList"]?.elements?.map(\.string) == ["index.html", "ς", "σ"])
        let name = try #require(try info.json["packageName"]?.string)
        #expect(try await service.get("/packages/news/\(name)").status == 200)
    }

    /// Creates an archive without checking the names in it.
    private func makeArchive(of name: String, in layout: Layout, _ service: TestService) async throws {
        let id = try await service.putPackage().id
        let number = try #require(VersionString(name))
        let version = try #require(try await service.store.version(number, of: id, in: .default))
        let placed = try layout.placed(version.tree, of: id)
        let staging = try service.blobs.stage()
        let built = try ZipWorkshop().buildZip(placed.files, into: staging)
        try staging.commit()
        let artifact = Artifact(
            of: version, form: .full, layout: layout, tree: service.cryptography.treeHash(of: placed), built: built)
        let audit = AuditEntry(
            time: service.clock.now(), actor: "test", action: "archive.make", app: .default, subject: name, details: [])
        try await service.store.addArchive(
            SignedArtifact(artifact: artifact, signatures: []), blobs: staging.records, audit: audit)
        try await service.keys.completeSignatures(of: .default)
    }

    @Test func `a release made while a dialect is being turned on is prepared too`() async throws {
        let service = try await TestService()
        try await service.publish("1", page)
        try await service.publish("2", page + "2")
        try await service.release("1")
        let times = Counter()
        service.store.setAfter(.version) { () throws(PlatformError) in
            guard times.increment() == 1 else { return }
            await released(service, "2")
        }
        try await turnOn([.newestPackage], service)
        #expect(times.value > 1)
        #expect(try service.entry()?.current?.version.version.text == "2")
        #expect(Set(try #require(service.entry()?.current).version.archives.keys) == [.flat])
    }

    @Test func `a dialect that is turned on while a version is being released takes effect`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(entry: .some(nil)))
        try await service.publish("1", nested, unwrapping: .never)
        try await service.publish("2", page)
        let times = Counter()
        service.store.setAfter(.package) { () throws(PlatformError) in
            guard times.increment() == 1 else { return }
            do { try await turnOn([.infoJSON], service) } catch { Issue.record(error) }
        }
        let error = try await failure { try await service.release("1") }
        #expect(error?.code == .conflict && error?.message.contains("Release it again") == true)
        #expect(try service.entry() == nil)
    }

    @Test func `an upload during which a dialect was turned on is not published`() async throws {
        let service = try await TestService()
        let package = try await service.putPackage("news", .init(entry: .some(nil)))
        let request = Publisher.Request(
            package: package, version: try #require(VersionString("1")), unwrapping: .never)
        var pieces = [StoredZip(nested).bytes][...]
        try await turnOn([.infoJSON], service)
        let error = try await failure {
            _ = try await service.publisher.publish(request, by: .server) {
                () throws(PlatformError) in pieces.popFirst()
            }
        }
        #expect(error?.code == .conflict && error?.message.contains("'dialects'") == true)
    }

    @Test func `artifacts that a response named stay for the grace period, with the archives of dialects`() async throws
    {
        let day: Int64 = 86_400_000
        let service = try await TestService(
            retention: try #require(RetentionPolicy(keepVersions: 1, graceHours: 48)))
        try await turnOn([.newestPackage], service)
        try await service.publish("1", page)
        try await service.release("1")
        let blob = try #require(service.entry()?.current?.version.archives[.flat]).blob
        // Patches from the three versions before the current one are planned, so these stay.
        for version in ["2", "3", "4", "5"] {
            try await service.publish(version, page + version)
            try await service.release(version)
        }
        #expect(try await service.pruner.prune(by: .server).versions == 0)
        service.clock.advance(milliseconds: day)
        #expect(try await service.pruner.prune(by: .server).versions == 0)
        #expect(try service.blobs.open(blob) != nil)
        service.clock.advance(milliseconds: day)
        #expect(try await service.pruner.prune(by: .server).versions == 1)
        #expect(try service.blobs.open(blob) == nil)
        #expect(try service.blobs.open(try #require(service.entry()?.current?.version.archives[.flat]).blob) != nil)
    }

    private func released(_ service: TestService, _ version: String) async {
        do { try await service.release(version) } catch { Issue.record(error) }
    }
}

extension KeyValuePairs<String, String> {
    /// Returns these files and one more.
    fileprivate static func + (files: Self, content: String) -> [(path: String, content: [UInt8])] {
        files.map { ($0.key, Array($0.value.utf8)) } + [("more.txt", Array(content.utf8))]
    }
}

extension TestService {
    @discardableResult
    fileprivate func publish(
        _ version: String, _ files: [(path: String, content: [UInt8])]
    ) async throws -> Publisher.Outcome {
        try await publish(version, zip: StoredZip(files).bytes)
    }
}

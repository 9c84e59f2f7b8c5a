import Artifacts
import Domain
import FoundationEssentials
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests what the pruner removes and keeps.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PruningTests {
    private static let day: Int64 = 86_400_000

    private func makeService(keepVersions: Int? = 1, graceHours: Int = 24) async throws -> TestService {
        try await TestService(
            retention: try #require(RetentionPolicy(keepVersions: keepVersions, graceHours: graceHours)))
    }

    private func versions(_ service: TestService) async throws -> [String] {
        try await service.store.versions(of: service.putPackage().id, in: .default).map(\.version.text)
    }

    /// Checks that exactly the blobs in the metadata exist.
    private func expectWhole(_ service: TestService) async throws {
        let known = try await service.store.blobs()
        let files = try FileManager.default.subpathsOfDirectory(atPath: service.folder + "/blobs")
        let stored = Set(files.compactMap { SHA256Digest(hex: $0.split(separator: "/").last ?? "") })
        #expect(known.subtracting(stored) == [])
        #expect(try DataExamination.findings(of: service) == [])
    }

    @Test func `a version is removed after its grace period with all that only it needed`() async throws {
        let service = try await makeService()
        try await service.publishSample("1.0.0")
        try await service.ship("2.0.0")
        let before = try await service.store.blobs()
        // Marked now, so that it stays for a day.
        #expect(try await service.pruner.prune(by: .server).versions == 0)
        service.clock.advance(milliseconds: Self.day - 1)
        #expect(try await service.pruner.prune(by: .server).versions == 0)
        service.clock.advance(milliseconds: 1)
        let rehearsed = try await service.pruner.rehearse()
        #expect(try await versions(service) == ["1.0.0", "2.0.0"])
        let report = try await service.pruner.prune(by: .server)
        #expect(report.versions == 1 && report.artifacts == 1 && report.blobs > 0 && report.bytes > 0)
        #expect(report.items.map(\.version.text) == ["1.0.0"] && report.items.map(\.reason) == [.outdated])
        #expect(rehearsed.isRehearsal && !report.isRehearsal)
        #expect(
            (rehearsed.items, rehearsed.versions, rehearsed.artifacts, rehearsed.blobs, rehearsed.bytes)
                == (report.items, report.versions, report.artifacts, report.blobs, report.bytes))
        #expect(try await versions(service) == ["2.0.0"])
        let after = try await service.store.blobs()
        #expect(after.isStrictSubset(of: before))
        for blob in before.subtracting(after) { #expect(try service.blobs.open(blob) == nil) }
        let audit = try await service.store.audit(before: nil, limit: 1).first?.entry
        #expect(audit?.action == "package.prune" && audit?.subject == "news")
        #expect(JSON.object(audit?.details ?? []).text == #"{"artifacts":1,"versions":["1.0.0"]}"#)
        #expect(try await service.pruner.prune(by: .server).isEmpty)
        try await expectWhole(service)
    }

    @Test func `a clock jump counts as a day at most, in either direction`() async throws {
        let service = try await makeService(graceHours: 48)
        try await service.publishSample("1.0.0")
        try await service.ship("2.0.0")
        let start = service.clock.now()
        func removed() async throws -> Int { try await service.pruner.prune(by: .server).versions }
        #expect(try await removed() == 0)
        service.clock.set(to: start.adding(milliseconds: 365 * Self.day))
        #expect(try await removed() == 0)
        service.clock.set(to: start)
        #expect(try await removed() == 0)
        // The elapsed part of the year is discarded.
        for _ in 0..<2 {
            service.clock.advance(milliseconds: Self.day - 1)
            #expect(try await removed() == 0)
        }
        service.clock.advance(milliseconds: 2)
        #expect(try await removed() == 1)
    }

    @Test func `a server that was down for long counts a day of it`() async throws {
        let service = try await makeService(graceHours: 48)
        try await service.publishSample("1.0.0")
        try await service.ship("2.0.0")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: 100 * Self.day)
        let next = try await TestService(
            clock: service.clock, store: service.store,
            retention: try #require(RetentionPolicy(keepVersions: 1, graceHours: 48)))
        #expect(try await next.pruner.prune(by: .server).versions == 0)
        next.clock.advance(milliseconds: Self.day)
        #expect(try await next.pruner.prune(by: .server).versions == 1)
    }

    @Test func `a failure for one package does not keep others from being pruned`() async throws {
        let service = try await makeService()
        for package in ["a", "b"] {
            try await service.publishSample("1.0.0", of: package)
            try await service.ship("2.0.0", of: package)
        }
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        let calls = Counter()
        let failure = PlatformError(.storageFailed, "The database is damaged.")
        service.store.setBefore(.forget) { () throws(PlatformError) in
            if calls.increment() == 1 { throw failure }
        }
        let report = try await service.pruner.prune(by: .server)
        #expect(report.failures == [failure])
        #expect(report.versions == 1 && report.blobs > 0)
        #expect(report.items.map(\.package.text) == ["b"])
    }

    @Test func `an archive that an operator response has just named keeps its grace period`() async throws {
        let service = try await makeService()
        try await service.publishSample("1.0.0")
        try await service.ship("2.0.0")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        // A repeated pipeline gets the result that the version exists.
        try await service.publishSample("1.0.0")
        #expect(try await service.pruner.prune(by: .server).versions == 0)
        service.clock.advance(milliseconds: Self.day)
        let version = try #require(VersionString("1.0.0"))
        _ = try await service.archives.archive(
            of: version, of: try await service.putPackage(), in: .appFolder, by: .server)
        #expect(try await service.pruner.prune(by: .server).versions == 0)
        service.clock.advance(milliseconds: Self.day)
        #expect(try await service.pruner.prune(by: .server).versions == 1)
    }

    @Test func `a dry run changes nothing, not even the start of a grace period`() async throws {
        let service = try await makeService()
        try await service.publishSample("1.0.0")
        try await service.ship("2.0.0")
        _ = try await service.pruner.rehearse()
        service.clock.advance(milliseconds: 40 * Self.day)
        #expect(try await service.pruner.rehearse().versions == 0)
        #expect(try await service.pruner.prune(by: .server).versions == 0)
        service.clock.advance(milliseconds: Self.day)
        #expect(try await service.pruner.rehearse().versions == 1)
    }

    @Test func `without a limit on versions none is removed, but old patches are`() async throws {
        let service = try await makeService(keepVersions: nil)
        for version in ["1", "2", "3"] {
            try await service.ship(version)
            service.clock.advance(milliseconds: 1)
        }
        #expect(try await service.pruner.prune(by: .server).artifacts == 0)
        service.clock.advance(milliseconds: Self.day)
        let report = try await service.pruner.prune(by: .server)
        #expect(report.versions == 0)
        #expect(report.items.allSatisfy { $0.patch?.base.text == "1" && $0.version.text == "2" })
        #expect(!report.items.isEmpty && report.items.allSatisfy { $0.reason == .unreferenced })
        #expect(try await versions(service) == ["1", "2", "3"])
        // All offered artifacts exist.
        for patch in try #require(try service.entry()?.current).patches {
            #expect(try service.blobs.open(patch.artifact.blob) != nil)
        }
        // 2 can still be released, and its patches are built again.
        try await service.release("2")
        #expect(try #require(try service.entry()?.current).patches.contains { $0.artifact.base?.text == "3" })
        try await expectWhole(service)
    }

    @Test func `the grace period of an archive that is named again restarts, also if the server was killed`()
        async throws
    {
        let service = try await makeService()
        try await service.ship("1")
        service.clock.advance(milliseconds: 1)
        try await service.ship("2")
        try await service.publishSample("3")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        // 1 was marked a day ago and is offered again briefly.
        try await service.release("1")
        let blob = try #require(try service.entry()?.current).version.full.artifact.blob
        service.clock.advance(milliseconds: 1)
        try await service.release("2")
        // The process is killed and restarted.
        let next = try await service.restarted()
        let facts = try await next.store.retentionFacts(of: next.putPackage().id, in: .default)
        let since = try #require(facts.artifacts.first { $0.blob == blob }?.unreferencedSince)
        #expect(since == service.clock.now())
    }

    @Test func `a response never names an archive that counts as unreferenced`() async throws {
        let service = try await makeService()
        try await service.ship("1")
        service.clock.advance(milliseconds: 1)
        try await service.ship("2")
        _ = try await service.pruner.prune(by: .server)
        // If the mark cannot be removed, the release is committed and not served.
        service.store.setBefore(.noteNamed) { () throws(PlatformError) in throw storeFailure }
        await #expect(throws: PlatformError.self) { try await service.release("1") }
        #expect(try service.entry()?.current?.version.version.text == "2")
        // An app whose last change is not served is skipped.
        service.clock.advance(milliseconds: 2 * Self.day)
        let report = try await service.pruner.prune(by: .server)
        #expect(report.skipped == [.default] && report.artifacts == 0)
        service.store.setBefore(.noteNamed, nil)
        try await service.live.activate(service.app)
        #expect(try service.entry()?.current?.version.version.text == "1")
        #expect(try await service.pruner.prune(by: .server).skipped == [])
        try await expectWhole(service)
    }

    @Test func `a version that was removed is released once it is published again`() async throws {
        let service = try await makeService()
        try await service.publishSample("1.0.0")
        try await service.ship("2.0.0")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        #expect(try await service.pruner.prune(by: .server).versions == 1)

        let error = await #expect(throws: PlatformError.self) { try await service.release("1.0.0") }
        #expect(error?.code == .conflict && error?.message.contains("Publish the same content again") == true)
        let other = try await code { try await service.publish("1.0.0", ["index.html": "other"]) }
        #expect(other == .versionExists)
        #expect(try await service.publishSample("1.0.0").published != nil)
        #expect(try await service.publishSample("1.0.0").unchanged != nil)
        try await service.release("1.0.0")
        #expect(try service.entry()?.current?.version.version.text == "1.0.0")
        try await expectWhole(service)
    }

    @Test func `many versions are removed in several steps, each with its entry in the audit log`() async throws {
        let service = try await makeService()
        for number in 1...53 { try await service.publish("\(number)", ["index.html": "\(number)"]) }
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        let none = try await service.pruner.prune(by: .server, within: .zero)
        #expect(none.isPartial && none.isEmpty)
        let report = try await service.pruner.prune(by: .server, within: .seconds(60))
        #expect(report.versions == 52 && !report.isPartial)
        let entries = try await service.store.audit(before: nil, limit: 5).map(\.entry)
        #expect(entries.prefix(3).map(\.action) == ["package.prune", "package.prune", "version.publish"])
        #expect(try await versions(service) == ["53"])
        try await expectWhole(service)
    }

    @Test func `a release and a removal of the same version are serialized`() async throws {
        let service = try await makeService()
        for round in 0..<20 {
            try await service.publishSample("\(round).0")
            try await service.ship("\(round).1")
            _ = try await service.pruner.prune(by: .server)
            service.clock.advance(milliseconds: Self.day)
            async let released = code { try await service.release("\(round).0") }
            async let pruned = service.pruner.prune(by: .server)
            let (code, _) = try await (released, pruned)
            let isThere = try await versions(service).contains("\(round).0")
            #expect(code == (isThere ? nil : .conflict))
        }
        try await expectWhole(service)
    }

    @Test func `a version whose files are removed while its patches are built is reported as removed`() async throws {
        let service = try await makeService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        service.clock.advance(milliseconds: 1)
        try await service.publishSample("3.0.0")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        // Once the release has a plan and begins to build.
        let isFirst = Shared(true)
        service.store.setBefore(.version) { () throws(PlatformError) in
            var first = false
            isFirst.change { value in (first, value) = (value, false) }
            if first { _ = try await service.pruner.prune(by: .server) }
        }
        #expect(try await code { try await service.release("2.0.0") } == .conflict)
        try await expectWhole(service)
    }

    @Test func `publishing and removing the same blobs at the same time loses no referenced blob`() async throws {
        let service = try await makeService()
        try await service.putPackage()
        try await service.ship("0")
        let rounds = 60
        for round in 1...rounds {
            // Its files, and so its blobs, are those of the version about to be removed, except for its page.
            try await service.publish("\(round)", Self.shared(round))
            _ = try await service.pruner.prune(by: .server)
            service.clock.advance(milliseconds: Self.day)
            try await service.publish("\(round)-newer", ["index.html": "newer \(round)"])
            async let report = service.pruner.prune(by: .server)
            async let first = service.publish("\(round)-a", Self.shared(round))
            async let second = service.publish("\(round)-b", Self.shared(round))
            #expect(try await [first, second].compactMap(\.published).count == 2)
            #expect(try await report.versions > 0)
            try await expectNamedThere(service)
        }
        try await expectWhole(service)
    }

    private static func shared(_ round: Int) -> KeyValuePairs<String, String> {
        ["index.html": "page \(round)", "a.js": "a \(round)", "b.js": "b \(round)", "c/d.js": "d \(round)"]
    }

    private func expectNamedThere(_ service: TestService) async throws {
        for blob in try await service.store.blobs() { #expect(try service.blobs.open(blob) != nil) }
    }

    @Test func `a publishing between the forgetting and the removing of its blobs gets them`() async throws {
        let service = try await makeService()
        try await service.publish("1", Self.shared(1))
        try await service.ship("2")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        let before = try await service.store.blobs().count
        let isFirst = Shared(true)
        service.store.setAfter(.forgetBlobs) { () throws(PlatformError) in
            // The blobs of some shard are forgotten and not removed yet.
            guard isFirst.value, try await service.store.blobs().count < before else { return }
            isFirst.change { $0 = false }
            do { try await service.publish("3", Self.shared(1)) } catch { Issue.record(error) }
        }
        _ = try await service.pruner.prune(by: .server)
        #expect(!isFirst.value)
        #expect(try await versions(service) == ["2", "3"])
        try await expectWhole(service)
    }
}

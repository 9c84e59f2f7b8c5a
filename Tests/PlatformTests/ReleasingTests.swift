import Domain
import Ground
import Platform
import ServiceKit
import Synchronization
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReleasingTests {
    private let day: Int64 = 86_400_000

    @Test func `a release takes effect and is announced at once`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let observer = RecordingObserver()
        service.live.observe(observer)
        #expect(try service.entry() == nil)
        let made = try await service.release("1.0.0")
        #expect(made.shadowing.shadows.isEmpty && made.shadowing.shadowedBy.isEmpty)
        #expect(try service.entry()?.current?.release == made.release)
        let subject = Event.Subject.activated(made.release.package, .production, made.release.version)
        #expect(observer.events.map(\.subject) == [subject])
        #expect(try service.app.log.events.last == observer.events.last)
    }

    @Test func `a refused release changes nothing`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let version = try service.view().configVersion
        #expect(try await code { try await service.release("2.0.0") } == .versionNotFound)
        #expect(try await code { try await service.release("1.0.0", of: "other") } == .versionNotFound)
        let beta = try #require(ChannelName("beta"))
        #expect(try await code { try await service.release("1.0.0", on: beta) } == .channelNotFound)
        #expect(try service.view().configVersion == version)
        #expect(try await service.store.releases(of: service.putPackage().id, in: .default) == [])
    }

    @Test func `an incremental archive holds what changed, and the two descriptors`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        #expect(try service.bases().isEmpty)
        let base = try #require(try service.entry()?.current?.version.full.artifact)
        service.clock.advance(milliseconds: 1)
        try await service.ship("1.1.0")
        let current = try #require(try service.entry()?.current)
        let patch = try #require(current.patches.first?.artifact)
        #expect(patch.base?.text == "1.0.0")
        #expect(patch.baseTree == base.tree)
        #expect(patch.tree == current.version.full.artifact.tree)
        #expect(patch.size < current.version.full.artifact.size)
        let files = try await service.unpack(patch)
        #expect(
            files.keys.sorted() == ["news/app.config.json", "news/files.json", "news/index.html", "news/js/app.js"])
        #expect(files["news/app.config.json"]?.contains(#""version":"1.1.0""#) == true)
    }

    @Test func `full and incremental archives meet in the same files`() async throws {
        let service = try await TestService()
        try await service.publish("1", ["index.html": "1", "gone.js": "x", "same.js": "same"])
        try await service.release("1")
        try await service.publish("2", ["index.html": "2", "new.js": "y", "same.js": "same"])
        try await service.release("2")
        let base = try await service.unpack(service.artifact("1", base: nil))
        let full = try await service.unpack(service.artifact("2", base: nil))
        let patch = try await service.unpack(service.artifact("2", base: "1"))
        // Applies the patch like seed 000's client (K16): unzips it over the files and deletes those that files.json
        // does not list.
        let merged = base.merging(patch) { $1 }
        let text = try #require(merged["news/files.json"])
        let map = try #require(JSON(parsing: Array(text.utf8))?.members)
        let kept = Set(map.compactMap { $0.value.string.map { "news\($0)" } })
        #expect(merged.filter { kept.contains($0.key) } == full)
    }

    @Test func `an incremental archive that is no smaller is not offered`() async throws {
        let service = try await TestService()
        for version in ["1", "2"] {
            try await service.publish(version, ["index.html": "page \(version)"])
            try await service.release(version)
        }
        #expect(try service.bases().isEmpty)
    }

    @Test func `the last three versions are bases, and going back has newer ones`() async throws {
        let service = try await TestService()
        for version in ["1", "2", "3", "4", "5"] {
            try await service.ship(version)
            service.clock.advance(milliseconds: 1)
        }
        #expect(try service.bases() == ["2", "3", "4"])
        try await service.release("4")
        #expect(try service.bases() == ["2", "3", "5"])
        // The patches exist from the first release of this version and are not built again.
        service.clock.advance(milliseconds: 1)
        let before = try await service.store.blobs().count
        try await service.release("5")
        #expect(try service.bases() == ["2", "3", "4"])
        #expect(try await service.store.blobs().count == before)
    }

    @Test func `a hotfix becomes a base of the release that is planned above it`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        service.clock.advance(milliseconds: 1000)
        let friday = service.fromNow(4 * day)
        let planned = try await service.release("2.0.0", at: friday)
        #expect(try Set(#require(service.entry()?.next).patches.compactMap(\.artifact.base?.text)) == ["1.0.0"])
        #expect(planned.shadowing.shadows.map(\.from) == [friday])
        service.clock.advance(milliseconds: 2 * day)
        let hotfix = try await service.ship("1.0.1")
        #expect(hotfix.shadowing.shadowedBy.map(\.release.version.text) == ["2.0.0"])
        #expect(hotfix.shadowing.shadowedBy.map(\.from) == [friday])
        #expect(hotfix.shadowing.shadows.map(\.release.version.text) == ["1.0.0"])
        let next = try #require(try service.entry()?.next)
        #expect(Set(next.patches.compactMap(\.artifact.base?.text)) == ["1.0.0", "1.0.1"])
        // It is signed like every other patch, so that clients can verify it.
        #expect(next.patches.allSatisfy { $0.signatures.count == 2 })
    }

    @Test func `channels have releases and bases of their own`() async throws {
        let service = try await TestService()
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        try await service.release("2.0.0", on: beta)
        #expect(try service.view(beta).entries.first?.current?.release.version.text == "2.0.0")
        #expect(try service.view(beta).entries.first?.current?.patches.isEmpty == true)
        #expect(try service.entry()?.current?.release.version.text == "1.0.0")
    }

    @Test func `two releases at one instant have ranks of their own, and the later wins`() async throws {
        let service = try await TestService()
        let first = try await service.ship("1.0.0")
        let second = try await service.ship("2.0.0")
        #expect(second.release.rank.value == first.release.rank.value + 1000)
        #expect(try service.entry()?.current?.release == second.release)
    }

    @Test func `a mandatory release counts for those above it`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let mandatory = try await service.release("1.0.0", isMandatory: true)
        service.clock.advance(milliseconds: 1)
        try await service.ship("2.0.0")
        #expect(try service.entry()?.current?.decision.mandatoryAfter == mandatory.release.rank)
    }

    @Test func `a release that becomes active while it is rolled back is not ended without a successor`() async throws {
        let clock = SteppingClock()
        let service = try await TestService(wallClock: clock)
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        let package = try await service.putPackage()
        let made = try await service.release("2.0.0", at: clock.now().adding(milliseconds: 60_000)).release
        let (app, id) = (try service.app, ReleaseGroup.ID.release(made.id, of: package.id))
        clock.advanceAfterNext(milliseconds: 60_000)
        func rollBack() async throws -> Releaser.RollBack {
            try await service.releaser.rollBack(
                id, of: app, isMandatory: false, isDryRun: false, ifMatch: nil, by: .server)
        }
        #expect(try await code { _ = try await rollBack() } == .conflict)
        #expect(try await service.releaser.find(id, of: app).group.members[0].hasEnded == false)
        #expect(try await rollBack().begun?.members.map(\.version.text) == ["1.0.0"])
    }

    @Test func `a release set that becomes active while it is rolled back is not ended without a successor`()
        async throws
    {
        let clock = SteppingClock()
        let service = try await TestService(wallClock: clock)
        let terms = ReleaseTerms(salt: .random(by: service.cryptography))
        let moment = clock.now().adding(milliseconds: 60_000)
        var drafts: [ReleaseDraft] = []
        for id in ["news", "shop"] {
            try await service.ship("1.0.0", of: id)
            try await service.publishSample("2.0.0", of: id)
            drafts.append(
                ReleaseDraft(
                    app: .default, package: try #require(PackageID(id)), channel: .production,
                    version: try #require(VersionString("2.0.0")), terms: terms, activeTime: moment))
        }
        let set = try await service.releaser.release(ReleaseRequest(setOf: drafts), by: .server).status.group.id
        let app = try service.app
        clock.advanceAfterNext(milliseconds: 60_000)
        func rollBack() async throws -> Releaser.RollBack {
            try await service.releaser.rollBack(
                set, of: app, isMandatory: false, isDryRun: false, ifMatch: nil, by: .server)
        }
        #expect(try await code { _ = try await rollBack() } == .conflict)
        #expect(try await service.releaser.find(set, of: app).group.members.allSatisfy { !$0.hasEnded })
        #expect(try await rollBack().begun?.members.map(\.version.text) == ["1.0.0", "1.0.0"])
    }

    @Test func `a scheduled release is rolled back without a successor`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        let package = try await service.putPackage()
        let made = try await service.release("2.0.0", at: service.fromNow(60_000)).release
        let (app, id) = (try service.app, ReleaseGroup.ID.release(made.id, of: package.id))
        let back = try await service.releaser.rollBack(
            id, of: app, isMandatory: false, isDryRun: false, ifMatch: nil, by: .server)
        let offered = back.releases.offered(of: package.id, at: back.instant)
        #expect(back.begun == nil && back.ended.members[0].hasEnded && offered.map(\.version.text) == ["1.0.0"])
        #expect(try await service.releaser.find(id, of: app).group.members[0].hasEnded)
    }

    @Test func `a release whose patches cannot be stored is not made`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        service.store.setBefore(.makeRelease) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { try await service.release("2.0.0") } == .storageFailed)
        #expect(try service.entry()?.current?.release.version.text == "1.0.0")
        service.store.setBefore(.makeRelease, nil)
        try await service.release("2.0.0")
        #expect(try service.bases() == ["1.0.0"])
    }

    @Test func `a release that was committed with a lost connection is loaded by the next activation`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        service.store.setAfter(.makeRelease) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { try await service.release("2.0.0") } == .storageFailed)
        #expect(try service.entry()?.current?.release.version.text == "1.0.0")
        try await service.live.activate(service.app)
        #expect(try service.entry()?.current?.release.version.text == "2.0.0")
    }
}

/// A wall clock that advances after a reading.
private final class SteppingClock: WallClock {
    private let state = Mutex((now: ManualClock().now(), step: Int64(0)))

    func now() -> Timestamp {
        state.withLock { state in
            let now = state.now
            state.now = now.adding(milliseconds: state.step)
            state.step = 0
            return now
        }
    }

    /// Makes the clock advance after the next reading.
    func advanceAfterNext(milliseconds: Int64) { state.withLock { $0.step = milliseconds } }
}

extension TestService {
    /// Returns the bases of the current release's patches, sorted.
    func bases() throws -> [String] {
        try #require(try entry()?.current).patches.filter { $0.artifact.kind == .files }
            .compactMap(\.artifact.base?.text).sorted()
    }

    func artifact(_ version: String, base: String?) async throws -> Artifact {
        let package = try #require(PackageID("news"))
        let version = try #require(VersionString(version))
        let full = try await store.archives(of: version, of: package, in: .default).map(\.artifact)
        let all = try await full + store.patches(to: [version], of: package, in: .default)
        return try #require(all.first { $0.base?.text == base && $0.kind != .delta })
    }
}

import Artifacts
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests planned patches that were not built with a release.
@Suite(.scratchMemory, .ownThread, .timeLimit(.minutes(5)))
struct PatchBackfillTests {
    private let workshop = HookedWorkshop()

    /// Returns a service that released these versions in turn.
    private func shipped(_ versions: [String]) async throws -> TestService {
        let service = try await TestService(workshop: workshop)
        for version in versions {
            try await service.ship(version)
            service.clock.advance(milliseconds: 1)
        }
        return service
    }

    /// Returns a service with one release whose plan has so many more shipped versions than are built before it.
    private func shipping(beyondPrompt count: Int) async throws -> TestService {
        let service = try await TestService(workshop: workshop)
        for number in 0..<PatchBudget.initialCount + count {
            try await service.publishSample("s\(number)")
            try await preset(service, "8.\(number)", "s\(number)")
        }
        try await service.ship("1")
        return service
    }

    private func preset(_ service: TestService, _ build: String, _ version: String) async throws {
        let shipping = [try #require(PackageID("news")): try #require(VersionString(version))]
        _ = try await service.presets.make(
            for: try #require(VersionString(build)), shipping: shipping, elseOf: .production, in: service.app,
            by: .server)
    }

    private func apply(_ action: ReleaseAction, to release: Release, _ service: TestService) async throws {
        try await service.apply(action, to: release.id)
    }

    private func build(_ service: TestService) async throws -> Int {
        await service.patchBackfill.buildMissing(of: try service.app) { Issue.record($0) }
    }

    /// Returns the bases of a version's patches of the kind that clients of seed 000 know.
    private func bases(of version: String, _ service: TestService) async throws -> [String] {
        let version = try #require(VersionString(version))
        let patches = try await service.store.patches(
            to: [version], of: try #require(PackageID("news")), in: .default)
        return patches.filter { $0.kind == .files }.compactMap(\.base?.text).sorted()
    }

    /// Returns the versions without a patch and the reasons, by the version of each release that devices may get.
    private func gaps(_ service: TestService) async throws -> [String: [String]] {
        let package = try #require(PackageID("news"))
        let releases = try await service.store.releases(of: package, in: .default)
        let gaps = try await service.patchBackfill.gaps(
            of: package, in: .default, releases: releases, at: service.clock.now())
        return Dictionary(
            uniqueKeysWithValues: gaps.compactMap { id, gaps in
                releases.first { $0.id == id }.map { release in
                    (release.version.text, gaps.map { "\($0.base) \($0.reason.rawValue)" })
                }
            })
    }

    @Test func `a release that is moved behind another one gets the patches from that one`() async throws {
        let service = try await shipped(["1"])
        try await service.publishSample("2")
        try await service.publishSample("3")
        let moved = try await service.release("2", at: service.fromNow(3_600_000)).release
        try await service.release("3", at: service.fromNow(7_200_000))
        #expect(try await bases(of: "2", service) == ["1"])
        try await apply(.reschedule(service.fromNow(10_800_000)), to: moved, service)
        #expect(try await gaps(service) == ["1": [], "2": ["3 pending"], "3": []])
        #expect(try await build(service) == 1)
        #expect(try await bases(of: "2", service) == ["1", "3"])
        #expect(try await gaps(service) == ["1": [], "2": [], "3": []])
        #expect(try await build(service) == 0)
    }

    @Test func `devices that go back from a halted release have a patch`() async throws {
        let service = try await shipped(["1", "2"])
        let halted = try await service.ship("3").release
        try await apply(.halt, to: halted, service)
        #expect(try #require(try service.entry()?.current).patches.compactMap(\.artifact.base?.text) == ["1", "1"])
        #expect(try await build(service) == 1)
        let patches = try #require(try service.entry()?.current).patches
        #expect(patches.filter { $0.artifact.kind == .files }.map(\.artifact.base?.text) == ["1", "3"])
        #expect(patches.allSatisfy { patch in patch.signatures.contains { $0.purpose == .signing } })
    }

    @Test func `a resumed release has a patch from a version that a build has shipped meanwhile, after a restart too`()
        async throws
    {
        let service = try await shipped(["1"])
        try await service.publishSample("0")
        let halted = try await service.ship("2").release
        try await apply(.halt, to: halted, service)
        try await preset(service, "8.0", "0")
        try await apply(.resume, to: halted, service)
        #expect(try await bases(of: "2", service) == ["1"])
        let next = try await service.restarted()
        #expect(try await gaps(next)["2"] == ["0 pending"])
        let running = Task { await next.patchBackfill.run { Issue.record($0) } }
        while try await bases(of: "2", next) != ["0", "1"] { await Task.yield() }
        running.cancel()
        await running.value
    }

    @Test func `planned patches are built after each change, and the improver replaces them`() async throws {
        let service = try await TestService()
        for version in ["1", "2", "3"] {
            let changed = DeltaText.make(UInt64(version) ?? 0)
            try await service.publish(
                version, ["index.html": "page \(version)", "same.js": DeltaText.make(1), "changed.js": changed])
        }
        try await service.release("1")
        service.clock.advance(milliseconds: 1)
        try await service.release("2")
        let improver = PatchImprover(
            live: service.live, store: service.store, keys: service.keys, blobs: service.blobs,
            builder: PatchBuilder(
                store: service.store, workshop: ZipWorkshop(), cryptography: service.cryptography, work: service.work),
            clock: service.clock)
        #expect(await improver.improve(try service.app) { Issue.record($0) } == 1)
        let running = [
            Task { await service.patchBackfill.run { Issue.record($0) } },
            Task { await improver.run { Issue.record($0) } },
        ]
        // Adding a build causes no event.
        let release = try #require(try service.entry()?.current).release
        try await apply(.halt, to: release, service)
        try await preset(service, "8.0", "3")
        try await apply(.resume, to: release, service)
        func recipes() throws -> [Int] {
            try #require(try service.entry()?.current).patches.map(\.artifact).filter { $0.kind == .delta }
                .map(\.recipe)
        }
        while try recipes() != [2, 2] { await Task.yield() }
        for task in running {
            task.cancel()
            await task.value
        }
    }

    @Test func `a change of the app does not wait for a patch that is being built`() async throws {
        let service = try await shipped(["1", "2"])
        let halted = try await service.ship("3").release
        try await apply(.halt, to: halted, service)
        let gate = Gate()
        workshop.setBeforeBuilding { gate.pass() }
        let building = Task { try await build(service) }
        await gate.arrival()
        try await apply(.resume, to: halted, service)
        #expect(gate.isHolding)
        #expect(try service.entry()?.current?.release.version.text == "3")
        gate.open()
        #expect(try await building.value == 1)
    }

    @Test func `a failed patch is retried after a pause, and delays no other`() async throws {
        let service = try await shipping(beyondPrompt: 2)
        let calls = Counter()
        service.store.setBefore(.addPatches) { () throws(PlatformError) in
            if calls.increment() == 1 { throw storeFailure }
        }
        var failures: [PlatformError] = []
        #expect(await service.patchBackfill.buildMissing(of: try service.app) { failures.append($0) } == 1)
        #expect(failures == [storeFailure])
        #expect(try await gaps(service) == ["1": ["s1 failed"]])
        service.clock.advance(milliseconds: PatchBackfill.pauseAfterFailure - 1)
        #expect(try await build(service) == 0)
        service.clock.advance(milliseconds: 1)
        #expect(try await build(service) == 1)
        #expect(try await gaps(service) == ["1": []])
    }

    @Test func `a base whose files were removed is reported, and is no reason to wait`() async throws {
        let service = try await shipped(["1"])
        try await service.publishSample("2")
        let halted = try await service.release("2").release
        try await apply(.halt, to: halted, service)
        let package = try #require(PackageID("news"))
        let facts = try await service.store.retentionFacts(of: package, in: .default)
        let version = try #require(facts.versions.first { $0.version.text == "2" })
        let audit = AuditEntry(
            time: service.clock.now(), actor: "test", action: "prune", app: .default, subject: "news")
        try await service.live.change(try service.app) { () throws(PlatformError) in
            try await service.store.forget(Removal(versions: [version.number]), at: audit.time, audit: audit)
        }
        #expect(try await gaps(service) == ["1": ["2 files-removed"]])
        #expect(try await build(service) == 0)
    }

    @Test(arguments: [
        (PatchBudget.buildTime / 2, 2), (PatchBudget.buildTime / 2 - 1, 3),
    ])
    func `once the time for a version is used up, further patches have to wait for a day`(
        time: Int64, built: Int
    ) async throws {
        let service = try await shipping(beyondPrompt: 4)
        let clock = service.clock
        workshop.setBeforeBuilding { clock.advance(milliseconds: time) }
        #expect(try await build(service) == built)
        let left = ["s3", "s2", "s1", "s0"].dropFirst(built)
        #expect(try await gaps(service) == ["1": left.map { "\($0) time-budget" }])
        workshop.setBeforeBuilding(nil)
        #expect(try await build(service) == 0)
        clock.advance(milliseconds: PatchBudget.period)
        #expect(try await build(service) == left.count)
        #expect(try await gaps(service) == ["1": []])
    }

    @Test func `a release lists the bases without a patch, and the reasons`() async throws {
        let service = try await shipping(beyondPrompt: 1)
        let token = try await service.makeToken(.releaser)
        func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> JSON {
            let response = try await service.send(
                TestRequest(
                    method, "/api/v1/apps/default/" + path,
                    fields: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
                    body: body.map { Array($0.utf8) }))
            return try #require(JSON(parsing: response.body))
        }
        func reasons(_ release: JSON) -> [String] {
            (release["noPatchFrom"]?.elements ?? []).map {
                "\($0["version"]?.string ?? "") \($0["reason"]?.string ?? "")"
            }
        }
        let shown = try await ask("GET", "packages/news/releases/1")
        #expect(shown["patchesReady"] == false && reasons(shown) == ["s0 pending"])
        #expect(shown["noPatchFrom"]?.elements?[0]["note"]?.string == PatchGap.Reason.pending.sentence)
        #expect(try await build(service) == 1)
        let list = try await ask("GET", "packages/news/releases")
        #expect(list["releases"]?.elements?.map { $0["patchesReady"] } == [true])
        #expect(list["releases"]?.elements.map { reasons($0[0]) } == [])
        try await service.publishSample("2")
        let made = try await ask("POST", "packages/news/releases", #"{"version": "2"}"#)
        #expect(made["patchesReady"] == false && reasons(made) == ["s0 pending"])
        let halted = try await ask("POST", "packages/news/releases/2/halt", "{}")
        #expect(halted["noPatchFrom"] == nil && halted["patchesReady"] == nil)
    }
}

import Artifacts
import Domain
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the versions that builds of the app ship.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PresetTests {
    private func shipped(_ count: Int) async throws -> TestService {
        let service = try await TestService()
        for version in 1...count {
            try await service.ship(String(version))
            service.clock.advance(milliseconds: 1)
        }
        return service
    }

    @discardableResult
    private func make(
        _ service: TestService, _ build: String, _ versions: [String: String]? = nil
    ) async throws -> (preset: Preset, isNew: Bool) {
        var shipping: [PackageID: VersionString]?
        if let versions {
            shipping = [:]
            for (package, version) in versions {
                let name = try #require(VersionString(version))
                shipping?[try #require(PackageID(package))] = name
            }
        }
        return try await service.presets.make(
            for: try #require(VersionString(build)), shipping: shipping, elseOf: .production, in: service.app,
            by: .server)
    }

    private func bases(_ service: TestService, _ kind: Artifact.Kind) throws -> Set<String> {
        Set(
            try #require(try service.entry()?.current).patches.map(\.artifact).filter { $0.kind == kind }
                .compactMap(\.base?.text))
    }

    private func paths(
        _ service: TestService, _ preset: Preset, _ content: PresetPacker.Content
    ) async throws -> [String] {
        let zip = try await service.presetPacker.pack(preset, content) { _ in "" }
        let staging = try service.blobs.stage()
        defer { staging.discard() }
        let upload = try staging.newScratch()
        try upload.append(try #require(zip.readAll()))
        let tree = try ZipWorkshop().unpack(zipAt: upload.path, limits: PackageLimits(), into: staging)
        return tree.files.map(\.path.text)
    }

    @Test func `a version that a build ships has patches to what is on offer at once, of both kinds`() async throws {
        let service = try await shipped(5)
        #expect(try bases(service, .delta) == ["2", "3", "4"])
        let made = try await make(service, "8.3.0", ["news": "1"])
        #expect(made.isNew)
        #expect(try bases(service, .delta) == ["1", "2", "3", "4"])
        #expect(try bases(service, .files) == ["1", "2", "3", "4"])
    }

    @Test func `later releases have patches from it, whether it was ever released or not`() async throws {
        let service = try await TestService()
        try await service.publishSample("0")
        try await make(service, "8.3.0", ["news": "0"])
        for version in 1...5 {
            try await service.ship(String(version))
            service.clock.advance(milliseconds: 1)
        }
        #expect(try bases(service, .files) == ["0", "2", "3", "4"])
        let again = try await service.restarted()
        #expect(try bases(again, .files) == ["0", "2", "3", "4"])
    }

    @Test func `the newest builds have their patches with the release, others after it, and the oldest none`()
        async throws
    {
        let service = try await TestService()
        let names = (0...PatchBudget.shippedCount).map { "s\($0)" }
        for name in names {
            try await service.publishSample(name)
            try await make(service, "8.\(name)", ["news": name])
        }
        try await service.ship("1")
        #expect(try bases(service, .files) == Set(names.suffix(PatchBudget.initialCount)))
        #expect(
            await service.patchBackfill.buildMissing(of: try service.app) { Issue.record($0) }
                == PatchBudget.shippedCount - PatchBudget.initialCount)
        #expect(try bases(service, .files) == Set(names.dropFirst()))

        // Deleting a preset promotes a version without a patch, even after a device has requested a delta patch from
        // it.
        let last = try #require(VersionString("8.\(names[PatchBudget.shippedCount])"))
        try await service.presets.remove(last, of: service.app, by: .server)
        #expect(try bases(service, .delta) == Set(names.dropFirst().dropLast()))
        let pair = VersionPair(
            base: try #require(VersionString("s0")), target: try #require(VersionString("1")))
        let news = try #require(PackageID("news"))
        service.requestedPatches.ask(PatchRequest(app: .default, package: news, pair: pair))
        await service.requestedPatches.fulfilAll { Issue.record($0) }
        #expect(try bases(service, .delta) == Set(names.dropLast()))
        #expect(await service.patchBackfill.buildMissing(of: try service.app) { Issue.record($0) } == 1)
        #expect(try bases(service, .files) == Set(names.dropLast()))
    }

    @Test func `a build without named versions ships those that devices get now`() async throws {
        let service = try await shipped(2)
        let made = try await make(service, "8.3.0")
        #expect(made.preset.versions.map { "\($0.key)@\($0.value)" } == ["news@2"])
    }

    @Test func `a repeated build changes nothing, and one with other versions is refused until deletion`() async throws
    {
        let service = try await shipped(2)
        try await make(service, "8.3.0", ["news": "1"])
        #expect(try await !make(service, "8.3.0", ["news": "1"]).isNew)
        let error = await #expect(throws: PlatformError.self) { try await make(service, "8.3.0", ["news": "2"]) }
        #expect(error?.code == .conflict)
        let build = try #require(VersionString("8.3.0"))
        try await service.presets.remove(build, of: service.app, by: .server)
        #expect(try await make(service, "8.3.0", ["news": "2"]).isNew)
        let gone = await #expect(throws: PlatformError.self) {
            try await service.presets.remove(try #require(VersionString("1")), of: service.app, by: .server)
        }
        #expect(gone?.code == .presetNotFound)
    }

    @Test func `a build with a missing version, or without any, is refused`() async throws {
        let service = try await TestService()
        try await service.publishSample("1")
        for versions in [["news": "2"], ["other": "1"]] {
            let error = await #expect(throws: PlatformError.self) { try await make(service, "8", versions) }
            #expect(error?.code == .versionNotFound)
        }
        let error = await #expect(throws: PlatformError.self) { try await make(service, "8") }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `a version that a build ships is never removed, and may be once it is forgotten`() async throws {
        let service = try await TestService(
            retention: try #require(RetentionPolicy(keepVersions: 1, graceHours: 24)))
        for version in 1...6 {
            // The distance to the last version grows, so that no two patches have the same bytes.
            let files = (1...6).map { ("\($0).js", Array(($0 > version ? "old" : "new \($0)").utf8)) }
            try await service.publish(
                String(version), zip: StoredZip([("index.html", Array("page".utf8))] + files).bytes)
            try await service.release(String(version))
            service.clock.advance(milliseconds: 1)
        }
        let old = try #require(VersionString("1"))
        let news = try #require(PackageID("news"))
        try await make(service, "8.3.0", ["news": "1"])
        func prune() async throws {
            for _ in 0..<2 {
                #expect(try await service.pruner.prune(by: .server).failures == [])
                service.clock.advance(milliseconds: 40 * 86_400_000)
            }
        }
        try await prune()
        #expect(try await service.store.version(old, of: news, in: .default) != nil)
        try await service.presets.remove(try #require(VersionString("8.3.0")), of: service.app, by: .server)
        try await prune()
        #expect(try await service.store.version(old, of: news, in: .default) == nil)
        let error = await #expect(throws: PlatformError.self) { try await make(service, "8.4.0", ["news": "1"]) }
        #expect(error?.code == .versionNotFound)
    }

    @Test func `the zip has every package in its folder, the index and the keys`() async throws {
        let service = try await TestService()
        try await service.publish("1", of: "base", ["index.html": "base"])
        try await service.publish("2", of: "news", ["index.html": "news"])
        let preset = try await make(service, "8.3.0", ["base": "1", "news": "2"]).preset
        func files(_ package: String) -> [String] {
            ["app.config.json", "files.json", "index.html"].map { "\(package)/\($0)" }
        }
        let own = ["_larder/keys.json", "_larder/preset.json"]
        #expect(try await paths(service, preset, .complete) == own + files("base") + files("news"))
        #expect(try await paths(service, preset, .seed(besides: [])) == files("base"))
        let news = try #require(PackageID("news"))
        #expect(try await paths(service, preset, .seed(besides: [news])) == files("base") + files("news"))
        let other = try #require(PackageID("other"))
        await #expect(throws: PlatformError.self) { try await paths(service, preset, .seed(besides: [other])) }
        // The bytes are the same every time, and no file remains.
        let digests = try await [
            service.presetPacker.pack(preset, .complete) { _ in "" }.readAll(),
            service.presetPacker.pack(preset, .complete) { _ in "" }.readAll(),
        ]
        #expect(digests[0] == digests[1])
        #expect(try service.blobs.sweep(keeping: try await service.store.blobs()) == 0)
    }
}

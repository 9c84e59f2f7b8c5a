import Artifacts
import Domain
import Execution
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .ownThread)
struct PatchImprovingTests {
    private func improver(of service: TestService) -> PatchImprover {
        PatchImprover(
            live: service.live, store: service.store, keys: service.keys, blobs: service.blobs,
            builder: PatchBuilder(
                store: service.store, workshop: ZipWorkshop(), cryptography: service.cryptography,
                work: WorkExecutor(label: "larder.patches", threads: 1, isBackground: true)),
            clock: service.clock)
    }

    private func made(by improver: PatchImprover, _ service: TestService) async throws -> Int {
        await improver.improve(try service.app) { error in Issue.record(error) }
    }

    /// Releases texts whose deltas are smaller with the best level than with the fast one.
    private func shipped(_ versions: [String]) async throws -> TestService {
        let service = try await TestService()
        for version in versions {
            let changed = DeltaText.make(UInt64(version) ?? 0)
            try await service.publish(
                version, ["index.html": "page \(version)", "same.js": DeltaText.make(1), "changed.js": changed])
            try await service.release(version)
            service.clock.advance(milliseconds: 1)
        }
        return service
    }

    private func deltas(_ service: TestService) throws -> [Artifact] {
        try #require(try service.entry()?.current).patches.map(\.artifact).filter { $0.kind == .delta }
    }

    @Test func `a fast patch is replaced on offer by a smaller one, under another name`() async throws {
        let service = try await shipped(["1", "2"])
        let fast = try #require(try deltas(service).first)
        #expect(fast.recipe == DeltaEffort.fast.rawValue)
        let before = try #require(service.app.view(of: .production)).configVersion

        #expect(try await made(by: improver(of: service), service) == 1)
        let small = try #require(try deltas(service).first)
        #expect(small.recipe == DeltaEffort.small.rawValue)
        #expect(small.size < fast.size)
        #expect(small.blob != fast.blob)
        #expect(try #require(service.app.view(of: .production)).configVersion > before)
        // A client that has received its URL may still download it.
        let known = try await service.store.blobs()
        #expect(known.isSuperset(of: [fast.blob, small.blob]))
        #expect(try service.blobs.sweep(keeping: known) == 0)
    }

    @Test func `every base of an offered version gets a smaller patch once`() async throws {
        let service = try await shipped(["1", "2", "3", "4", "5"])
        let improver = improver(of: service)
        #expect(try await made(by: improver, service) == 3)
        #expect(try deltas(service).map(\.recipe) == [2, 2, 2])
        #expect(try await made(by: improver, service) == 0)
        #expect(try await made(by: self.improver(of: service), service) == 0)
    }

    @Test func `the improver starts when a release is made, and stops on request`() async throws {
        let service = try await shipped(["1"])
        let improver = improver(of: service)
        let running = Task { await improver.run { error in Issue.record(error) } }
        try await service.publish(
            "2", ["index.html": "page 2", "same.js": DeltaText.make(1), "changed.js": DeltaText.make(7)])
        try await service.release("2")
        while try deltas(service).first?.recipe != DeltaEffort.small.rawValue { await Task.yield() }
        running.cancel()
        await running.value
    }

    @Test func `a patch that cannot be stored is not offered, and made at the next try`() async throws {
        let service = try await shipped(["1", "2"])
        let improver = improver(of: service)
        service.store.setBefore(.addPatches) { () throws(PlatformError) in throw storeFailure }
        var failures: [PlatformError] = []
        #expect(await improver.improve(try service.app) { failures.append($0) } == 0)
        #expect(failures == [storeFailure])
        #expect(try deltas(service).map(\.recipe) == [DeltaEffort.fast.rawValue])
        service.store.setBefore(.addPatches, nil)
        #expect(try await made(by: improver, service) == 1)
    }

    @Test func `a patch that does not get smaller is neither kept nor tried again`() async throws {
        let service = try await TestService()
        for version in ["1", "2"] {
            try await service.publish(
                version, ["index.html": "page \(version)", "same.js": DeltaText.make(1)])
            try await service.release(version)
            service.clock.advance(milliseconds: 1)
        }
        let known = try await service.store.blobs()
        let improver = improver(of: service)
        #expect(try await made(by: improver, service) == 0)
        #expect(try deltas(service).map(\.recipe) == [DeltaEffort.fast.rawValue])
        #expect(try await service.store.blobs() == known)
        #expect(try service.blobs.sweep(keeping: known) == 0)
    }
}

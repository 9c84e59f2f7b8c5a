import Domain
import Platform
import ServiceKit
import TestKit
import Testing

/// Patches that are built because a device asks for them.
@Suite(.scratchMemory, .ownThread, .timeLimit(.minutes(5)))
struct DemandedPatchesTests {
    private let workshop = HookedWorkshop()

    /// A service that released so many versions, one after the other.
    private func shipped(_ count: Int, timeLimit: Duration = .seconds(60)) async throws -> TestService {
        let service = try await TestService(workshop: workshop, patchTimeLimit: timeLimit)
        for version in 1...count {
            try await service.ship(String(version))
            service.clock.advance(milliseconds: 1)
        }
        return service
    }

    private func wish(_ base: String, _ target: String) throws -> DemandedPatches.Wish {
        DemandedPatches.Wish(
            app: .default, package: try #require(PackageID("news")),
            pair: VersionPair(
                base: try #require(VersionString(base)), target: try #require(VersionString(target))))
    }

    private func fulfil(_ service: TestService) async {
        await service.demandedPatches.fulfilAll { error in Issue.record(error) }
    }

    private func demanded(_ service: TestService) throws -> [String] {
        try #require(try service.entry()?.current).demanded.compactMap(\.artifact.base?.text)
    }

    @Test func `a base beyond the plan gets its patch once a device asks`() async throws {
        let service = try await shipped(5)
        #expect(try demanded(service) == [])
        service.demandedPatches.ask(try wish("1", "5"), isOffered: false)
        await fulfil(service)
        #expect(try demanded(service) == ["1"])
        let patch = try #require(try service.entry()?.current?.demanded.first)
        #expect(patch.artifact.kind == .delta)
        #expect(patch.signatures.contains { $0.purpose == .signing })
        // The others are as they were.
        #expect(try service.bases() == ["2", "3", "4"])
    }

    @Test func `however many ask, a patch is built once`() async throws {
        let service = try await shipped(5)
        for _ in 0..<10 { service.demandedPatches.ask(try wish("1", "5"), isOffered: false) }
        let added = Counter()
        service.store.setBefore(.addDemand) { () throws(PlatformError) in _ = added.increment() }
        await fulfil(service)
        service.demandedPatches.ask(try wish("1", "5"), isOffered: true)
        await fulfil(service)
        #expect(added.value == 1)
    }

    @Test func `nothing is made from or to what was never released`() async throws {
        let service = try await shipped(5)
        try await service.publishSample("6")
        for (base, target) in [("6", "5"), ("5", "6"), ("none", "5"), ("1", "none")] {
            service.demandedPatches.ask(try wish(base, target), isOffered: false)
        }
        let added = Counter()
        service.store.setBefore(.addDemand) { () throws(PlatformError) in _ = added.increment() }
        await fulfil(service)
        #expect(added.value == 0)
    }

    @Test func `a patch that takes too long is given up, with nothing left of it`() async throws {
        let service = try await shipped(5, timeLimit: .zero)
        let known = try await service.store.blobs()
        var failures: [PlatformError] = []
        service.demandedPatches.ask(try wish("1", "5"), isOffered: false)
        await service.demandedPatches.fulfilAll { failures.append($0) }
        #expect(try demanded(service) == [])
        #expect(failures.allSatisfy { $0.code == .busy })
        #expect(try await service.store.blobs() == known)
        #expect(try service.blobs.sweep(keeping: known) == 0)
    }

    @Test func `what could not be stored is tried again after a pause`() async throws {
        let service = try await shipped(5)
        service.store.setBefore(.addDemand) { () throws(PlatformError) in
            throw PlatformError(.storageFull, "The disk is full.")
        }
        var failures: [PlatformError] = []
        let patches = service.demandedPatches
        func ask() async throws {
            patches.ask(try wish("1", "5"), isOffered: false)
            await patches.fulfilAll { failures.append($0) }
        }
        try await ask()
        try await ask()
        #expect(failures.map(\.code) == [.storageFull])
        service.store.setBefore(.addDemand, nil)
        service.clock.advance(milliseconds: DemandedPatches.pauseAfterFailure - 1)
        try await ask()
        #expect(try demanded(service) == [])
        service.clock.advance(milliseconds: 1)
        try await ask()
        #expect(try demanded(service) == ["1"])
    }

    @Test func `a queue that is full takes no more, and the next ones when it is empty`() async throws {
        let service = try await shipped(5)
        let patches = service.demandedPatches
        for number in 0..<DemandedPatches.queueLength {
            patches.ask(try wish("none-\(number)", "5"), isOffered: false)
        }
        patches.ask(try wish("1", "5"), isOffered: false)
        await fulfil(service)
        #expect(try demanded(service) == [])
        for number in 1..<DemandedPatches.queueLength {
            patches.ask(try wish("other-\(number)", "5"), isOffered: false)
        }
        patches.ask(try wish("1", "5"), isOffered: false)
        await fulfil(service)
        #expect(try demanded(service) == ["1"])
    }

    @Test func `of too many bases those asked for last are on offer, and one comes back without being built`()
        async throws
    {
        let limit = PatchPlan.demandedBaseCount
        let count = PatchPlan.baseCount + limit + 2
        let service = try await shipped(count)
        let patches = service.demandedPatches
        for base in 1...(limit + 1) {
            service.clock.advance(milliseconds: 1)
            patches.ask(try wish(String(base), String(count)), isOffered: false)
            await fulfil(service)
        }
        #expect(Set(try demanded(service)) == Set((2...(limit + 1)).map(String.init)))
        let known = try await service.store.blobs()
        service.clock.advance(milliseconds: 1)
        patches.ask(try wish("1", String(count)), isOffered: false)
        await fulfil(service)
        #expect(try demanded(service).contains("1"))
        #expect(try demanded(service).count == limit)
        #expect(try await service.store.blobs() == known)
    }

    @Test func `a patch that goes on being asked for stays on offer`() async throws {
        let limit = PatchPlan.demandedBaseCount
        let count = PatchPlan.baseCount + limit + 2
        let service = try await shipped(count)
        let patches = service.demandedPatches
        for base in 1...limit {
            service.clock.advance(milliseconds: 1)
            patches.ask(try wish(String(base), String(count)), isOffered: false)
            await fulfil(service)
        }
        service.clock.advance(milliseconds: DemandedPatches.renewal)
        patches.ask(try wish("1", String(count)), isOffered: true)
        await fulfil(service)
        service.clock.advance(milliseconds: 1)
        patches.ask(try wish(String(limit + 1), String(count)), isOffered: false)
        await fulfil(service)
        #expect(try demanded(service).contains("1"))
        #expect(try !demanded(service).contains("2"))
    }

    @Test func `it begins by itself when a device asks, and ends when it is told to`() async throws {
        let service = try await shipped(5)
        let patches = service.demandedPatches
        let running = Task { await patches.run { error in Issue.record(error) } }
        patches.ask(try wish("1", "5"), isOffered: false)
        while try demanded(service) != ["1"] { await Task.yield() }
        running.cancel()
        await running.value
    }
}

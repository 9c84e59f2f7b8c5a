import Domain
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests patches that are built because a device requests them.
@Suite(.scratchMemory, .ownThread, .timeLimit(.minutes(5)))
struct RequestedPatchesTests {
    private let workshop = HookedWorkshop()

    /// Returns a service that released so many versions in turn.
    private func shipped(_ count: Int, timeLimit: Duration = .seconds(60)) async throws -> TestService {
        let service = try await TestService(workshop: workshop, patchTimeLimit: timeLimit)
        for version in 1...count {
            try await service.ship(String(version))
            service.clock.advance(milliseconds: 1)
        }
        return service
    }

    private func request(_ base: String, _ target: String) throws -> PatchRequest {
        PatchRequest(
            app: .default, package: try #require(PackageID("news")),
            pair: VersionPair(
                base: try #require(VersionString(base)), target: try #require(VersionString(target))))
    }

    private func fulfil(_ service: TestService) async {
        await service.requestedPatches.fulfilAll { error in Issue.record(error) }
    }

    private func demanded(_ service: TestService) throws -> [String] {
        try #require(try service.entry()?.current).demanded.compactMap(\.artifact.base?.text)
    }

    @Test func `a base beyond the plan gets its patch once a device requests it`() async throws {
        let service = try await shipped(5)
        #expect(try demanded(service) == [])
        service.requestedPatches.ask(try request("1", "5"))
        await fulfil(service)
        #expect(try demanded(service) == ["1"])
        let patch = try #require(try service.entry()?.current?.demanded.first)
        #expect(patch.artifact.kind == .delta)
        #expect(patch.signatures.contains { $0.purpose == .signing })
        // The others are unchanged.
        #expect(try service.bases() == ["2", "3", "4"])
    }

    @Test func `a patch is built once, however many devices request it`() async throws {
        let service = try await shipped(5)
        for _ in 0..<10 { service.requestedPatches.ask(try request("1", "5")) }
        let added = Counter()
        service.store.setBefore(.addDemand) { () throws(PlatformError) in _ = added.increment() }
        await fulfil(service)
        service.requestedPatches.note(try request("1", "5"))
        await fulfil(service)
        #expect(added.value == 1)
    }

    @Test func `no patch is made from or to an unreleased version`() async throws {
        let service = try await shipped(5)
        try await service.publishSample("6")
        for (base, target) in [("6", "5"), ("5", "6"), ("none", "5"), ("1", "none")] {
            service.requestedPatches.ask(try request(base, target))
        }
        let added = Counter()
        service.store.setBefore(.addDemand) { () throws(PlatformError) in _ = added.increment() }
        await fulfil(service)
        #expect(added.value == 0)
    }

    @Test func `a patch that takes too long is cancelled, and its files are removed`() async throws {
        let service = try await shipped(5, timeLimit: .zero)
        let known = try await service.store.blobs()
        service.requestedPatches.ask(try request("1", "5"))
        await fulfil(service)
        #expect(try demanded(service) == [])
        #expect(try await service.store.blobs() == known)
        #expect(try service.blobs.sweep(keeping: known) == 0)
    }

    @Test func `a patch that could not be stored is retried after a pause`() async throws {
        let service = try await shipped(5)
        service.store.setBefore(.addDemand) { () throws(PlatformError) in
            throw PlatformError(.storageFull, "The disk is full.")
        }
        var failures: [PlatformError] = []
        let patches = service.requestedPatches
        func ask() async throws {
            patches.ask(try request("1", "5"))
            await patches.fulfilAll { failures.append($0) }
        }
        try await ask()
        try await ask()
        #expect(failures.map(\.code) == [.storageFull])
        service.store.setBefore(.addDemand, nil)
        service.clock.advance(milliseconds: RequestedPatches.pauseAfterFailure - 1)
        try await ask()
        #expect(try demanded(service) == [])
        service.clock.advance(milliseconds: 1)
        try await ask()
        #expect(try demanded(service) == ["1"])
    }

    @Test func `an app with a full queue accepts no requests until the queue is empty`() async throws {
        let service = try await shipped(5)
        let patches = service.requestedPatches
        func fill(_ count: Int) throws {
            for number in 0..<count { patches.ask(try request("none-\(number)", "5")) }
        }
        try fill(RequestedPatches.queueLengthOfApp)
        patches.ask(try request("1", "5"))
        await fulfil(service)
        #expect(try demanded(service) == [])
        try fill(RequestedPatches.queueLengthOfApp - 1)
        patches.ask(try request("1", "5"))
        await fulfil(service)
        #expect(try demanded(service) == ["1"])
    }

    @Test func `the queue of all apps together is limited as well`() async throws {
        let service = try await shipped(5)
        let patches = service.requestedPatches
        func fill(_ count: Int) throws {
            for number in 0..<count {
                let app = try #require(AppID("app-\(number % 8)"))
                let request = try request("none-\(number)", "5")
                patches.ask(PatchRequest(app: app, package: request.package, pair: request.pair))
            }
        }
        func fulfilled(asking count: Int) async throws -> [String] {
            try fill(count)
            patches.ask(try request("1", "5"))
            // The other apps do not exist.
            await patches.fulfilAll { #expect($0.code == .appNotFound) }
            service.clock.advance(milliseconds: RequestedPatches.pauseAfterFailure)
            return try demanded(service)
        }
        #expect(try await fulfilled(asking: RequestedPatches.queueLength) == [])
        #expect(try await fulfilled(asking: RequestedPatches.queueLength - 1) == ["1"])
    }

    @Test func `a patch for a version without an offer is built once the version is offered`() async throws {
        let service = try await shipped(4)
        try await service.ship("5")
        service.clock.advance(milliseconds: 1)
        service.requestedPatches.ask(try request("1", "4"))
        await fulfil(service)
        // A rollback: patches from 5, 3 and 2 are planned.
        try await service.release("4")
        service.requestedPatches.ask(try request("1", "4"))
        await fulfil(service)
        // Both kinds exist since 4 was new.
        #expect(try demanded(service) == ["1", "1"])
    }

    /// Returns a service with patches from the maximum number of bases, requested in turn.
    private func crowded() async throws -> (service: TestService, target: String, further: String) {
        let count = PatchCoverage.baseCount + PatchDemand.offeredCount + 2
        let service = try await shipped(count)
        for base in 1...PatchDemand.offeredCount {
            service.clock.advance(milliseconds: 1)
            service.requestedPatches.ask(try request(String(base), String(count)))
            await fulfil(service)
        }
        try #require(try demanded(service).count == PatchDemand.offeredCount)
        return (service, String(count), String(PatchDemand.offeredCount + 1))
    }

    @Test func `a base past the limit gets no patch while all others are in demand`() async throws {
        let (service, target, further) = try await crowded()
        let known = try await service.store.blobs()
        let version = try service.view().configVersion
        for _ in 0..<3 {
            service.requestedPatches.ask(try request(further, target))
            await fulfil(service)
        }
        #expect(try await service.store.blobs() == known)
        #expect(try service.view().configVersion == version)
    }

    @Test func `the base without demand for the longest time is replaced, and returns without a new patch`()
        async throws
    {
        let (service, target, further) = try await crowded()
        service.clock.advance(milliseconds: PatchDemand.renewal)
        service.requestedPatches.ask(try request(further, target))
        await fulfil(service)
        #expect(try demanded(service).contains(further))
        #expect(try !demanded(service).contains("1"))
        let known = try await service.store.blobs()
        service.requestedPatches.ask(try request("1", target))
        await fulfil(service)
        #expect(try demanded(service).contains("1"))
        #expect(try demanded(service).count == PatchDemand.offeredCount)
        #expect(try await service.store.blobs() == known)
    }

    @Test func `a patch that devices keep requesting stays on offer`() async throws {
        let (service, target, further) = try await crowded()
        service.clock.advance(milliseconds: PatchDemand.renewal)
        service.requestedPatches.note(try request("1", target))
        service.requestedPatches.ask(try request(further, target))
        await fulfil(service)
        #expect(try demanded(service).contains("1"))
        #expect(try !demanded(service).contains("2"))
    }

    @Test func `the builder starts at a device's request, and stops on request`() async throws {
        let service = try await shipped(5)
        let patches = service.requestedPatches
        let running = Task { await patches.run { error in Issue.record(error) } }
        patches.ask(try request("1", "5"))
        while try demanded(service) != ["1"] { await Task.yield() }
        running.cancel()
        await running.value
    }
}

import Dispatch
import Domain
import Execution
import Platform
import ServiceKit
import Synchronization
import TestKit
import Testing

/// Tests that patches are built concurrently with other changes of an app.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PatchBuildingTests {
    private let workshop = HookedWorkshop()

    /// Returns a service that offers 1 and has published the others.
    private func service(publishing versions: [String]) async throws -> TestService {
        let service = try await TestService(workshop: workshop)
        try await service.ship("1")
        for version in versions { try await service.publishSample(version) }
        service.clock.advance(milliseconds: 1)
        return service
    }

    private func patchBases(of version: String, in service: TestService) async throws -> [String] {
        let package = try #require(PackageID("news"))
        let version = try #require(VersionString(version))
        let patches = try await service.store.patches(to: [version], of: package, in: .default)
        return patches.filter { $0.kind == .files }.compactMap(\.base?.text).sorted()
    }

    @Test func `an activation does not wait for patches that are being built`() async throws {
        let service = try await service(publishing: ["2"])
        // Closer to 2 than 1 is, so that the archive from here to 2 differs.
        let files = TestService.sample("2").filter { $0.path != "index.html" }
        try await service.publish("3", zip: StoredZip(files + [("index.html", Array("three".utf8))]).bytes)
        let moment = service.fromNow(1000)
        try await service.release("2", at: moment)
        let gate = Gate()
        workshop.setBeforeBuilding { gate.pass() }
        let release = Task { try await service.release("3") }
        await gate.arrival()
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        #expect(gate.isHolding)
        #expect(try service.entry()?.current?.release.version.text == "2")
        gate.open()
        let made = try await release.value
        #expect(try service.entry()?.current?.release == made.release)
        #expect(made.shadowing.shadows.map(\.release.version.text) == ["2"])
        // The plan before the activation had no patch from 2, and one back to it.
        #expect(try service.bases() == ["1", "2"])
        #expect(try await patchBases(of: "2", in: service) == ["1"])
        // An archive and a delta patch.
        #expect(try service.blobs.sweep(keeping: try await service.store.blobs()) == 2)
    }

    @Test func `a key that is made while patches are built signs them`() async throws {
        let service = try await service(publishing: ["2", "3"])
        let moment = service.fromNow(1000)
        try await service.release("2", at: moment)
        let (first, second) = (Gate(), Gate())
        let builds = Counter()
        workshop.setBeforeBuilding {
            // 1 → 3 and 3 → 2; then, since 2 is active, 2 → 3.
            switch builds.increment() {
            case 1: first.pass()
            case 3: second.pass()
            default: break
            }
        }
        let release = Task { try await service.release("3") }
        await first.arrival()
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        first.open()
        await second.arrival()
        let pem = try service.cryptography.makeLegacyPair().publicPEM
        let key = try await service.keys.importLegacy(pem: pem, of: service.app, by: .server)
        #expect(second.isHolding)
        second.open()
        let made = try await release.value
        let current = try #require(try service.entry()?.current)
        #expect(current.release == made.release)
        #expect(current.patches.map(\.artifact.kind.rawValue).sorted() == ["delta", "delta", "files", "files"])
        #expect(current.patches.allSatisfy { $0.signatures.contains { $0.keyID == key.id } })
    }

    @Test func `the later of two concurrent releases has a patch from the earlier one`() async throws {
        let service = try await service(publishing: ["2", "3"])
        let meeting = Meeting()
        workshop.setBeforeBuilding { meeting.arrive() }
        let tasks = ["2", "3"].map { version in Task { try await service.release(version).release } }
        var releases: [Release] = []
        for task in tasks { releases.append(try await task.value) }
        #expect(meeting.tookPlace)
        releases.sort { $0.rank < $1.rank }
        #expect(try service.entry()?.current?.release == releases.last)
        #expect(try service.bases() == ["1", releases[0].version.text])
        #expect(try await patchBases(of: releases[0].version.text, in: service) == ["1"])
        let events = try await service.store.events(of: .default, last: 2).map(\.subject)
        #expect(events == releases.map { .activated($0.package, $0.channel, $0.version) })
        #expect(try service.blobs.sweep(keeping: try await service.store.blobs()) == 0)
    }

    @Test func `a built patch is not swept before the release refers to it`() async throws {
        let service = try await service(publishing: ["2"])
        let outcome = Shared<PlatformError.Code?>(nil)
        service.store.setBefore(.makeRelease) { () throws(PlatformError) in
            let known = try await service.store.blobs()
            do throws(PlatformError) { _ = try service.blobs.sweep(keeping: known) } catch {
                outcome.change { $0 = error.code }
            }
        }
        try await service.release("2")
        #expect(outcome.value == .busy)
        #expect(try await service.unpack(service.artifact("2", base: "1"))["news/index.html"] != nil)
    }

    @Test func `a release that others get ahead of three times keeps the next one waiting`() async throws {
        let service = try await service(publishing: ["2", "3", "4", "5", "6"])
        let others = Shared(["2", "3", "4", "5"])
        let reads = Counter()
        let isNested = Shared(false)
        let last = Shared<Task<Release, any Error>?>(nil)
        service.store.setBefore(.version) { () throws(PlatformError) in
            // Each patch of 6 reads two versions; another release is made before the first read.
            guard !isNested.value, !reads.increment().isMultiple(of: 2), let other = others.value.first else { return }
            others.change { $0.removeFirst() }
            isNested.change { $0 = true }
            let isMade = AsyncFlag()
            let task = Task {
                defer { isMade.set() }
                return try await service.release(other).release
            }
            let isLast = others.value.isEmpty
            if isLast { last.change { $0 = task } }
            // The last release must not come first, and gets more time than it would take.
            await isMade.wait(upTo: isLast ? .milliseconds(500) : .seconds(30))
            if !isLast { isNested.change { $0 = false } }
        }
        let made = try await service.release("6").release
        let after = try #require(try await last.value?.value)
        #expect(after.version.text == "5")
        #expect(after.rank > made.rank)
        #expect(try await patchBases(of: "6", in: service) == ["2", "3", "4"])
        #expect(try service.entry()?.current?.release == after)
        #expect(try service.bases() == ["3", "4", "6"])
    }
}

/// A point where one thread waits for another, for half a minute at most.
private final class Meeting: Sendable {
    private let second = DispatchSemaphore(value: 0)
    private let arrived = Counter()
    private let isMissed = Shared(false)

    var tookPlace: Bool { !isMissed.value && arrived.value > 1 }

    func arrive() {
        if arrived.increment() == 1 {
            if second.wait(timeout: .now() + 30) == .timedOut { isMissed.change { $0 = true } }
        } else {
            second.signal()
        }
    }
}

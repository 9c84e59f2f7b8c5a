import Domain
import Glibc
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ActivationTests {
    private let hour: Int64 = 3_600_000

    /// Returns a service that offers 1.0.0, and 2.0.0 in an hour.
    private func planned() async throws -> (service: TestService, moment: Timestamp, observer: RecordingObserver) {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        let moment = service.fromNow(hour)
        try await service.release("2.0.0", at: moment)
        let observer = RecordingObserver()
        service.live.observe(observer)
        return (service, moment, observer)
    }

    private func activations(_ service: TestService) async throws -> [String] {
        try await service.store.events(of: .default, last: 1000).compactMap { event in
            guard case .activated(_, _, let version) = event.subject else { return nil }
            return version.text
        }
    }

    @Test func `no release switches before its activation time`() async throws {
        let (service, moment, observer) = try await planned()
        let view = try service.view()
        #expect(view.boundary == moment)
        #expect(view.entries.first?.next?.release.version.text == "2.0.0")
        service.clock.set(to: moment.adding(milliseconds: -1))
        try await service.live.activate(service.app)
        #expect(try service.view() === view)
        #expect(observer.events.isEmpty)
    }

    @Test func `a release wins at its activation time, and is announced once`() async throws {
        let (service, moment, observer) = try await planned()
        let before = try service.view().configVersion
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        let view = try service.view()
        #expect(view.entries.first?.current?.release.version.text == "2.0.0")
        #expect(view.entries.first?.next == nil && view.boundary == nil)
        #expect(view.configVersion > before)
        #expect(view.cursor == (try service.app.log.cursor))
        #expect(observer.events.count == 1)
        service.clock.advance(milliseconds: hour)
        try await service.live.activate(service.app)
        #expect(try service.view() === view)
        #expect(try await activations(service) == ["1.0.0", "2.0.0"])
    }

    @Test func `a clock set back takes no release back`() async throws {
        let (service, moment, _) = try await planned()
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        service.clock.set(to: moment.adding(milliseconds: -hour))
        try await service.putPackage("news", .init(name: "Renamed"))
        #expect(try service.entry()?.current?.release.version.text == "2.0.0")
        let restarted = try await service.restarted()
        #expect(try restarted.entry()?.current?.release.version.text == "2.0.0")
        // A release made now is newer than the one active before.
        try await restarted.ship("3.0.0")
        #expect(try restarted.entry()?.current?.release.version.text == "3.0.0")
        #expect(try await activations(restarted) == ["1.0.0", "2.0.0", "3.0.0"])
    }

    @Test func `an activation missed while the server was down happens once at the start`() async throws {
        let (service, moment, _) = try await planned()
        let version = try service.view().configVersion
        service.clock.set(to: moment.adding(milliseconds: hour))
        for _ in 1...2 {
            let restarted = try await service.restarted()
            #expect(try restarted.entry()?.current?.release.version.text == "2.0.0")
            #expect(try restarted.view().configVersion > version)
            #expect(try restarted.app.log.events.last.map(\.sequence) == (try restarted.view().cursor.sequence))
            #expect(try await activations(restarted) == ["1.0.0", "2.0.0"])
        }
    }

    @Test func `an activation that precedes another change is published with it`() async throws {
        let (service, moment, observer) = try await planned()
        service.clock.set(to: moment)
        try await service.putPackage("news", .init(name: "Renamed"))
        #expect(try service.entry()?.current?.release.version.text == "2.0.0")
        #expect(try await activations(service) == ["1.0.0", "2.0.0"])
        #expect(observer.events.count == 2)
        try await service.live.activate(service.app)
        #expect(observer.events.count == 2)
    }

    @Test func `a release that was halted before its activation time is activated once it is resumed`() async throws {
        let (service, moment, _) = try await planned()
        let id = ReleaseID(2)
        func act(_ action: ReleaseAction) async throws { try await service.apply(action, to: id) }
        try await act(.halt)
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        #expect(try service.entry()?.current?.release.version.text == "1.0.0")
        #expect(try await activations(service) == ["1.0.0"])
        let restarted = try await service.restarted()
        #expect(try await activations(restarted) == ["1.0.0"])
        try await restarted.apply(.resume, to: id)
        #expect(try restarted.entry()?.current?.release.version.text == "2.0.0")
        #expect(try await activations(restarted) == ["1.0.0", "2.0.0"])
        try await restarted.apply(.halt, to: id)
        try await restarted.apply(.resume, to: id)
        #expect(try await activations(restarted) == ["1.0.0", "2.0.0"])
    }

    @Test func `several activations are announced in the order of their times`() async throws {
        let service = try await TestService()
        for version in ["1", "2", "3"] { try await service.publishSample(version) }
        try await service.release("2", at: service.fromNow(2000))
        try await service.release("3", at: service.fromNow(3000))
        try await service.release("1", at: service.fromNow(1000))
        service.clock.advance(milliseconds: 5000)
        try await service.live.activate(service.app)
        #expect(try await activations(service) == ["1", "2", "3"])
        #expect(try service.entry()?.current?.release.version.text == "3")
    }

    @Test func `the loop switches by the system's clock`() async throws {
        let service = try await TestService(wallClock: RealClock())
        let loop = Task {
            await service.live.runActivations { Issue.record("\($0)") }
        }
        // On a slow machine the shorter delays may end before the release is made.
        for delay in [Int64(300), 1000, 5000, 20_000] {
            let version = "1.0.\(delay)"
            try await service.publishSample(version)
            try await service.release(version, at: RealClock().now().adding(milliseconds: delay))
            let kinds = try await service.store.events(of: .default, last: 1).map(\.subject)
            guard case .scheduled? = kinds.first else { continue }
            while try service.entry()?.current?.release.version.text != version {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try await activations(service).last == version)
            break
        }
        loop.cancel()
        await loop.value
    }

    @Test func `the loop tries a failed activation again`() async throws {
        let (service, moment, observer) = try await planned()
        let failures = Failures()
        service.store.setBefore(.state) { () throws(PlatformError) in
            guard failures.isFirst() else { return }
            throw storeFailure
        }
        service.clock.set(to: moment)
        let loop = Task { await service.live.runActivations { _ in failures.report() } }
        while observer.events.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        loop.cancel()
        await loop.value
        #expect(failures.reported == 1)
        #expect(observer.events.count == 1)
        #expect(try service.entry()?.current?.release.version.text == "2.0.0")
    }

    @Test func `a change that could not be published is published later, and announced once`() async throws {
        let (service, _, observer) = try await planned()
        let view = try service.view()
        service.store.setBefore(.state) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { try await service.release("2.0.0") } == .storageFailed)
        #expect(try service.view() === view)
        service.store.setBefore(.state, nil)
        try await service.live.activate(service.app)
        #expect(try service.entry()?.current?.release.version.text == "2.0.0")
        #expect(observer.events.map(\.sequence) == [view.cursor.sequence + 1])
        let shown = try service.view()
        try await service.live.activate(service.app)
        #expect(try service.view() === shown)
    }

    @Test func `a change that could not be published is announced with the next one`() async throws {
        let (service, _, observer) = try await planned()
        let cursor = try service.view().cursor
        service.store.setBefore(.state) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { try await service.release("2.0.0") } == .storageFailed)
        service.store.setBefore(.state, nil)
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        #expect(observer.events.map(\.sequence) == [cursor.sequence + 1])
        #expect(try service.view().cursor == (try service.app.log.cursor))
    }
}

/// An operation that fails once, and a counter of reports.
private final class Failures: Sendable {
    private let tries = Counter()
    private let reports = Counter()

    func isFirst() -> Bool { tries.increment() == 1 }
    func report() { reports.increment() }
    var reported: Int { reports.value }
}

/// The machine's clock.
private struct RealClock: WallClock {
    func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

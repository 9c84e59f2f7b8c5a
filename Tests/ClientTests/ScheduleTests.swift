import Client
import Domain
import Glibc
import Ground
import HTTP
import Synchronization
import TestKit
import Testing

/// Tests versions with a future activation time, by a server time that tests move.
@Suite(.scratchDirectory, .ownThread)
struct ScheduleTests {
    let larder: Larder
    let one: Publication.Version
    let two: Publication.Version
    let clock = ManualClientClock()
    /// An instant ten seconds after the server's time at the start.
    static let activeTime = "2026-01-01T00:00:10Z"

    init() throws {
        larder = try Larder()
        one = try larder.version("1.0", ["index.html": "one", "same.txt": "same"])
        two = try larder.version("1.1", ["index.html": "two", "same.txt": "same"])
        larder.model.change { $0.date = "Thu, 01 Jan 2026 00:00:00 GMT" }
    }

    private var copy: [String: String] { Files.tree(Larder.folder + "/news") }

    private func schedule() throws {
        let next = try larder.entry(two, from: [one]).setting("activeTime", .string(Self.activeTime))
        larder.offer("news", try larder.entry(one).setting("next", next))
    }

    @Test func `a scheduled version is prepared, and not applied`() throws {
        try schedule()
        let result = try larder.engine(clock: clock).run()
        let next = try #require(result.packages.first?.next)
        #expect(next.version == "1.1")
        #expect(next.activeTime == Timestamp(rfc3339: Self.activeTime))
        #expect(next.failure == nil)
        #expect(next.bytes > 0)
        #expect(copy == one.files)
        #expect(result.json["packages"]?.elements?.first?["next"]?["state"]?.string == "ready")
        // A prepared update is not prepared again.
        #expect(try larder.engine(clock: clock).run().packages.first?.next?.bytes == 0)
    }

    @Test func `a current version waits for its download slot, unless it is mandatory`() throws {
        try larder.offer(one)
        _ = try larder.engine(clock: clock).run()
        let entry = try larder.entry(two).setting("downloadAfter", "2026-01-01T00:00:05Z")
        larder.offer("news", entry)
        let outcome = try #require(try larder.engine(clock: clock).run().packages.first)
        let slot = try #require(Timestamp(rfc3339: "2026-01-01T00:00:05Z"))
        #expect(outcome.result == .waiting(from: "1.0", to: "1.1", until: slot))
        #expect(outcome.json["outcome"] == "waiting")
        #expect(copy == one.files)
        // The missed response is requested again.
        clock.advance(by: .seconds(16))
        guard case .waiting? = try larder.engine(clock: clock).run().packages.first?.result else {
            Issue.record("it did not wait")
            return
        }
        larder.offer("news", entry.setting("mandatoryAfter", .integer(.max)))
        _ = try larder.engine(clock: clock).run()
        #expect(copy == two.files)
    }

    @Test func `a prepared version is applied without a download once the server offers it`() throws {
        try schedule()
        _ = try larder.engine(clock: clock).run()
        try larder.offer(two)
        larder.model.change { $0.blobs = [:] }
        let result = try larder.engine(clock: clock).run()
        guard case .updated(let update)? = result.packages.first?.result else {
            Issue.record("\(result)")
            return
        }
        #expect(update.means == .prepared)
        #expect(update.bytes == 0)
        let applied = try #require(larder.reports.last)
        #expect(applied["event"]?.string == "applied")
        #expect(applied["version"]?.string == "1.1")
        #expect(applied["kind"] == nil)
        #expect(copy == two.files)
        #expect(Files.names(Larder.folder + "/.larder/prepared").isEmpty)
    }

    @Test func `a prepared version that was damaged is downloaded again`() throws {
        try schedule()
        _ = try larder.engine(clock: clock).run()
        Files.write("spoilt", to: Larder.folder + "/.larder/prepared/news/news/index.html")
        try larder.offer(two)
        let result = try larder.engine(clock: clock).run()
        guard case .updated(let update)? = result.packages.first?.result else {
            Issue.record("\(result)")
            return
        }
        #expect(update.means == .full)
        #expect(copy == two.files)
    }

    @Test func `a prepared version is removed if its release is cancelled`() throws {
        try schedule()
        _ = try larder.engine(clock: clock).run()
        try larder.offer(one)
        _ = try larder.engine(clock: clock).run()
        #expect(Files.names(Larder.folder + "/.larder/prepared").isEmpty)
        #expect(copy == one.files)
    }

    @Test func `a scheduled first version is prepared although the package is not enabled yet`() throws {
        let next = try larder.entry(two).setting("activeTime", .string(Self.activeTime))
        larder.offer("news", .object(["appId": "news", "enable": false, "priority": 1, "next": next]))
        let outcome = try #require(try larder.engine(clock: clock).run().packages.first)
        #expect(outcome.result == .skipped(.bySeedRule(.notEnabled)))
        #expect(outcome.next?.version == "1.1")
        #expect(copy.isEmpty)
    }

    @Test func `a version that cannot be prepared is reported, and the copy stays`() throws {
        try schedule()
        larder.model.change { [digest = two.full.digest.hex] in $0.blobs[digest] = nil }
        let patch = try larder.publication.patch(from: one, to: two, in: ScratchDirectory.path)
        larder.model.change { [digest = patch.digest.hex] in $0.blobs[digest] = nil }
        let result = try larder.engine(clock: clock).run()
        #expect(result.packages.first?.next?.failure?.reason == .downloadFailed)
        #expect(!result.isSuccess)
        #expect(copy == one.files)
    }

    // MARK: Watching

    /// Watches until there are `count` notices.
    private func watch(_ count: Int) throws -> [WatchNotice] {
        var notices: [WatchNotice] = []
        try larder.engine(clock: clock).watch(until: { notices.count >= count }, notify: { notices.append($0) })
        return notices
    }

    private func results(_ notices: [WatchNotice]) -> [PackageOutcome.Result?] {
        notices.map { notice in
            guard case .passed(let result) = notice else { return nil }
            return result.packages.first?.result
        }
    }

    @Test func `a watch reads the config again when the server has news, by the last received cursor`() throws {
        try larder.offer(one)
        let entry = try larder.entry(two)
        larder.model.change { [larder] state in
            state.pushes = [
                { .response(204, ["Larder-Cursor": "aa.3"]) },
                {
                    larder.offer("news", entry)
                    return .response(200, ["Larder-Cursor": "aa.7"], Array(#"{"cursor":"aa.7","events":[]}"#.utf8))
                },
            ]
        }
        let notices = try watch(2)
        guard case .updated(let update)? = results(notices).last ?? nil else {
            Issue.record("\(notices)")
            return
        }
        #expect(update.to == "1.1")
        #expect(larder.requests(to: "/push").map { $0.query.prefix(13) } == ["cursor=aa.2&w", "cursor=aa.3&w"])
        #expect(larder.requests(to: "/config").last?.query.hasSuffix("cursor=aa.7") == true)
    }

    @Test func `a watch downloads a scheduled version in its download slot, without a further config request`() throws {
        let next = try larder.entry(two, from: [one]).setting("activeTime", .string(Self.activeTime))
            .setting("downloadAfter", "2026-01-01T00:00:05Z")
        larder.offer("news", try larder.entry(one).setting("next", next))
        let clock = clock
        larder.model.change { state in
            state.pushes = [
                {
                    clock.advance(by: .seconds(5))
                    return .response(204)
                }
            ]
        }
        let nexts = try watch(2).map { notice in
            guard case .passed(let result) = notice else { return nil as PackageOutcome.Upcoming? }
            return result.packages.first?.next
        }
        #expect(nexts.map { $0?.downloadAfter != nil } == [true, false])
        #expect(nexts.first??.bytes == 0)
        #expect(copy == one.files)
        #expect(larder.requests(to: "/config").count == 1)
        #expect(larder.requests(to: "/push").map(\.query) == ["cursor=aa.2&wait=5"])
    }

    @Test func `a watch applies a version at its activation time, without a request`() throws {
        try schedule()
        let clock = clock
        larder.model.change { state in
            state.pushes = [
                {
                    // A long poll waits for this time.
                    clock.advance(by: .seconds(10))
                    return .response(204)
                }
            ]
        }
        let notices = try watch(2)
        guard case .updated(let update)? = results(notices).last ?? nil else {
            Issue.record("\(notices)")
            return
        }
        #expect(update.means == .prepared)
        #expect(copy == two.files)
        #expect(larder.requests(to: "/config").count == 1)
        #expect(larder.requests(to: "/push").map(\.query) == ["cursor=aa.2&wait=10"])
    }

    @Test func `an unsigned date of next week applies no version`() throws {
        let next = try larder.entry(two, from: [one]).setting("activeTime", "2026-01-02T00:00:00Z")
        larder.offer("news", try larder.entry(one).setting("next", next))
        let clock = clock
        let start = clock.wall()
        larder.model.change { state in
            state.signer?.created = start
            state.signer?.expires = start.adding(milliseconds: 3_600_000)
            state.pushes = [
                { .response(204, ["Date": "Thu, 08 Jan 2026 00:00:00 GMT"]) },
                {
                    clock.advance(by: .seconds(300))
                    return .response(204, ["Date": "Thu, 08 Jan 2026 00:05:00 GMT"])
                },
            ]
        }
        _ = try watch(2)
        #expect(copy == one.files)
        #expect(larder.requests(to: "/config").count == 2)
    }

    @Test func `a version is applied at its activation time while the server is unreachable`() throws {
        try schedule()
        larder.model.change { $0.failures["/push"] = 503 }
        var applied = false
        try larder.engine(clock: clock).watch(until: { applied }) { notice in
            guard case .passed(let result) = notice, case .updated(let update)? = result.packages.first?.result
            else { return }
            applied = update.means == .prepared
        }
        #expect(copy == two.files)
        #expect(clock.monotonic() >= .seconds(10) && clock.monotonic() < .seconds(12))
    }

    @Test func `a version that cannot be applied at its activation time is retried after a pause`() throws {
        try schedule()
        let clock = clock
        let (state, aside) = (Larder.folder + "/.larder/state.json", Larder.folder + "/.larder/aside.json")
        larder.model.change { model in
            model.pushes = [
                {
                    // A non-empty folder cannot be replaced.
                    #expect(rename(state, aside) == 0)
                    Files.write("x", to: state + "/x")
                    clock.advance(by: .seconds(10))
                    return .response(204)
                }
            ]
        }
        var failures: [(at: Duration, delay: Duration)] = []
        var applied = false
        try larder.engine(clock: clock).watch(until: { applied || failures.count > 10 }) { notice in
            switch notice {
            case .failed(_, let delay):
                failures.append((clock.monotonic(), delay))
                guard failures.count == 4 else { return }
                #expect(unlink(state + "/x") == 0 && rmdir(state) == 0)
            case .passed: applied = failures.count == 4
            }
        }
        #expect(failures.count == 4)
        for (failure, next) in zip(failures, failures.dropFirst()) {
            #expect(next.at >= failure.at + failure.delay)
        }
        #expect(applied)
        #expect(copy == two.files)
    }

    @Test func `a watch spreads its request after an event over the time that the server names, 30 seconds at most`()
        throws
    {
        try larder.offer(one)
        let body = Array(#"{"cursor":"aa.9","events":[],"spread":3600000}"#.utf8)
        larder.model.change { state in
            state.pushes = Array(repeating: { .response(200, ["Larder-Cursor": "aa.9"], body) }, count: 10)
        }
        _ = try watch(10)
        let polls = larder.requests(to: "/push").count
        // Each waits 15 seconds on average; that all of them are this short, or one too long, has no chance.
        #expect(clock.monotonic() > .seconds(polls * 2))
        #expect(clock.monotonic() < .seconds(polls * 31))
    }

    @Test func `an activation is not delayed by the time over which requests are spread`() throws {
        try schedule()
        let clock = clock
        let body = Array(#"{"cursor":"aa.9","events":[],"spread":3600000}"#.utf8)
        larder.model.change { state in
            // A fixed date would set the clock back with each response.
            state.date = nil
            state.pushes = Array(repeating: { .response(200, ["Larder-Cursor": "aa.9"], body) }, count: 10)
            state.pushes[0] = {
                // The event arrives shortly before the activation.
                clock.advance(by: .seconds(9))
                return .response(200, ["Larder-Cursor": "aa.9"], body)
            }
        }
        var applied: Duration?
        try larder.engine(clock: clock).watch(until: { applied != nil || clock.monotonic() > .seconds(60) }) { _ in
            if copy == two.files { applied = clock.monotonic() }
        }
        #expect(try #require(applied) < .seconds(11))
    }

    @Test func `a watch polls at most once a second, whatever the server responds`() throws {
        try larder.offer(one)
        larder.model.change { state in
            state.pushes = Array(repeating: { .response(200, ["Larder-Cursor": "aa.9"]) }, count: 10)
        }
        _ = try watch(6)
        let polls = larder.requests(to: "/push").count
        #expect(clock.monotonic() >= .seconds(polls - 1))
    }

    @Test func `a watch backs off while the server is unreachable, and continues when it is back`() throws {
        try larder.offer(one)
        larder.model.change { $0.failures["/keys.json"] = 500 }
        var delays: [Duration] = []
        var isBack = false
        try larder.engine(clock: clock).watch(until: { isBack }) { notice in
            switch notice {
            case .failed(_, let delay):
                delays.append(delay)
                if delays.count == 9 { larder.model.change { $0.failures = [:] } }
            case .passed: isBack = true
            }
        }
        #expect(delays.count == 9)
        for (index, delay) in delays.enumerated() {
            let full = min(Duration.seconds(60), .seconds(1 << index))
            #expect(delay >= full * 0.5 && delay <= full)
        }
        #expect(copy == one.files)
    }

    @Test func `a watch requests the config again after a while without a notification`() throws {
        try larder.offer(one)
        let clock = clock
        larder.model.change { state in
            let quiet: @Sendable () -> TinyServer.Reply = {
                clock.advance(by: .seconds(45))
                return .response(204)
            }
            state.pushes = Array(repeating: quiet, count: 10)
        }
        _ = try watch(2)
        #expect(larder.requests(to: "/config").count == 2)
        #expect(clock.monotonic() >= .seconds(300) && clock.monotonic() < .seconds(400))
    }

    @Test func `a package that failed is tried again soon`() throws {
        try larder.offer(one)
        larder.model.change { $0.blobs = [:] }
        larder.model.change { state in
            state.pushes = Array(repeating: { .response(204) }, count: 3)
        }
        var passes = 0
        try larder.engine(clock: clock).watch(until: { passes == 2 }) { [clock, larder, one] _ in
            passes += 1
            larder.keep(one.full)
            clock.advance(by: .seconds(1))
        }
        #expect(copy == one.files)
        #expect(clock.monotonic() < .seconds(60))
    }
}

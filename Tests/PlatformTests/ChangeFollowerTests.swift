import Domain
import Execution
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import Platform

/// Tests when a node counts its state as current, by facts that a test makes up.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ChangeFollowerTests {
    /// A feed whose facts, or error, a test sets.
    private final class Feed: ChangeFeed {
        private struct State {
            var apps: [AppID: AppRevision]?
            var isFrozen = false
            var readings = 0
        }

        private let state = Mutex(State())
        private let stopped = AsyncFlag()

        /// The number of facts that were returned.
        var readings: Int { state.withLock { $0.readings } }

        /// Sets the facts; `nil` for a store that cannot be reached.
        func set(_ apps: [AppID: AppRevision]?) { state.withLock { $0.apps = apps } }

        /// Lets no further call return before the feed is stopped.
        func freeze() { state.withLock { $0.isFrozen = true } }

        func next() async throws(PlatformError) -> StoreFacts {
            let instant = ContinuousClock.now
            await AsyncFlag().wait(upTo: .milliseconds(2))
            if state.withLock({ $0.isFrozen }) { await stopped.wait() }
            guard let apps = state.withLock({ $0.apps }) else { throw PlatformError(.storageUnavailable, "gone") }
            state.withLock { $0.readings += 1 }
            return StoreFacts(apps: apps, tokenChanges: 0, schema: 1, instant: instant)
        }

        func stop() { stopped.set() }
    }

    /// Runs a follower of facts beside a service.
    private func follow(
        _ service: TestService, _ feed: Feed, _ contact: StoreContact, patience: Duration = .seconds(60),
        _ body: () async throws -> Void
    ) async throws {
        let follower = ChangeFollower(
            feed: feed, schema: 1, live: service.live, tokens: service.tokens, blobs: service.blobs, contact: contact,
            loadingPatience: patience)
        let loop = Task { await follower.run { _ in } }
        try await body()
        loop.cancel()
        await loop.value
    }

    /// Waits until the feed was read twice, so that facts of now were applied.
    private func awaitReading(of feed: Feed) async {
        let begin = feed.readings
        while feed.readings < begin + 3 { await AsyncFlag().wait(upTo: .milliseconds(1)) }
    }

    private func revision(of service: TestService) async throws -> AppRevision {
        try await service.live.state(of: .default, at: service.clock.now()).revision
    }

    @Test func `after a loss the state is current again once the missed changes are loaded`() async throws {
        let service = try await TestService()
        let (feed, contact) = (Feed(), StoreContact())
        try await follow(service, feed, contact) {
            while contact.snapshotAge == nil { await Task.yield() }
            let known = try await revision(of: service)
            let missed = AppRevision(configVersion: known.configVersion + 1, sequence: known.sequence)
            feed.set([.default: missed])
            await awaitReading(of: feed)
            // Connected, but a change is missing.
            #expect(contact.snapshotAge != nil)
            let name = try #require(ChannelName("beta"))
            _ = try await service.catalogue.declareChannel(name, of: service.app, by: .server)
            feed.set([.default: try await revision(of: service)])
            while contact.snapshotAge != nil { await Task.yield() }
        }
    }

    @Test func `a store that freezes makes the state outdated after the patience`() async throws {
        let service = try await TestService()
        let (feed, contact) = (Feed(), StoreContact())
        feed.set([.default: try await revision(of: service)])
        try await follow(service, feed, contact, patience: .milliseconds(500)) {
            await awaitReading(of: feed)
            #expect(contact.snapshotAge == nil)
            feed.freeze()
            while contact.snapshotAge == nil { await Task.yield() }
            #expect(contact.unconfirmed > .milliseconds(500))
        }
    }

    @Test func `a change that is not loaded makes the state outdated after the patience`() async throws {
        let service = try await TestService()
        let (feed, contact) = (Feed(), StoreContact())
        let known = try await revision(of: service)
        feed.set([.default: known])
        try await follow(service, feed, contact, patience: .milliseconds(500)) {
            await awaitReading(of: feed)
            feed.set([.default: AppRevision(configVersion: known.configVersion + 1, sequence: known.sequence)])
            await awaitReading(of: feed)
            #expect(contact.snapshotAge == nil)
            while contact.snapshotAge == nil { await Task.yield() }
            #expect(contact.unconfirmed > .milliseconds(500))
            // Facts still arrive.
            await awaitReading(of: feed)
            #expect(contact.snapshotAge != nil)
        }
    }

    @Test func `an app that cannot be loaded delays no change of another`() async throws {
        let service = try await TestService()
        let (feed, contact) = (Feed(), StoreContact())
        let known = try await revision(of: service)
        let held = AsyncFlag()
        let isHolding = Atomic(false)
        service.store.setBefore(.state) { () throws(PlatformError) in
            isHolding.store(true, ordering: .relaxed)
            await held.wait()
        }
        let shop = try #require(AppID("shop"))
        let later = AppRevision(configVersion: known.configVersion + 1, sequence: known.sequence)
        feed.set([.default: known, shop: later])
        let app = try service.app
        try await follow(service, feed, contact) {
            while !isHolding.load(ordering: .relaxed) { await Task.yield() }
            #expect(!app.isStale)
            feed.set([.default: later, shop: later])
            while !app.isStale { await Task.yield() }
            held.set()
        }
    }
}

/// Tests the instant up to which the views of an app have everything that the store had.
struct LoadingProgressTests {
    private let begin = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { begin + .seconds(seconds) }

    private func revision(_ number: Int64) -> AppRevision { AppRevision(configVersion: number, sequence: number) }

    @Test func `the views are as old as the oldest reading that they lack`() {
        var progress = LoadingProgress(asOf: begin)
        _ = progress.note(revision(5), asOf: at(1), loaded: revision(5))
        #expect(progress.current == at(1))
        _ = progress.note(revision(6), asOf: at(2), loaded: revision(5))
        _ = progress.note(revision(6), asOf: at(4), loaded: revision(5))
        #expect(progress.current == at(1))
        progress.noteLoaded(revision(6), at: at(5))
        #expect(progress.current == at(4))
    }

    @Test func `a commit that is lost before it was loaded is not waited for`() {
        var progress = LoadingProgress(asOf: begin)
        _ = progress.note(revision(6), asOf: at(1), loaded: revision(5))
        _ = progress.note(revision(5), asOf: at(3), loaded: revision(5))
        #expect(progress.current == at(3))
    }

    @Test func `steady changes do not make the views old if each is loaded in time`() {
        var progress = LoadingProgress(asOf: begin)
        for second in 1...100 {
            // Each reading shows a change that the views lack.
            _ = progress.note(revision(Int64(second)), asOf: at(second), loaded: revision(Int64(second - 1)))
            _ = progress.note(revision(Int64(second + 1)), asOf: at(second), loaded: revision(Int64(second - 1)))
            progress.noteLoaded(revision(Int64(second)), at: at(second))
            #expect(progress.current >= at(second - 1))
        }
        #expect(progress.current >= at(99))
    }

    @Test func `an earlier revision shows lost commits only if it was read after the views were loaded`() {
        var progress = LoadingProgress(asOf: begin)
        progress.noteLoaded(revision(5), at: at(3))
        let isLostBefore = progress.note(revision(4), asOf: at(2), loaded: revision(5))
        #expect(!isLostBefore)
        let isLostAt = progress.note(revision(4), asOf: at(3), loaded: revision(5))
        #expect(!isLostAt)
        let isLostAfter = progress.note(revision(4), asOf: at(4), loaded: revision(5))
        #expect(isLostAfter)
        #expect(progress.current < at(4))
        progress.noteLoaded(revision(4), at: at(5))
        #expect(progress.current == at(4))
    }
}

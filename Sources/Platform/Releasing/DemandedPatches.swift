package import Domain
import Execution
import Synchronization

/// Makes patches from bases that no plan names, when a device that has one asks what there is (semantics.md §7).
///
/// The device gets the full archive until the patch is there. Of more than ``PatchPlan/demandedBaseCount`` bases, those
/// that were asked for last stay on offer.
package final class DemandedPatches: Sendable {
    private let live: LiveApps
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    private let clock: any WallClock
    private let timeLimit: Duration
    private let wake = AsyncFlag()
    private let state = Mutex(State())

    /// Patches that wait to be built; whoever asks for one more asks again later.
    package static let queueLength = 256
    /// Pairs of which is remembered that nothing is to be made for them: beyond these all are forgotten.
    package static let refusedCount = 10_000
    /// Milliseconds until what failed is tried again.
    package static let pauseAfterFailure: Int64 = 600_000
    /// Milliseconds after which it is noted anew that a patch is asked for.
    package static let renewal: Int64 = 3_600_000

    /// What a device asked for.
    package struct Wish: Hashable, Sendable {
        package let app: AppID
        package let package: PackageID
        package let pair: VersionPair

        package init(app: AppID, package: PackageID, pair: VersionPair) {
            self.app = app
            self.package = package
            self.pair = pair
        }
    }

    private struct State {
        var queue: [Wish] = []
        /// Everything in the queue, and what is being built.
        var pending: Set<Wish> = []
        /// What is not worth it, or could not be made; until when.
        var refused: [Wish: Timestamp] = [:]
        /// When it was noted last that a patch on offer is asked for.
        var renewed: [Wish: Timestamp] = [:]
    }

    /// - Parameters:
    ///   - builder: Works on a thread of its own.
    ///   - timeLimit: For one patch.
    package init(
        live: LiveApps, keys: KeyRing, blobs: any BlobStore, builder: PatchBuilder, clock: any WallClock,
        timeLimit: Duration = .seconds(60)
    ) {
        self.live = live
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.clock = clock
        self.timeLimit = timeLimit
    }

    /// Asks for a patch, or notes that one which is on offer is used; however often, it is built once.
    ///
    /// Never waits: made for event loops.
    ///
    /// - Parameter isOffered: Whether devices get it already.
    package func ask(_ wish: Wish, isOffered: Bool) {
        let now = clock.now()
        let isNew = state.withLock { state in
            if isOffered {
                if let last = state.renewed[wish], now.milliseconds - last.milliseconds < Self.renewal { return false }
            } else if let end = state.refused[wish], now < end {
                return false
            }
            guard state.queue.count < Self.queueLength, state.pending.insert(wish).inserted else { return false }
            state.queue.append(wish)
            return true
        }
        if isNew { wake.set() }
    }

    /// Builds what is asked for, one at a time, until cancelled.
    ///
    /// - Parameter report: Called with what failed.
    package func run(report: @escaping @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            await fulfilAll { error in
                if !Task.isCancelled { report(error) }
            }
            await wake.wait()
        }
    }

    /// Builds what is asked for by now.
    package func fulfilAll(report: (PlatformError) -> Void) async {
        while !Task.isCancelled, let wish = state.withLock({ $0.queue.first }) {
            do throws(PlatformError) {
                if try await fulfil(wish) {
                    noteRenewal(of: wish)
                } else {
                    refuse(wish, until: Timestamp(milliseconds: .max))
                }
            } catch {
                report(error)
                refuse(wish, until: clock.now().adding(milliseconds: Self.pauseAfterFailure))
            }
            state.withLock { state in
                state.queue.removeFirst()
                state.pending.remove(wish)
            }
        }
    }

    private func noteRenewal(of wish: Wish) {
        let now = clock.now()
        state.withLock { state in
            // Patches on offer are bounded, but not those that were.
            if state.renewed.count >= Self.refusedCount { state.renewed = [:] }
            state.renewed[wish] = now
        }
    }

    private func refuse(_ wish: Wish, until end: Timestamp) {
        state.withLock { state in
            if state.refused.count >= Self.refusedCount { state.refused = [:] }
            state.refused[wish] = end
        }
    }

    /// Whether the patch is on offer now.
    private func fulfil(_ wish: Wish) async throws(PlatformError) -> Bool {
        let store = live.store
        let app = try live.requireApp(wish.app)
        let state = try await store.state(of: wish.app, at: app.decisionInstant(clock.now()))
        guard let target = state.versions[wish.package]?[wish.pair.target],
            state.releases[wish.package]?.contains(where: { $0.version == wish.pair.base }) == true
        else { return false }
        if target.demandedBases.prefix(PatchPlan.demandedBaseCount).contains(wish.pair.base) {
            try await store.renewDemand(of: wish.pair, of: wish.package, in: wish.app, at: clock.now())
            return true
        }
        let there = PatchChoice.worthwhile(target.patches, from: [wish.pair.base], insteadOf: target.full)
        if !there.isEmpty {
            try await add(nil, for: wish, of: app)
            return true
        }
        return try await blobs.withStaging(on: builder.work) { staging throws(PlatformError) in
            let limit = PatchChoice.deltaLimit(insteadOf: target.full.artifact)
            guard let patch = try await build(wish, lessThan: limit + 1, into: staging) else { return false }
            try await add(patch, for: wish, of: app)
            return true
        }
    }

    private func add(_ patch: Artifact?, for wish: Wish, of app: LiveApp) async throws(PlatformError) {
        try await live.change(app) { () throws(PlatformError) in
            var signed: SignedArtifact?
            if let patch { signed = try await keys.sign(patch) }
            try await live.store.addDemand(
                of: wish.pair, of: wish.package, in: wish.app, patch: signed, at: clock.now())
        }
    }

    private func build(
        _ wish: Wish, lessThan size: Int, into staging: any BlobStaging
    ) async throws(PlatformError) -> Artifact? {
        let builder = builder
        let timeLimit = timeLimit
        let outcome = await withTaskGroup(of: Result<Artifact?, PlatformError>?.self) { group in
            group.addTask {
                do throws(PlatformError) {
                    return .success(
                        try await builder.buildSmall(
                            wish.pair, lessThan: size, of: wish.package, in: wish.app, into: staging))
                } catch { return .failure(error) }
            }
            group.addTask {
                await AsyncFlag().wait(upTo: timeLimit)
                return nil
            }
            // Whichever is first ends the other: a build soon, and then it has failed.
            var outcome: Result<Artifact?, PlatformError>?
            for await ended in group {
                group.cancelAll()
                outcome = outcome ?? ended
            }
            return outcome ?? .success(nil)
        }
        return try outcome.get()
    }
}

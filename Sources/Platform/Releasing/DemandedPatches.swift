package import Domain
import Execution
import Ground
import Synchronization

/// Makes patches from bases that no plan names, when a device that has one asks what there is (semantics.md §7).
///
/// The device gets the full archive until the patch is there. For how many bases there are patches is limited by
/// ``PatchDemand/offeredCount``: one that nobody asks for any more gives way.
package final class DemandedPatches: Sendable {
    private let live: LiveApps
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    private let clock: any WallClock
    private let timeLimit: Duration
    private let wake = AsyncFlag()
    private let state = Mutex(State())

    /// Patches that wait to be built, in all and of one app; whoever asks for one more asks again later.
    package static let queueLength = 256
    package static let queueLengthOfApp = 64
    /// Pairs that are remembered, of each kind: beyond these all are forgotten.
    package static let memory = 10_000
    /// Milliseconds until it is tried again to make what is not worth it, or has no base: that may have come back.
    package static let pauseAfterRefusal: Int64 = 86_400_000
    /// Milliseconds until what failed is tried again.
    package static let pauseAfterFailure: Int64 = 600_000

    private struct State {
        var queue: [PatchWish] = []
        /// Everything in the queue, and what is being built.
        var pending: Set<PatchWish> = []
        /// What is not worth it, could not be made, or has no place; until when.
        var refused: [PatchWish: Timestamp] = [:]
        /// When it was noted last that a patch on offer is asked for.
        var renewed: [PatchWish: Timestamp] = [:]
        /// What has to be noted.
        var renewals: Set<PatchWish> = []
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

    /// Asks for a patch that is not on offer; however often, it is built once.
    ///
    /// Never waits: made for event loops, as is ``note(_:)``.
    package func ask(_ wish: PatchWish) {
        let now = clock.now()
        let isNew = state.withLock { state in
            if let end = state.refused[wish], now < end { return false }
            guard state.queue.count < Self.queueLength, !state.pending.contains(wish),
                state.queue.count(where: { $0.app == wish.app }) < Self.queueLengthOfApp
            else { return false }
            state.pending.insert(wish)
            state.queue.append(wish)
            return true
        }
        if isNew { wake.set() }
    }

    /// Notes that a patch on offer is asked for, so that it stays.
    package func note(_ wish: PatchWish) {
        let now = clock.now()
        let isNew = state.withLock { state in
            if let last = state.renewed[wish], now.milliseconds - last.milliseconds < PatchDemand.renewal {
                return false
            }
            if state.renewed.count >= Self.memory { state.renewed = [:] }
            state.renewed[wish] = now
            return state.renewals.insert(wish).inserted
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

    /// Notes and builds what is asked for by now.
    package func fulfilAll(report: (PlatformError) -> Void) async {
        repeat {
            await renew(report: report)
            guard let wish = state.withLock({ $0.queue.first }) else { return }
            do throws(PlatformError) {
                switch try await fulfil(wish) {
                case .offered, .moot: break
                case .refused(let end): refuse(wish, until: end)
                }
            } catch {
                report(error)
                let end = clock.now().adding(milliseconds: Self.pauseAfterFailure)
                refuse(wish, until: end)
                if error.code == .signingFailed { refuseAll(of: wish.app, until: end) }
            }
            remove { $0 == wish }
        } while !Task.isCancelled
    }

    private func renew(report: (PlatformError) -> Void) async {
        let wishes = state.withLock { state in
            defer { state.renewals = [] }
            return Array(state.renewals)
        }
        guard !wishes.isEmpty else { return }
        do throws(PlatformError) { try await live.store.renewDemand(wishes, at: clock.now()) } catch { report(error) }
    }

    private func refuse(_ wish: PatchWish, until end: Timestamp) {
        state.withLock { state in
            if state.refused.count >= Self.memory { state.refused = [:] }
            state.refused[wish] = end
        }
    }

    /// Refuses what an app's devices wait for: a command that does not sign one patch is not asked for the others.
    private func refuseAll(of app: AppID, until end: Timestamp) {
        for wish in state.withLock({ $0.queue }) where wish.app == app { refuse(wish, until: end) }
        remove { $0.app == app }
    }

    private func remove(_ isOver: (PatchWish) -> Bool) {
        state.withLock { state in
            state.pending.subtract(state.queue.filter(isOver))
            state.queue.removeAll(where: isOver)
        }
    }

    private enum Fulfilment {
        case offered
        /// Nothing is made before this instant.
        case refused(until: Timestamp)
        /// Nobody is offered that version any more, or what its plan wants is there.
        case moot
    }

    private func fulfil(_ wish: PatchWish) async throws(PlatformError) -> Fulfilment {
        let app = try live.requireApp(wish.app)
        let instant = app.decisionInstant(clock.now())
        let state = try await live.store.state(of: wish.app, at: instant)
        let shipped = state.shipped[wish.package] ?? []
        guard let target = state.versions[wish.package]?[wish.pair.target], let releases = state.releases[wish.package],
            releases.contains(where: { $0.version == wish.pair.base }) || shipped.contains(wish.pair.base)
        else { return .moot }
        let planned = PatchPlan.offered(ofEach: releases, at: instant)
            .filter { $0.version == wish.pair.target }.flatMap {
                PatchPlan.bases(
                    of: $0, among: releases, shipped: shipped, archiveSize: target.full.artifact.size)
            }
        // A preset that was deleted may have made room in the plan, whose patches nobody has built.
        let isReached = target.patches.contains { $0.artifact.base == wish.pair.base }
        guard !planned.contains(wish.pair.base) || !isReached else { return .moot }
        let places = target.demand.offered(besides: planned)
        if !planned.contains(wish.pair.base), !places.contains(where: { $0.version == wish.pair.base }),
            !target.demand.admitsMore(besides: planned, at: instant), let last = places.last
        {
            return .refused(until: last.askedAt.adding(milliseconds: PatchDemand.renewal))
        }
        let there = PatchChoice.worthwhile(target.patches, from: [wish.pair.base], insteadOf: target.full)
        guard there.isEmpty else {
            try await add(nil, for: wish, of: app)
            return .offered
        }
        return try await blobs.withStaging(on: builder.work) { staging throws(PlatformError) in
            let limit = PatchChoice.deltaLimit(insteadOf: target.full.artifact)
            let patch = try await builder.buildSmall(
                wish.pair, lessThan: limit + 1, timeLimit: timeLimit, of: wish.package, in: wish.app, into: staging)
            guard let patch else { return .refused(until: instant.adding(milliseconds: Self.pauseAfterRefusal)) }
            try await add(patch, for: wish, of: app)
            return .offered
        }
    }

    private func add(_ patch: Artifact?, for wish: PatchWish, of app: LiveApp) async throws(PlatformError) {
        try await live.change(app) { () throws(PlatformError) in
            var signed: SignedArtifact?
            if let patch { signed = try await keys.sign(patch) }
            try await live.store.addDemand(wish, patch: signed, at: clock.now())
        }
    }
}

package import Domain
import Execution
import Ground
import Synchronization

/// A background service that builds patches from unplanned bases on the request of devices (semantics.md §7).
///
/// A device gets the full archive until the patch is built. ``PatchDemand/offeredCount`` limits the number of bases; a
/// base without recent requests loses its slot.
package final class RequestedPatches: Sendable {
    private let live: LiveApps
    private let store: any ArtifactStore
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    private let clock: any WallClock
    private let timeLimit: Duration
    private let wake = AsyncFlag()
    private let state = Mutex(State())

    /// The limits on queued patches, in total and per app; a rejected device asks again later.
    package static let queueLength = 256
    package static let queueLengthOfApp = 64
    /// The default time limit of one patch.
    package static let defaultTimeLimit = Duration.seconds(60)
    /// The limit on remembered pairs of each kind; a full table is emptied.
    package static let memory = 10_000
    /// The milliseconds until a patch that was too large, or whose base was missing, is tried again.
    package static let pauseAfterRefusal: Int64 = 86_400_000
    /// The milliseconds until a failed patch is tried again.
    package static let pauseAfterFailure: Int64 = 600_000

    private struct State {
        var queue: [PatchRequest] = []
        /// The queued patches and the one being built.
        var pending: Set<PatchRequest> = []
        /// The patches that are too large, failed, or have no slot, with the end of their pause.
        var refused: [PatchRequest: Timestamp] = [:]
        /// The times of the last recorded requests for offered patches.
        var renewed: [PatchRequest: Timestamp] = [:]
        /// The requests to record.
        var renewals: Set<PatchRequest> = []
    }

    /// - Parameters:
    ///   - builder: The builder, which works on a thread of its own.
    ///   - timeLimit: The time limit of one patch.
    package init(
        live: LiveApps, store: any ArtifactStore, keys: KeyRing, blobs: any BlobStore, builder: PatchBuilder,
        clock: any WallClock, timeLimit: Duration = defaultTimeLimit
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.clock = clock
        self.timeLimit = timeLimit
    }

    /// Requests a patch that is not offered; repeated requests build it once.
    ///
    /// Never waits, so event loops may call it, like ``note(_:)``.
    package func ask(_ request: PatchRequest) {
        let now = clock.now()
        let isNew = state.withLock { state in
            if let end = state.refused[request], now < end { return false }
            guard state.queue.count < Self.queueLength, !state.pending.contains(request),
                state.queue.count(where: { $0.app == request.app }) < Self.queueLengthOfApp
            else { return false }
            state.pending.insert(request)
            state.queue.append(request)
            return true
        }
        if isNew { wake.set() }
    }

    /// Records a request for an offered patch, which keeps its slot.
    package func note(_ request: PatchRequest) {
        let now = clock.now()
        let isNew = state.withLock { state in
            if let last = state.renewed[request], now.milliseconds - last.milliseconds < PatchDemand.renewal {
                return false
            }
            if state.renewed.count >= Self.memory { state.renewed = [:] }
            state.renewed[request] = now
            return state.renewals.insert(request).inserted
        }
        if isNew { wake.set() }
    }

    /// Builds the requested patches, one at a time, until cancelled.
    ///
    /// - Parameter report: Called with each failure.
    package func run(report: @escaping @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            await fulfilAll { error in
                if !Task.isCancelled { report(error) }
            }
            await wake.wait()
        }
    }

    /// Records and builds the patches requested so far.
    package func fulfilAll(report: (PlatformError) -> Void) async {
        repeat {
            await renew(report: report)
            guard let request = state.withLock({ $0.queue.first }) else { return }
            do throws(PlatformError) {
                switch try await fulfil(request) {
                case .offered, .moot: break
                case .refused(let end): refuse(request, until: end)
                }
            } catch {
                report(error)
                let end = clock.now().adding(milliseconds: Self.pauseAfterFailure)
                refuse(request, until: end)
                if error.code == .signingFailed { refuseAll(of: request.app, until: end) }
            }
            remove { $0 == request }
        } while !Task.isCancelled
    }

    private func renew(report: (PlatformError) -> Void) async {
        let requests = state.withLock { state in
            defer { state.renewals = [] }
            return Array(state.renewals)
        }
        guard !requests.isEmpty else { return }
        do throws(PlatformError) { try await store.renewDemand(requests, at: clock.now()) } catch { report(error) }
    }

    private func refuse(_ request: PatchRequest, until end: Timestamp) {
        state.withLock { state in
            if state.refused.count >= Self.memory { state.refused = [:] }
            state.refused[request] = end
        }
    }

    /// Rejects all queued patches of an app: after a failure, the external signer is not called for the others.
    private func refuseAll(of app: AppID, until end: Timestamp) {
        for request in state.withLock({ $0.queue }) where request.app == app { refuse(request, until: end) }
        remove { $0.app == app }
    }

    private func remove(_ isOver: (PatchRequest) -> Bool) {
        state.withLock { state in
            state.pending.subtract(state.queue.filter(isOver))
            state.queue.removeAll(where: isOver)
        }
    }

    private enum Fulfilment {
        case offered
        /// The patch is not built before this instant.
        case refused(until: Timestamp)
        /// The version is no longer offered, or its planned patches exist.
        case moot
    }

    private func fulfil(_ request: PatchRequest) async throws(PlatformError) -> Fulfilment {
        let app = try live.requireApp(request.app)
        let instant = app.decisionInstant(clock.now())
        let state = try await live.state(of: request.app, at: instant)
        let shipped = state.shipped[request.package] ?? []
        guard let target = state.versions[request.package]?[request.pair.target],
            let releases = state.releases[request.package],
            releases.contains(where: { $0.version == request.pair.base }) || shipped.contains(request.pair.base)
        else { return .moot }
        let planned = PatchCoverage.offered(ofEach: releases, at: instant)
            .filter { $0.version == request.pair.target }.flatMap {
                PatchCoverage.bases(
                    of: $0, among: releases, shipped: shipped, archiveSize: target.full.artifact.size)
            }
        // Deleting a preset may have moved the base into the plan, whose patches are not built yet.
        let isReached = target.patches.contains { $0.artifact.base == request.pair.base }
        guard !planned.contains(request.pair.base) || !isReached else { return .moot }
        let requested = target.demand.offered(besides: planned)
        if !planned.contains(request.pair.base), !requested.contains(where: { $0.version == request.pair.base }),
            !target.demand.admitsMore(besides: planned, at: instant), let last = requested.last
        {
            return .refused(until: last.askedAt.adding(milliseconds: PatchDemand.renewal))
        }
        let there = PatchChoice.worthwhile(target.patches, from: [request.pair.base], insteadOf: target.full)
        guard there.isEmpty else {
            try await add(nil, for: request, of: app)
            return .offered
        }
        return try await blobs.withStaging(on: builder.work) { staging throws(PlatformError) in
            let limit = PatchChoice.deltaLimit(insteadOf: target.full.artifact)
            let patch = try await builder.buildSmall(
                request.pair, lessThan: limit + 1, timeLimit: timeLimit, of: request.package, in: request.app,
                into: staging)
            guard let patch else { return .refused(until: instant.adding(milliseconds: Self.pauseAfterRefusal)) }
            try await add(patch, for: request, of: app)
            return .offered
        }
    }

    private func add(_ patch: Artifact?, for request: PatchRequest, of app: LiveApp) async throws(PlatformError) {
        try await live.change(app) { () throws(PlatformError) in
            var signed: SignedArtifact?
            if let patch { signed = try await keys.sign(patch) }
            try await store.addDemand(request, patch: signed, at: clock.now())
        }
    }
}

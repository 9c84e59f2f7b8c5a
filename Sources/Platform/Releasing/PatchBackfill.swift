package import Domain
import Ground
import Synchronization

/// A background service that builds missing planned patches, one at a time (decision 0042).
///
/// A release is committed with its most useful patches. Further ones become necessary when an operator moves, resumes
/// or halts a release or deletes a preset, when an external signer failed, and for the versions of older builds. They
/// are derived from the store each time, so a restart loses none.
package final class PatchBackfill: Sendable {
    let live: LiveApps
    let store: any ReleaseStore & VersionStore & ArtifactStore
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    private let clock: any WallClock
    private let changed: ChangedApps
    private let state = Mutex(State())

    /// The milliseconds until a failed patch is tried again.
    package static let pauseAfterFailure: Int64 = 600_000
    /// The limit on remembered postponed patches and spent times; a full table is emptied.
    package static let memory = 10_000

    fileprivate struct Target: Hashable {
        let app: AppID
        let package: PackageID
        let version: VersionString
    }

    fileprivate struct State {
        var postponed: [PatchRequest: (until: Timestamp, reason: PatchGap.Reason)] = [:]
        /// The milliseconds spent on the patches to a version in a ``PatchBudget/period``, and its beginning.
        var spent: [Target: (since: Timestamp, time: Int64)] = [:]
    }

    /// - Parameter builder: The builder, which works on a thread of its own.
    package init(
        live: LiveApps, store: any ReleaseStore & VersionStore & ArtifactStore, keys: KeyRing, blobs: any BlobStore,
        builder: PatchBuilder, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.clock = clock
        changed = ChangedApps(live: live)
    }

    /// Builds missing patches, and new ones whenever an app changes, until cancelled.
    ///
    /// - Parameter report: Called with each failure.
    package func run(report: @escaping @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            for app in await changed.next() {
                await buildMissing(of: app) { error in
                    if !Task.isCancelled { report(error) }
                }
            }
        }
    }

    /// Builds every missing patch of an app that is not postponed; returns the number of pairs of versions.
    @discardableResult
    package func buildMissing(of app: LiveApp, report: (PlatformError) -> Void) async -> Int {
        var built = 0
        // Each pair is tried once, whatever the store returns afterwards.
        var tried: Set<PatchRequest> = []
        while !Task.isCancelled {
            let batch: [PatchRequest]
            do throws(PlatformError) {
                batch = Array(try await missing(of: app).filter { !tried.contains($0) }.prefix(Self.batchSize))
            } catch {
                report(error)
                break
            }
            guard !batch.isEmpty else { break }
            for request in batch where !Task.isCancelled && tried.insert(request).inserted {
                // The patches before it may have used up the time of its version.
                guard obstacle(to: request) == nil else { continue }
                do throws(PlatformError) {
                    if try await build(request, of: app) { built += 1 }
                } catch {
                    report(error)
                    postpone(request, .failed)
                    // After a failure, the external signer is not called for the others.
                    if error.code == .signingFailed {
                        await postponeAll(of: app)
                        break
                    }
                }
            }
        }
        return built
    }

    /// The number of patches that are built after one reading of the app's state, which takes long if there are many packages.
    private static let batchSize = 16

    /// Returns the reason why a planned patch is not built; `nil` if it can be built.
    package func obstacle(to request: PatchRequest) -> PatchGap.Reason? {
        let now = clock.now()
        return state.withLock { $0.obstacle(to: request, at: now) }
    }

    // MARK: Missing patches

    /// Returns the missing patches that can be built: first the first base of every release, then the second ones, and
    /// so on.
    private func missing(of app: LiveApp) async throws(PlatformError) -> [PatchRequest] {
        let now = clock.now()
        let instant = app.decisionInstant(now)
        let state = try await live.state(of: app.id, at: instant)
        var missing: [(rank: Int, request: PatchRequest)] = []
        for (package, releases) in state.releases.sorted(by: { $0.key.text < $1.key.text }) {
            for release in PatchCoverage.offered(ofEach: releases, at: instant).sorted(by: { $0.id < $1.id }) {
                guard let version = state.versions[package]?[release.version] else { continue }
                let reached = PatchCoverage.reached(by: version.patches.map(\.artifact), to: release.version)
                let bases = PatchCoverage.bases(
                    of: release, among: releases, shipped: state.shipped[package] ?? [],
                    archiveSize: version.full.artifact.size)
                for (rank, base) in bases.enumerated() where !reached.contains(base) {
                    let pair = VersionPair(base: base, target: release.version)
                    missing.append((rank, PatchRequest(app: app.id, package: package, pair: pair)))
                }
            }
        }
        return self.state.withLock { state in
            missing.filter { state.obstacle(to: $0.request, at: now) == nil }.sorted { $0.rank < $1.rank }
                .map(\.request)
        }
    }

    // MARK: Building

    private func build(_ request: PatchRequest, of app: LiveApp) async throws(PlatformError) -> Bool {
        try await blobs.withStaging(on: builder.work) { staging throws(PlatformError) in
            let patches = try await patches(for: request, into: staging)
            guard !patches.isEmpty else {
                postpone(request, .filesRemoved)
                return false
            }
            try await live.change(app) { () throws(PlatformError) in
                var signed: [SignedArtifact] = []
                for patch in patches { signed.append(try await keys.sign(patch)) }
                try await store.addPatches(signed, at: clock.now())
            }
            return true
        }
    }

    private func patches(
        for request: PatchRequest, into staging: any BlobStaging
    ) async throws(PlatformError) -> [Artifact] {
        let begun = clock.now()
        defer { spend(clock.now().milliseconds - begun.milliseconds, on: request) }
        let built = try await builder.build(
            [request.pair], of: request.package, in: request.app, deltaTime: PatchBudget.patchTime, into: staging)
        try await builder.commit(staging)
        return built[request.pair] ?? []
    }

    private func spend(_ milliseconds: Int64, on request: PatchRequest) {
        let now = clock.now()
        state.withLock { state in
            if state.spent.count >= Self.memory { state.spent = [:] }
            var spent = state.spending(on: request, at: now) ?? (now, 0)
            // A moved clock counts neither backwards nor for more than the whole budget.
            spent.time += min(max(0, milliseconds), PatchBudget.buildTime)
            state.spent[request.target] = spent
        }
    }

    private func postpone(_ request: PatchRequest, _ reason: PatchGap.Reason) {
        let end = clock.now().adding(milliseconds: Self.pauseAfterFailure)
        state.withLock { state in
            if state.postponed.count >= Self.memory { state.postponed = [:] }
            state.postponed[request] = (end, reason)
        }
    }

    private func postponeAll(of app: LiveApp) async {
        for request in (try? await missing(of: app)) ?? [] { postpone(request, .failed) }
    }
}

extension PatchBackfill.State {
    fileprivate func obstacle(to request: PatchRequest, at now: Timestamp) -> PatchGap.Reason? {
        if let known = postponed[request], now < known.until { return known.reason }
        if let spent = spending(on: request, at: now), spent.time >= PatchBudget.buildTime { return .timeBudget }
        return nil
    }

    /// Returns the time spent on a version in the current period.
    fileprivate func spending(on request: PatchRequest, at now: Timestamp) -> (since: Timestamp, time: Int64)? {
        guard let spent = spent[request.target], spent.since <= now,
            now.milliseconds - spent.since.milliseconds < PatchBudget.period
        else { return nil }
        return spent
    }
}

extension PatchRequest {
    fileprivate var target: PatchBackfill.Target {
        PatchBackfill.Target(app: app, package: package, version: pair.target)
    }
}

package import Domain
import Synchronization

/// A background service that replaces fast delta patches on offer by smaller ones, one at a time.
///
/// The fast patch stays stored, since a response that named it may still be in use; new responses name the small one.
package final class PatchImprover: Sendable {
    private let live: LiveApps
    private let store: any ArtifactStore
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    private let clock: any WallClock
    private let changed: ChangedApps
    /// The patches that cannot be improved; they are not tried again before the next start.
    private let settled = Mutex<Set<Candidate>>([])

    /// - Parameter builder: The builder, which works on a thread of its own.
    package init(
        live: LiveApps, store: any ArtifactStore, keys: KeyRing, blobs: any BlobStore, builder: PatchBuilder,
        clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.clock = clock
        changed = ChangedApps(live: live)
    }

    /// Improves the existing patches, and new ones whenever an app changes, until cancelled.
    ///
    /// - Parameter report: Called with each failure, which is retried with the next change and within
    ///   ``ChangedApps/pause``.
    package func run(report: @escaping @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            for app in await changed.next() {
                await improve(app) { error in
                    if !Task.isCancelled { report(error) }
                }
            }
        }
    }

    /// Builds every missing small patch of an app; returns their number.
    ///
    /// A failure is reported and does not delay the others; but after a failure of an external signer, the others are
    /// skipped.
    @discardableResult
    package func improve(_ app: LiveApp, report: (PlatformError) -> Void) async -> Int {
        var made = 0
        var failed: Set<Candidate> = []
        while !Task.isCancelled {
            let batch: [Candidate]
            do throws(PlatformError) {
                batch = Array(try await candidates(of: app).filter { !failed.contains($0) }.prefix(Self.batchSize))
            } catch {
                report(error)
                return made
            }
            guard !batch.isEmpty else { break }
            for candidate in batch where !Task.isCancelled {
                do throws(PlatformError) {
                    if try await improve(candidate, of: app) { made += 1 }
                } catch {
                    report(error)
                    guard error.code != .signingFailed else { return made }
                    failed.insert(candidate)
                }
            }
        }
        return made
    }

    /// The number of patches that are built after one reading of the app's state, which takes long if there are many packages.
    private static let batchSize = 16

    /// A fast delta patch that devices may be offered, and that has no small replacement.
    private struct Candidate: Hashable {
        let app: AppID
        let package: PackageID
        let pair: VersionPair
        /// The bytes of the fast patch.
        let size: Int
    }

    private func candidates(of app: LiveApp) async throws(PlatformError) -> [Candidate] {
        let instant = app.decisionInstant(clock.now())
        let state = try await live.state(of: app.id, at: instant)
        var candidates: [Candidate] = []
        // Channels may offer the same patch.
        var known: Set<Candidate> = []
        for (package, releases) in state.releases.sorted(by: { $0.key.text < $1.key.text }) {
            let channels = Dictionary(grouping: releases, by: \.channel).sorted { $0.key.text < $1.key.text }
            for (_, own) in channels {
                for release in PatchCoverage.offered(own, at: instant) {
                    guard let version = state.versions[package]?[release.version] else { continue }
                    let bases = PatchCoverage.bases(
                        of: release, among: own, shipped: state.shipped[package] ?? [],
                        archiveSize: version.full.artifact.size)
                    candidates += Self.improvable(version.patches.map(\.artifact), from: bases).map { base, size in
                        Candidate(
                            app: app.id, package: package, pair: VersionPair(base: base, target: release.version),
                            size: size)
                    }
                }
            }
        }
        return settled.withLock { settled in
            candidates.filter { !settled.contains($0) && known.insert($0).inserted }
        }
    }

    private static func improvable(
        _ patches: [Artifact], from bases: [VersionString]
    ) -> [(base: VersionString, size: Int)] {
        bases.compactMap { base in
            let own = patches.filter { $0.kind == .delta && $0.base == base }
            guard let fast = own.first, !own.contains(where: { $0.recipe == DeltaEffort.small.rawValue }) else {
                return nil
            }
            return (base, fast.size)
        }
    }

    private func improve(_ candidate: Candidate, of app: LiveApp) async throws(PlatformError) -> Bool {
        try await blobs.withStaging(on: builder.work) { staging throws(PlatformError) in
            let patch = try await builder.buildSmall(
                candidate.pair, lessThan: candidate.size, of: candidate.package, in: candidate.app, into: staging)
            guard let patch else {
                settled.withLock { _ = $0.insert(candidate) }
                return false
            }
            try await live.change(app) { () throws(PlatformError) in
                try await store.addPatches([try await keys.sign(patch)], at: clock.now())
            }
            return true
        }
    }
}

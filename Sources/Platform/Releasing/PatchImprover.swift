package import Domain
package import Execution
import Synchronization

/// Makes the delta patches that are on offer anew, smaller, one at a time, when a release has been made with fast ones.
///
/// The fast one stays: an answer that named it may still be used. Who asks anew is told of the small one.
package final class PatchImprover: ChangeObserver {
    private let live: LiveApps
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    private let work: WorkExecutor
    private let clock: any WallClock
    private let wake = AsyncFlag()
    /// What could not be made smaller, or at all: not tried again before the next start.
    private let settled = Mutex<Set<Candidate>>([])

    /// - Parameter work: Where patches are built: a thread of its own, since one may take ten seconds.
    package init(
        live: LiveApps, keys: KeyRing, blobs: any BlobStore, workshop: any PackageWorkshop,
        cryptography: any Cryptography, work: WorkExecutor, clock: any WallClock
    ) {
        self.live = live
        self.keys = keys
        self.blobs = blobs
        self.work = work
        self.clock = clock
        builder = PatchBuilder(store: live.store, workshop: workshop, cryptography: cryptography, work: work)
        live.observe(self)
    }

    package func eventsAppended(_ events: [Event], to app: LiveApp) { wake.set() }

    /// Improves what there is, and again whenever an app changes, until cancelled.
    ///
    /// - Parameter report: Called with what failed; tried again with the next change.
    package func run(report: @escaping @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            do throws(PlatformError) {
                for app in live.all { try await improve(app) }
            } catch {
                if !Task.isCancelled { report(error) }
            }
            await wake.wait()
        }
    }

    /// Makes every small patch that an app lacks; returns how many it made.
    @discardableResult
    package func improve(_ app: LiveApp) async throws(PlatformError) -> Int {
        var made = 0
        while !Task.isCancelled, let candidate = try await candidates(of: app).first {
            if try await improve(candidate, of: app) { made += 1 }
        }
        return made
    }

    /// A fast delta patch that devices may be offered, and that has no small one beside it.
    private struct Candidate: Hashable {
        let app: AppID
        let package: PackageID
        let pair: VersionPair
    }

    private func candidates(of app: LiveApp) async throws(PlatformError) -> [Candidate] {
        let state = try await live.store.state(of: app.id)
        let instant = app.decisionInstant(clock.now())
        var candidates: [Candidate] = []
        for (package, releases) in state.releases.sorted(by: { $0.key.text < $1.key.text }) {
            for own in Dictionary(grouping: releases, by: \.channel).values {
                for release in PatchPlan.offered(own, at: instant) {
                    let bases = PatchPlan.bases(of: release, among: own)
                    let patches = state.versions[package]?[release.version]?.patches.map(\.artifact) ?? []
                    candidates += Self.improvable(patches, from: bases).map { base in
                        Candidate(
                            app: app.id, package: package, pair: VersionPair(base: base, target: release.version))
                    }
                }
            }
        }
        return settled.withLock { settled in candidates.filter { !settled.contains($0) } }
    }

    private static func improvable(_ patches: [Artifact], from bases: [VersionString]) -> [VersionString] {
        bases.filter { base in
            let recipes = patches.filter { $0.kind == "delta" && $0.base == base }.map(\.recipe)
            return !recipes.isEmpty && !recipes.contains(DeltaEffort.small.rawValue)
        }
    }

    private func improve(_ candidate: Candidate, of app: LiveApp) async throws(PlatformError) -> Bool {
        try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            let patch = try await builder.buildSmall(
                candidate.pair, of: candidate.package, in: candidate.app, into: staging)
            guard let patch else {
                settled.withLock { _ = $0.insert(candidate) }
                return false
            }
            try await live.change(app) { () throws(PlatformError) in
                try await live.store.addPatch(try await keys.sign(patch), at: clock.now())
            }
            return true
        }
    }
}

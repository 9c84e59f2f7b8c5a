package import Domain
package import Execution

/// Makes releases, together with the incremental archives that they need.
package final class Releaser: Sendable {
    private let live: LiveApps
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let workshop: any PackageWorkshop
    private let cryptography: any Cryptography
    private let work: WorkExecutor
    private let clock: any WallClock

    package init(
        live: LiveApps, keys: KeyRing, blobs: any BlobStore, workshop: any PackageWorkshop,
        cryptography: any Cryptography, work: WorkExecutor, clock: any WallClock
    ) {
        self.live = live
        self.keys = keys
        self.blobs = blobs
        self.workshop = workshop
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
    }

    /// A release that was made, and how it stands to the others of its package and channel.
    package struct Outcome: Sendable {
        package let release: Release
        package let shadowing: Shadowing
    }

    /// Offers a version.
    ///
    /// Throws `channelNotFound`, `versionNotFound`.
    package func release(_ draft: ReleaseDraft, by author: Operator) async throws(PlatformError) -> Outcome {
        let app = try live.requireApp(draft.app)
        guard app.view(of: draft.channel) != nil else {
            throw PlatformError(
                .channelNotFound,
                "The app '\(draft.app)' has no channel '\(draft.channel)'. Declare it first: PUT "
                    + "/api/v1/apps/\(draft.app)/channels/\(draft.channel).")
        }
        return try await live.change(app) { () throws(PlatformError) in
            let before = try await live.store.releases(of: draft.package, in: draft.app)
            let now = app.decisionInstant(clock.now())
            let planned = provisional(draft, at: now, among: before)
            let missing = try await missingPatches(for: before + [planned], of: draft, at: now)
            let audit = author.audit(
                "release.make", "\(draft.package)@\(draft.version)", in: draft.app, at: now,
                [
                    .init("channel", .string(draft.channel.text)),
                    .init("activeTime", .string(planned.activeTime.rfc3339)),
                    .init("mandatory", .bool(draft.isMandatory)),
                ])
            let made = try await make(draft, with: missing, audit: audit)
            return Outcome(release: made, shadowing: Shadowing(of: made, among: before, at: now))
        }
    }

    /// The release as it will be, so that its patches can be planned before it is made.
    private func provisional(_ draft: ReleaseDraft, at now: Timestamp, among releases: [Release]) -> Release {
        let activeTime = draft.activeTime ?? now
        let taken = Set(releases.filter { $0.channel == draft.channel }.map(\.rank))
        return Release(
            id: ReleaseID(.max), app: draft.app, package: draft.package, channel: draft.channel,
            version: draft.version, isMandatory: draft.isMandatory, activeTime: activeTime, createdAt: now,
            rank: Rank.assigned(createdAt: now, activeTime: activeTime, taken: taken))
    }

    /// Every patch that the releases on offer need and that is not there yet: a new release may also become a base of
    /// a coming one.
    private func missingPatches(
        for releases: [Release], of draft: ReleaseDraft, at now: Timestamp
    ) async throws(PlatformError) -> [VersionPair] {
        let own = releases.filter { $0.channel == draft.channel }
        var wanted: [VersionPair] = []
        for release in PatchPlan.offered(own, at: now) {
            for base in PatchPlan.bases(of: release, among: own) {
                wanted.append(VersionPair(base: base, target: release.version))
            }
        }
        let targets = Array(Set(wanted.map(\.target)))
        let present = try await live.store.patches(to: targets, of: draft.package, in: draft.app)
        let there = Set(
            present.compactMap { patch in patch.base.map { VersionPair(base: $0, target: patch.version) } })
        // Asked for in any case, so that a release of a version that is not there is refused before anything is made.
        _ = try await version(draft.version, of: draft)
        return Array(Set(wanted).subtracting(there)).sorted { $0.order < $1.order }
    }

    /// Builds the patches that are missing and makes the release together with them.
    private func make(
        _ draft: ReleaseDraft, with missing: [VersionPair], audit: AuditEntry
    ) async throws(PlatformError) -> Release {
        guard !missing.isEmpty else {
            return try await live.store.makeRelease(draft, patches: [], blobs: [], audit: audit)
        }
        return try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            var patches: [SignedArtifact] = []
            for pair in missing {
                let base = try await version(pair.base, of: draft)
                let target = try await version(pair.target, of: draft)
                let patch = try await work.run { () throws(PlatformError) in
                    try build(from: base, to: target, staging: staging)
                }
                patches.append(try await keys.sign(patch))
            }
            try await work.run { () throws(PlatformError) in try staging.commit() }
            return try await live.store.makeRelease(draft, patches: patches, blobs: staging.records, audit: audit)
        }
    }

    private struct VersionPair: Hashable {
        let base: VersionString
        let target: VersionString

        var order: String { "\(target) \(base)" }
    }

    private func version(_ version: VersionString, of draft: ReleaseDraft) async throws(PlatformError) -> Version {
        guard let found = try await live.store.version(version, of: draft.package, in: draft.app) else {
            throw PlatformError(
                .versionNotFound,
                "'\(draft.package)' has no version \(version). Publish it first, or see which there are.")
        }
        return found
    }

    /// Changed and added files, and the two descriptors in any case.
    ///
    /// Blocks.
    private func build(
        from base: Version, to target: Version, staging: any BlobStaging
    ) throws(PlatformError)
        -> Artifact
    {
        let layouts = LayoutBuilder(workshop: workshop)
        let baseTree = try layouts.tree(of: base, staging: staging)
        let tree = try layouts.tree(of: target, staging: staging)
        let always = AppFolderLayout.descriptorPaths(of: target.package)
        let changed = Set(tree.changes(since: baseTree).map(\.path)).union(always)
        let built = try workshop.buildZip(tree.files.filter { changed.contains($0.path) }, into: staging)
        return Artifact(
            of: target, form: .files(base: base.version, baseTree: cryptography.treeHash(of: baseTree)),
            tree: cryptography.treeHash(of: tree), built: built)
    }
}

package import Domain
package import Execution

/// The use case that ensures that offered versions fit the clients of their dialects and have the archives they
/// download (decision 0025).
package final class DialectKeeper: Sendable {
    private let live: LiveApps
    private let store: any PackageStore & VersionStore & ReleaseStore & ArtifactStore
    private let archives: ArchiveMaker
    private let work: WorkExecutor
    private let clock: any WallClock

    package init(
        live: LiveApps, store: any PackageStore & VersionStore & ReleaseStore & ArtifactStore, archives: ArchiveMaker,
        work: WorkExecutor, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.archives = archives
        self.work = work
        self.clock = clock
    }

    /// Prepares a version for every dialect of its package: on return, its archives are stored and signed.
    ///
    /// Waits for a change of the app, so it must not be called within one. Throws `conflict` if a dialect's clients
    /// cannot use the version, `versionNotFound`, `signingFailed`.
    func prepare(
        _ name: VersionString, of package: Package, by author: Operator
    ) async throws(PlatformError) {
        guard !package.dialects.isEmpty else { return }
        try await requireFit(of: name, of: package)
        guard !author.isRehearsing else { return }
        for layout in live.dialects.layouts(of: package).sorted(by: { $0.rawValue < $1.rawValue }) {
            _ = try await archives.archive(of: name, of: package, in: layout, by: author.unclaiming)
        }
    }

    /// Prepares the version of a release; returns `nil` if there is no such package.
    ///
    /// - Returns: The package whose dialects were prepared; see ``require(_:for:)``.
    func prepare(_ draft: ReleaseDraft, by author: Operator) async throws(PlatformError) -> Package? {
        guard let package = try await store.package(draft.package, in: draft.app) else { return nil }
        try await prepare(draft.version, of: package, by: author)
        return package
    }

    /// Throws `conflict` if a dialect was turned on or changed since the version was prepared; called within a change
    /// of the app.
    func require(_ prepared: Package?, for draft: ReleaseDraft) async throws(PlatformError) {
        let package = try await store.package(draft.package, in: draft.app)
        guard let prepared, let package, package.dialects.isSubset(of: prepared.dialects),
            package.resources == prepared.resources
        else {
            throw PlatformError(
                .conflict,
                "The dialects of '\(draft.package)', or 'resources', changed while \(draft.version) was being released. Release it again."
            )
        }
    }

    /// Prepares the offered and scheduled versions of all channels for dialects that a package does not have yet.
    ///
    /// Also checks the newest version that may be released, which is probably the next one. Must not be called within a
    /// change of the app.
    ///
    /// - Parameter package: The package with only these dialects.
    /// - Returns: The prepared versions.
    func prepareOffered(of package: Package, by author: Operator) async throws(PlatformError) -> Set<VersionString> {
        if let problem = live.dialects.problem(with: package) { throw PlatformError(problem) }
        let offered = try await offered(of: package)
        let versions = try await store.versions(of: package.id, in: package.app)
        if let newest = versions.last(where: { $0.retirement == nil })?.version, !offered.contains(newest) {
            try await requireFit(of: newest, of: package)
        }
        for version in offered.sorted(by: { $0.text < $1.text }) { try await prepare(version, of: package, by: author) }
        return offered
    }

    /// Returns the versions that devices on any channel are offered, or may be offered without a further release.
    func offered(of package: Package) async throws(PlatformError) -> Set<VersionString> {
        let releases = try await store.releases(of: package.id, in: package.app)
        let instant = try live.requireApp(package.app).decisionInstant(clock.now())
        return Set(PatchCoverage.offered(ofEach: releases, at: instant).map(\.version))
    }

    private func requireFit(of name: VersionString, of package: Package) async throws(PlatformError) {
        guard let version = try await store.version(name, of: package.id, in: package.app) else {
            throw PlatformError.noVersion(name, of: package.id)
        }
        let made = Set(
            try await store.archives(of: name, of: package.id, in: package.app).map(\.artifact.layout))
        // Tens of thousands of files take a while.
        let problem = await work.run { [dialects = live.dialects] in
            dialects.problem(with: version, of: package, made: made)
        }
        if let problem { throw PlatformError(problem) }
    }
}

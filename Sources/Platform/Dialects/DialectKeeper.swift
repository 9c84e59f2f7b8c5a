package import Domain
package import Execution

/// Sees to it that whatever is told in the words of a dialect fits its clients, and has the archives that they download
/// (decision 0025).
package final class DialectKeeper: Sendable {
    private let live: LiveApps
    private let archives: ArchiveMaker
    private let work: WorkExecutor
    private let clock: any WallClock

    package init(live: LiveApps, archives: ArchiveMaker, work: WorkExecutor, clock: any WallClock) {
        self.live = live
        self.archives = archives
        self.work = work
        self.clock = clock
    }

    /// Makes a version ready to be told of in every dialect of its package: its archives are there, and signed, when this
    /// returns.
    ///
    /// Never within a change of the app, which it waits for. Throws `conflict` where a dialect's clients cannot have the
    /// version, `versionNotFound`, `signingFailed`.
    func prepare(
        _ name: VersionString, of package: Package, by author: Operator
    ) async throws(PlatformError) {
        guard !package.dialects.isEmpty else { return }
        try await requireFit(of: name, of: package)
        guard !author.isRehearsing else { return }
        for layout in package.dialectLayouts.sorted(by: { $0.rawValue < $1.rawValue }) {
            _ = try await archives.archive(of: name, of: package, in: layout, by: author)
        }
    }

    /// Makes the version of a release ready; `nil` where there is no such package.
    ///
    /// - Returns: The package by whose dialects that was done; see ``require(_:for:)``.
    func prepare(_ draft: ReleaseDraft, by author: Operator) async throws(PlatformError) -> Package? {
        guard let package = try await live.store.package(draft.package, in: draft.app) else { return nil }
        try await prepare(draft.version, of: package, by: author)
        return package
    }

    /// Throws `conflict` where a dialect was turned on since a release was made ready, or is set otherwise; within a change
    /// of the app.
    func require(_ prepared: Package?, for draft: ReleaseDraft) async throws(PlatformError) {
        let package = try await live.store.package(draft.package, in: draft.app)
        guard let prepared, let package, package.dialects.isSubset(of: prepared.dialects),
            package.resources == prepared.resources
        else {
            throw PlatformError(
                .conflict,
                "The dialects of '\(draft.package)', or 'resources', changed while \(draft.version) was being released: release it again."
            )
        }
    }

    /// Makes everything ready for dialects that a package does not have yet: what is on offer or coming on any channel.
    ///
    /// The newest version that may be released is looked at as well: it is what comes next. Never within a change of the
    /// app.
    ///
    /// - Parameter package: With these dialects alone.
    /// - Returns: The versions that are ready.
    func prepareOffered(of package: Package, by author: Operator) async throws(PlatformError) -> Set<VersionString> {
        if let problem = package.dialectProblem { throw PlatformError(problem) }
        let offered = try await offered(of: package)
        let versions = try await live.store.versions(of: package.id, in: package.app)
        if let newest = versions.last(where: { $0.retirement == nil })?.version, !offered.contains(newest) {
            try await requireFit(of: newest, of: package)
        }
        for version in offered.sorted(by: { $0.text < $1.text }) { try await prepare(version, of: package, by: author) }
        return offered
    }

    /// The versions that devices are offered on any channel, or may be without another release.
    func offered(of package: Package) async throws(PlatformError) -> Set<VersionString> {
        let releases = try await live.store.releases(of: package.id, in: package.app)
        let instant = try live.requireApp(package.app).decisionInstant(clock.now())
        return Set(PatchPlan.offered(ofEach: releases, at: instant).map(\.version))
    }

    private func requireFit(of name: VersionString, of package: Package) async throws(PlatformError) {
        guard let version = try await live.store.version(name, of: package.id, in: package.app) else {
            throw PlatformError.noVersion(name, of: package.id)
        }
        let made = Set(
            try await live.store.archives(of: name, of: package.id, in: package.app).map(\.artifact.layout))
        // Tens of thousands of files take a while.
        let problem = await work.run { package.dialectProblem(with: version, made: made) }
        if let problem { throw PlatformError(problem) }
    }
}

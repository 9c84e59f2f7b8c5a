package import Domain
package import Ground

extension PatchBackfill {
    /// Returns, for each offered release of a package, the versions from which it offers no patch.
    ///
    /// - Parameter releases: All releases of the package.
    package func gaps(
        of package: PackageID, in app: AppID, releases: [Release], at instant: Timestamp
    ) async throws(PlatformError) -> [ReleaseID: [PatchGap]] {
        let offered = PatchCoverage.offered(ofEach: releases, at: instant)
        guard !offered.isEmpty else { return [:] }
        let versions = Set(offered.map(\.version))
        let patches = try await store.patches(to: Array(versions), of: package, in: app)
        let shipped = try await store.shippedVersions(of: package, in: app)
        var archives: [VersionString: Artifact] = [:]
        for version in versions {
            let own = try await store.archives(of: version, of: package, in: app)
            archives[version] = own.last { $0.artifact.layout == .appFolder }?.artifact
        }
        var gaps: [ReleaseID: [PatchGap]] = [:]
        // Keyed by base, so that each is read once.
        var removed: [VersionString: Bool] = [:]
        for release in offered {
            guard let full = archives[release.version] else { continue }
            let reached = PatchCoverage.reached(by: patches, to: release.version)
            let bases = PatchCoverage.bases(of: release, among: releases, shipped: shipped, archiveSize: full.size)
            for base in bases where !reached.contains(base) && removed[base] == nil {
                let publication = try await store.publication(of: base, of: package, in: app)
                removed[base] = publication?.prunedAt != nil
            }
            gaps[release.id] = PatchCoverage.gaps(
                of: release, among: releases, shipped: shipped, full: full, patches: patches
            ) { base in
                guard removed[base] != true else { return .filesRemoved }
                let pair = VersionPair(base: base, target: release.version)
                return obstacle(to: PatchRequest(app: app, package: package, pair: pair))
            }
        }
        return gaps
    }

    /// The number of the newest releases of a package and channel from whose versions a list of releases expects patches.
    private static let recentReleases = 100

    /// Returns, for each offered release of a page of a package's releases, the versions from which it offers no patch.
    package func gaps(
        of package: Package, in app: LiveApp, _ page: Releaser.Page
    ) async throws(PlatformError) -> [ReleaseID: [PatchGap]] {
        var releases = page.releases.filter { page.open.contains($0) }
        // The patches of a release come from the releases right below it.
        for channel in Set(releases.map(\.channel)) {
            let query = ReleaseQuery(
                channel: channel, package: package.id, order: .rank, limit: Self.recentReleases)
            let known = Set(releases.map(\.id))
            releases += try await store.releases(of: app.id, query).filter { !known.contains($0.id) }
        }
        return try await gaps(of: package.id, in: app.id, releases: releases, at: page.open.instant)
    }

    /// Returns, for each release of a group, the versions from which it offers no patch.
    package func gaps(of status: Releaser.Status) async throws(PlatformError) -> [ReleaseID: [PatchGap]] {
        var gaps: [ReleaseID: [PatchGap]] = [:]
        for member in status.group.members {
            let own = try await self.gaps(
                of: member.package, in: member.app, releases: status.releases[member.package], at: status.instant)
            gaps[member.id] = own[member.id]
        }
        return gaps
    }
}

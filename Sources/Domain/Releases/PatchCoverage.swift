package import Ground

/// The plan of the patches that a release needs (semantics.md §7).
package enum PatchCoverage {
    /// The number of distinct released versions from which patches are made.
    package static let baseCount = 3

    /// Returns the bases of a release: its initial bases, then further shipped versions.
    ///
    /// See ``initialBases(of:among:shipped:)`` and ``PatchBudget/shippedCount(archiveSize:)``.
    ///
    /// - Parameters:
    ///   - shipped: The versions that builds ship, newest build first (``VersionStore/shippedVersions(of:in:)``).
    ///   - archiveSize: The bytes of the full archive of the release's version.
    package static func bases(
        of release: Release, among releases: [Release], shipped: [VersionString], archiveSize: Int
    ) -> [VersionString] {
        bases(
            of: release, among: releases, shipped: shipped,
            count: PatchBudget.shippedCount(archiveSize: archiveSize))
    }

    /// Returns the bases whose patches are built before a release is committed (decision 0007).
    ///
    /// These are the last other versions of releases with lower rank, newest rank first; then those of halted releases
    /// with higher rank, whose devices may have to go back; then those that the newest builds ship. Newer versions
    /// count as well, since a rollback needs patches too.
    package static func initialBases(
        of release: Release, among releases: [Release], shipped: [VersionString]
    ) -> [VersionString] {
        bases(of: release, among: releases, shipped: shipped, count: PatchBudget.initialCount)
    }

    private static func bases(
        of release: Release, among releases: [Release], shipped: [VersionString], count: Int
    ) -> [VersionString] {
        let released = releasedBases(of: release, among: releases)
        let others = shipped.filter { $0 != release.version }.prefix(count)
        return released + others.filter { !released.contains($0) }
    }

    private static func releasedBases(of release: Release, among releases: [Release]) -> [VersionString] {
        let lower = newestVersions(of: releases, besides: release) { $0.rank < release.rank }
        let halted = newestVersions(of: releases, besides: release) {
            $0.rank > release.rank && $0.isHalted && $0.keepsDevices
        }
        return lower + halted.filter { !lower.contains($0) }
    }

    /// Returns the other versions of the releases on a release's channel that meet a condition, highest rank first,
    /// at most ``baseCount``.
    ///
    /// Goes through the releases once without a copy, since an app has thousands of them.
    private static func newestVersions(
        of releases: [Release], besides release: Release, where isIncluded: (Release) -> Bool
    ) -> [VersionString] {
        var newest: [(version: VersionString, rank: Rank)] = []
        for index in releases.indices {
            let rank = releases[index].rank
            if newest.count == baseCount, let last = newest.last, rank < last.rank { continue }
            guard
                isIncluded(releases[index]), releases[index].channel == release.channel,
                releases[index].version != release.version
            else { continue }
            if let known = newest.firstIndex(where: { $0.version == releases[index].version }) {
                guard newest[known].rank < rank else { continue }
                newest.remove(at: known)
            }
            let position = newest.firstIndex { $0.rank < rank } ?? newest.endIndex
            newest.insert((releases[index].version, rank), at: position)
            newest.removeLast(max(0, newest.count - baseCount))
        }
        return newest.map(\.version)
    }

    /// Returns the offered releases of several packages, on several channels.
    package static func offered(ofEach releases: [Release], at instant: Timestamp) -> [Release] {
        PackageReleases.live(ofEach: releases, at: instant).filter { !$0.isHalted }
    }

    /// Returns the releases that devices may be offered at an instant or later.
    ///
    /// These are neither taken back, halted nor hidden from everyone; scheduled releases are included.
    package static func offered(_ releases: [Release], at instant: Timestamp) -> [Release] {
        PackageReleases.live(releases, at: instant).filter { !$0.isHalted }
    }

    /// Returns the bases from which the planned patches are stored.
    ///
    /// Only incremental archives count: each is built together with the possible delta patch, and clients of seed 000
    /// need it.
    package static func reached(by patches: [Artifact], to version: VersionString) -> Set<VersionString> {
        Set(patches.filter { $0.version == version && $0.kind == .files }.compactMap(\.base))
    }
}

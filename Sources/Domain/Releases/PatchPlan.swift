/// Which patches a release needs (semantics.md §7).
package enum PatchPlan {
    /// Distinct versions that patches are made from.
    package static let baseCount = 3
    /// Distinct versions that builds ship, and that patches are made from besides.
    package static let shippedCount = 8

    /// The last other versions of releases with lower rank, newest rank first; then those that the newest builds ship.
    ///
    /// Newer versions count as well: a roll-back needs patches too.
    ///
    /// - Parameter shipped: What builds ship, the newest build first (``PresetStore/shippedVersions(of:in:)``).
    package static func bases(
        of release: Release, among releases: [Release], shipped: [VersionString]
    ) -> [VersionString] {
        let released = releasedBases(of: release, among: releases)
        let others = shipped.filter { $0 != release.version }.prefix(shippedCount)
        return released + others.filter { !released.contains($0) }
    }

    private static func releasedBases(of release: Release, among releases: [Release]) -> [VersionString] {
        var bases: [VersionString] = []
        let lower = releases.filter { $0.channel == release.channel && $0.rank < release.rank }
        for candidate in lower.sorted(by: { $0.rank > $1.rank }) {
            guard bases.count < baseCount else { break }
            guard candidate.version != release.version, !bases.contains(candidate.version) else { continue }
            bases.append(candidate.version)
        }
        return bases
    }

    /// The same of releases of several packages, on several channels.
    package static func offered(ofEach releases: [Release], at instant: Timestamp) -> [Release] {
        PackageReleases.live(ofEach: releases, at: instant).filter { !$0.isHalted }
    }

    /// Whether there is a patch from every base, of a release that may be offered.
    package static func isReady(
        _ release: Release, among releases: [Release], shipped: [VersionString], patches: [Artifact]
    ) -> Bool {
        let there = Set(patches.filter { $0.version == release.version }.compactMap(\.base))
        return there.isSuperset(of: bases(of: release, among: releases, shipped: shipped))
    }

    /// The releases that devices may still be offered at an instant or later: those that are neither over, nor halted, nor
    /// hidden from everyone, and the coming ones.
    package static func offered(_ releases: [Release], at instant: Timestamp) -> [Release] {
        PackageReleases.live(releases, at: instant).filter { !$0.isHalted }
    }
}

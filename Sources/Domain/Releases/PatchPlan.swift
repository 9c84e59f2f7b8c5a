/// Which incremental archives a release needs (semantics.md §7).
package enum PatchPlan {
    /// Distinct versions that patches are made from.
    package static let baseCount = 3

    /// The last other versions of releases with lower rank, newest rank first.
    ///
    /// Newer versions count as well: a roll-back needs patches too.
    package static func bases(
        of release: Release, among releases: [Release], count: Int = baseCount
    )
        -> [VersionString]
    {
        var bases: [VersionString] = []
        let lower = releases.filter { $0.channel == release.channel && $0.rank < release.rank }
        for candidate in lower.sorted(by: { $0.rank > $1.rank }) {
            guard bases.count < count else { break }
            guard candidate.version != release.version, !bases.contains(candidate.version) else { continue }
            bases.append(candidate.version)
        }
        return bases
    }

    /// The releases that devices may still be offered at an instant or later: the current one and the coming ones.
    package static func offered(_ releases: [Release], at instant: Timestamp) -> [Release] {
        let current = Standing(of: releases, at: instant).current?.release
        return releases.filter { !$0.isActive(at: instant) || $0.id == current?.id }
    }
}

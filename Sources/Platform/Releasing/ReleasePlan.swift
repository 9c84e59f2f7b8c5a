import Domain
import Ground

/// What making a release comes to, by what is known at an instant.
struct ReleasePlan {
    /// When it was made.
    let instant: Timestamp
    /// The releases of the package so far.
    let before: [Release]
    /// The release as it will be.
    let release: Release
    /// The patches that the releases on offer need before it is committed, but for those that are known to be there: a new
    /// release may also become a base of a coming one.
    private(set) var missing: Set<VersionPair> = []

    /// - Parameters:
    ///   - shipped: What builds of the app ship, the newest build first.
    ///   - ended: One that the release takes the place of.
    ///   - set: The set that it will be one of.
    ///   - taken: The ranks of the set's other packages.
    init(
        of draft: ReleaseDraft, takingBack ended: Release? = nil, requirements: VersionRequirements,
        among before: [Release], shipped: [VersionString], set: SetMembership? = nil, taken: Set<Rank> = [],
        at now: Timestamp
    ) {
        instant = now
        self.before = before.map { $0.id == ended?.id ? ended ?? $0 : $0 }
        let own = before.filter { $0.channel == draft.channel }
        release = Self.provisional(
            draft, requirements, set: set, above: ended?.rank, at: now, taken: taken.union(own.map(\.rank)))
        find(shipped: shipped, on: draft.channel)
    }

    private mutating func find(shipped: [VersionString], on channel: ChannelName) {
        let own = (before + [release]).filter { $0.channel == channel }
        for release in PatchPlan.offered(own, at: instant) {
            for base in PatchPlan.initialBases(of: release, among: own, shipped: shipped) {
                missing.insert(VersionPair(base: base, target: release.version))
            }
        }
    }

    /// Takes what is there from ``missing``: pairs that have patches of both kinds, or of the one that is possible.
    ///
    /// - Parameter withoutDelta: Pairs between which no delta patch is possible.
    mutating func found(_ patches: [Artifact], withoutDelta: Set<VersionPair>) {
        var kinds: [VersionPair: Set<Artifact.Kind>] = [:]
        for patch in patches {
            guard let base = patch.base else { continue }
            kinds[VersionPair(base: base, target: patch.version), default: []].insert(patch.kind)
        }
        missing.subtract(kinds.filter { $0.value.count > 1 || withoutDelta.contains($0.key) }.keys)
    }

    /// So that its patches can be planned before it is made.
    private static func provisional(
        _ draft: ReleaseDraft, _ requirements: VersionRequirements, set: SetMembership?, above: Rank?,
        at now: Timestamp, taken: Set<Rank>
    ) -> Release {
        let activeTime = draft.activeTime ?? now
        let rank =
            above?.lowestFreeAbove(taken) ?? Rank.assigned(createdAt: now, activeTime: activeTime, taken: taken)
        return Release(
            id: ReleaseID(.max), app: draft.app, package: draft.package, channel: draft.channel,
            version: draft.version, set: set, requirements: requirements, terms: draft.terms, activeTime: activeTime,
            createdAt: now, rank: rank)
    }
}

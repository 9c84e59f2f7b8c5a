package import Ground

/// A review of the releases that devices lose because of a change of another package's releases.
///
/// It evaluates releases only and assumes that devices exist for every combination of facts. So it misses no loss at
/// the reviewed instants, and may report one that affects no real device.
package enum DependencyReview {
    /// The number of later instants that are reviewed; of further ones only the last is.
    ///
    /// Each instant takes as long as the review of the change itself, while other changes of the app wait.
    static let maximumMoments = 100

    /// Returns the losses that a change causes, at once or later, beyond those that happen without the change.
    ///
    /// - Parameters:
    ///   - before: All releases of a channel.
    ///   - after: All releases of the channel as the change leaves them.
    package static func losses(
        from before: [Release], to after: [Release], at now: Timestamp
    ) -> [DependencyLoss] {
        // A release that is hidden from everyone stays hidden, since no audience shrinks by itself.
        let live = Set((live(before, at: now) + live(after, at: now)).map(ChannelReach.Key.init))
        let own = before.filter { live.contains(ChannelReach.Key($0)) }
        let changed = after.filter { live.contains(ChannelReach.Key($0)) }
        let concerned = concerned(in: own + changed)
        guard !concerned.isEmpty else { return [] }
        let old = own.filter { concerned.contains($0.package) }
        let new = changed.filter { concerned.contains($0.package) }
        // Both states are compared at the same instants, so that a loss without the change is found at the same one.
        let all = moments(of: old + new, after: now)
        let moments = all.prefix(maximumMoments) + all.dropFirst(maximumMoments).suffix(1)
        let found = losses(of: old, then: new, at: now, and: moments)
        guard !found.isEmpty else { return [] }
        var known = Set(losses(of: old, then: old, at: now, and: moments).map(\.key))
        return found.filter { known.insert($0.key).inserted }
    }

    private static func live(_ releases: [Release], at now: Timestamp) -> [Release] {
        Dictionary(grouping: releases, by: \.package).values.flatMap { PackageReleases.live($0, at: now) }
    }

    /// Returns the last instant at which one of the releases changes by itself, or `now`.
    package static func horizon(of releases: [Release], at now: Timestamp) -> Timestamp {
        moments(of: releases, after: now).last ?? now
    }

    /// Returns the packages with dependencies or dependents, and those that share a release set with one of them.
    private static func concerned(in releases: [Release]) -> Set<PackageID> {
        let current = releases.filter { !$0.hasEnded }
        var concerned: Set<PackageID> = []
        for release in current where !release.requirements.dependencies.isEmpty {
            concerned.insert(release.package)
            concerned.formUnion(release.requirements.dependencies.map(\.package))
        }
        guard !concerned.isEmpty else { return [] }
        for case let set? in current.map(\.set) where !concerned.isDisjoint(with: set.versions.keys) {
            concerned.formUnion(set.versions.keys)
        }
        return concerned
    }

    /// Returns the losses from one state to another at an instant, then from each later instant to the next.
    private static func losses(
        of before: [Release], then after: [Release], at now: Timestamp, and moments: ArraySlice<Timestamp>
    ) -> [DependencyLoss] {
        let first = ChannelReach(before, at: now)
        var last = ChannelReach(after, at: now)
        var losses = ReachTransition(from: first, to: last).losses()
        for moment in moments {
            let next = ChannelReach(after, at: moment)
            losses += ReachTransition(from: last, to: next).losses()
            last = next
        }
        return losses
    }

    private static func moments(of releases: [Release], after now: Timestamp) -> [Timestamp] {
        var moments: Set<Timestamp> = []
        for release in releases where !release.hasEnded {
            moments.insert(release.activeTime)
            guard release.course == .running else { continue }
            for number in release.terms.rollout.steps.indices {
                if let moment = release.moment(ofStep: number + 1) { moments.insert(moment) }
            }
        }
        return moments.filter { $0 > now }.sorted()
    }
}

/// A release that some devices lose because releases of another package change (semantics.md §2).
package struct DependencyLoss: Sendable, Equatable {
    /// The release that the devices lose.
    package let release: Release
    /// The requirement that is no longer met; `nil` for a release that is lost with its release set.
    package let dependency: VersionRequirements.Dependency?
    /// The release of another package that begins or ends for the devices.
    package let cause: Release
    /// Whether the cause begins for the devices; otherwise it ends for them.
    package let causeBegins: Bool
    /// The instant from which devices may lose the release.
    package let from: Timestamp

    struct Key: Hashable {
        let package: PackageID
        let release: ReleaseID
        let causePackage: PackageID
        let cause: ReleaseID
    }

    var key: Key {
        Key(package: release.package, release: release.id, causePackage: cause.package, cause: cause.id)
    }
}

extension DependencyLoss: CustomStringConvertible {
    package var description: String {
        let need = dependency.map { "needs \($0.package) \($0.range)" } ?? "is in a release set that needs it"
        let change =
            causeBegins
            ? "devices get \(cause.package) \(cause.version)" : "\(cause.package) \(cause.version) ends for devices"
        return "\(release.package) \(release.version) \(need), and \(change) from \(from) on"
    }
}

/// Finds the releases that devices lose because of a change of another package's releases.
///
/// The review looks at releases alone, and takes every device for possible whose existence their rules do not exclude. So it
/// misses no loss, and may name one that no real device suffers.
package enum DependencyReview {
    /// The losses that a change causes, at once or at any later moment, beyond those that come without the change.
    ///
    /// - Parameters:
    ///   - before: All releases of a channel.
    ///   - after: All releases of the channel as the change leaves them.
    package static func losses(
        from before: [Release], to after: [Release], at now: Timestamp
    ) -> [DependencyLoss] {
        // What is hidden from everyone now stays hidden, since no audience shrinks by itself.
        let live = Set((live(before, at: now) + live(after, at: now)).map(ChannelReach.Place.init))
        let own = before.filter { live.contains(ChannelReach.Place($0)) }
        let changed = after.filter { live.contains(ChannelReach.Place($0)) }
        let concerned = concerned(in: own + changed)
        guard !concerned.isEmpty else { return [] }
        let old = own.filter { concerned.contains($0.package) }
        let found = losses(of: old, then: changed.filter { concerned.contains($0.package) }, at: now)
        guard !found.isEmpty else { return [] }
        var known = Set(losses(of: old, then: old, at: now).map(\.key))
        return found.filter { known.insert($0.key).inserted }
    }

    private static func live(_ releases: [Release], at now: Timestamp) -> [Release] {
        Dictionary(grouping: releases, by: \.package).values.flatMap { PackageReleases.live($0, at: now) }
    }

    /// The last instant at which one of the releases changes by itself, or `now`.
    package static func horizon(of releases: [Release], at now: Timestamp) -> Timestamp {
        moments(of: releases, after: now).last ?? now
    }

    /// The packages that need others or are needed, and those that share a release set with one of them.
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

    /// The losses from one state to another at an instant, then from each later moment to the next.
    private static func losses(
        of before: [Release], then after: [Release], at now: Timestamp
    ) -> [DependencyLoss] {
        let first = ChannelReach(before, at: now)
        var last = ChannelReach(after, at: now)
        var losses = ReachTransition(from: first, to: last).losses()
        for moment in moments(of: after, after: now) {
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

package import Ground

/// The releases of an app that devices may get, or that are scheduled or halted, at an instant.
///
/// The states of all other releases follow from them: those are rolled back or superseded.
package struct OpenReleases: Sendable {
    private struct Key: Hashable {
        let package: PackageID
        let channel: ChannelName
    }

    package let instant: Timestamp
    private let releases: [Key: [Release]]

    /// - Parameter releases: The releases of all channels that are neither rolled back nor superseded at the instant;
    ///   further ones make no difference.
    package init(_ releases: some Sequence<Release>, at instant: Timestamp) {
        self.instant = instant
        self.releases = Dictionary(grouping: releases) { Key(package: $0.package, channel: $0.channel) }
    }

    /// Returns the releases of a package on a channel.
    package subscript(package: PackageID, channel: ChannelName) -> [Release] {
        releases[Key(package: package, channel: channel)] ?? []
    }

    /// Returns whether a release is one of these.
    package func contains(_ release: Release) -> Bool {
        self[release.package, release.channel].contains { $0.id == release.id }
    }

    /// Returns the state of a release, which need not be one of these.
    package func state(of release: Release) -> ReleaseState {
        release.state(among: self[release.package, release.channel], at: instant)
    }

    /// Returns the condition that the releases of some states meet.
    package func condition(for states: Set<ReleaseState>) -> ReleaseStateCondition {
        var wanted: [ReleaseID] = []
        var others: [ReleaseID] = []
        for release in releases.values.joined() {
            let state = state(of: release)
            guard state != .rolledBack, state != .superseded else { continue }
            if states.contains(state) { wanted.append(release.id) } else { others.append(release.id) }
        }
        return ReleaseStateCondition(
            open: wanted.sorted(), isRolledBack: states.contains(.rolledBack),
            notSuperseded: states.contains(.superseded) ? (wanted + others).sorted() : nil)
    }

    // MARK: One channel

    /// The releases of a package that the devices of a channel get now or later.
    package struct Offer: Sendable {
        /// The release that every device gets, unless a rollout in flight includes it; `nil` if there is none.
        package let everyone: Release?
        /// The releases that are spreading, stopped or scheduled, by falling rank.
        package let inFlight: [Release]
    }

    /// Returns the releases of a package that the devices of a channel get now or later.
    package func offer(of package: PackageID, on channel: ChannelName) -> Offer {
        let live = PackageReleases.live(self[package, channel], at: instant)
        return Offer(
            everyone: live.last { $0.isActive(at: instant) && $0.isForEveryone(at: instant) },
            inFlight: live.filter { isInFlight($0) })
    }

    /// Returns the packages with a release in flight on a channel, by id.
    package func packagesInFlight(on channel: ChannelName) -> [PackageID] {
        releases.keys.filter { $0.channel == channel && !offer(of: $0.package, on: channel).inFlight.isEmpty }
            .map(\.package).sorted()
    }

    private func isInFlight(_ release: Release) -> Bool {
        switch state(of: release) {
        case .scheduled, .paused, .halted: true
        case .active: release.percent(at: instant) < .all || release.hasStepsLeft(at: instant)
        case .completed, .superseded, .rolledBack: false
        }
    }
}

/// A condition on the state of a release in terms that a store can check.
package struct ReleaseStateCondition: Sendable, Equatable {
    /// The open releases that meet it.
    package let open: [ReleaseID]
    /// Whether rolled-back releases meet it.
    package let isRolledBack: Bool
    /// All open releases, if all others that are not rolled back meet it: the superseded ones; `nil` if they do not.
    package let notSuperseded: [ReleaseID]?

    package init(open: [ReleaseID], isRolledBack: Bool, notSuperseded: [ReleaseID]?) {
        self.open = open
        self.isRolledBack = isRolledBack
        self.notSuperseded = notSuperseded
    }
}

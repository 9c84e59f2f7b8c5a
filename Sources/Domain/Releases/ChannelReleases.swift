package import Ground

/// The releases of some packages on one channel, and the rules by which operators change them (decision 0055).
///
/// Each call takes an instant and returns the changed releases with their events as values; a store writes them.
package struct ChannelReleases: Sendable {
    package let channel: ChannelName
    private var byPackage: [PackageID: [Release]]

    /// - Parameter releases: All releases of each package; other channels are ignored.
    package init(_ releases: some Sequence<Release>, on channel: ChannelName) {
        self.channel = channel
        byPackage = Dictionary(grouping: releases.lazy.filter { $0.channel == channel }, by: \.package)
    }

    /// The releases of a package on the channel.
    package subscript(package: PackageID) -> [Release] { byPackage[package] ?? [] }

    /// Returns a copy after a change: the given releases replace those with their ids, and new ones are added.
    package func with(_ changed: some Sequence<Release>) -> ChannelReleases {
        var copy = self
        for release in changed {
            var own = copy[release.package]
            if let index = own.firstIndex(where: { $0.id == release.id }) {
                own[index] = release
            } else {
                own.append(release)
            }
            copy.byPackage[release.package] = own
        }
        return copy
    }

    // MARK: Questions

    /// Returns the state of a group, which is superseded if all of its releases are.
    package func state(of group: ReleaseGroup, at instant: Timestamp) -> ReleaseState {
        let states = group.members.map { $0.state(among: self[$0.package], at: instant) }
        return states.first { $0 != .superseded } ?? .superseded
    }

    /// Returns the releases of a package that devices may be offered at an instant or later, by falling rank.
    package func offered(of package: PackageID, at instant: Timestamp) -> [Release] {
        PatchCoverage.offered(self[package], at: instant)
    }

    /// Returns the active release of highest rank, or the scheduled one if none is active; halted releases do not count.
    package func newest(of package: PackageID, at instant: Timestamp) -> Release? {
        let running = offered(of: package, at: instant).filter { !$0.isHalted }
        return running.first { $0.isActive(at: instant) } ?? running.min { $0.activeTime < $1.activeTime }
    }

    /// Returns the first release that devices fall back to while a release is halted; `nil` if there is none.
    package func fallback(of release: Release, at instant: Timestamp) -> Release? {
        offered(of: release.package, at: instant).first { $0.rank < release.rank && $0.isActive(at: instant) }
    }

    /// Returns the lower releases of other versions that are for all devices of a release.
    ///
    /// They are either for everyone, or have equal terms or fewer rules, and at least the same percentage.
    package func lower(than release: Release, at instant: Timestamp) -> [Release] {
        self[release.package].filter { other in
            guard other.rank < release.rank, other.version != release.version, !other.hasEnded, !other.isHalted,
                other.isActive(at: instant)
            else { return false }
            let (own, others) = (release.audience(at: instant), other.audience(at: instant))
            // Fewer rules admit more devices.
            let isSame =
                own.whitelist == others.whitelist && own.excluded == others.excluded
                && others.rules.allSatisfy(own.rules.contains) && other.terms.floor == release.terms.floor
                && (other.percent(at: instant) == .all
                    || other.terms.salt == release.terms.salt
                        && other.percent(at: instant) >= release.percent(at: instant))
            return other.isForEveryone(at: instant) || isSame
        }
    }

    // MARK: Making

    /// Returns the releases that a request makes at an instant, and those that they replace.
    ///
    /// Throws `releaseExists` if an identical release exists and the draft rejects duplicates.
    ///
    /// - Parameters:
    ///   - requirements: The requirements of the versions, for checks before the releases are stored.
    ///   - set: The membership of the releases of a set, for the same checks.
    package func making(
        _ request: ReleaseRequest, needing requirements: [PackageID: VersionRequirements] = [:],
        as set: SetMembership? = nil, at instant: Timestamp
    ) throws(PlatformError) -> [ReleaseUpdate] {
        for draft in request.drafts {
            try draft.requireNew(among: self[draft.package], of: request.setVersions, at: instant)
        }
        let rank = freeRank(
            in: request.packages, createdAt: instant, activeTime: request.drafts[0].begins(madeAt: instant),
            above: request.takingBack.map(\.rank).max())
        return request.takingBack.map { ReleaseUpdate(changed: $0, at: instant) }
            + request.drafts.map { draft in
                let release = Release(
                    id: .unassigned, app: draft.app, package: draft.package, channel: draft.channel,
                    version: draft.version, set: set, requirements: requirements[draft.package] ?? .none,
                    terms: draft.terms, activeTime: draft.begins(madeAt: instant), createdAt: instant, rank: rank)
                return ReleaseUpdate(made: release, at: instant)
            }
    }

    /// Returns the rank of releases that begin together, which is free in each of their packages (semantics.md §2).
    ///
    /// - Parameters:
    ///   - above: The rank of the releases that they replace; they get the next free rank above it.
    ///   - own: The releases themselves, if they exist already.
    private func freeRank(
        in packages: [PackageID], createdAt: Timestamp, activeTime: Timestamp, above: Rank? = nil,
        besides own: [Release] = []
    ) -> Rank {
        let ids = own.map(\.id)
        let taken = Set(packages.flatMap { self[$0] }.filter { !ids.contains($0.id) }.map(\.rank))
        return above?.lowestFreeAbove(taken)
            ?? Rank.assigned(createdAt: createdAt, activeTime: activeTime, taken: taken)
    }

    // MARK: Changing

    /// Returns the group after an action; a rescheduled group gets the rank of its new activeTime.
    ///
    /// Throws the errors of ``Release/applying(_:in:at:)``.
    package func changing(
        _ group: ReleaseGroup, by action: ReleaseAction, at instant: Timestamp
    ) throws(PlatformError) -> ReleaseGroup {
        let changed = try group.applying(action, in: state(of: group, at: instant), at: instant)
        guard case .reschedule = action else { return changed }
        return changed.ranked(
            freeRank(
                in: group.packages, createdAt: group.createdAt, activeTime: changed.activeTime,
                besides: group.members))
    }

    // MARK: Taking back

    /// The result of taking a group back.
    package enum Rollback: Sendable {
        /// No device has got the group, so it only ends.
        case cancellation(ReleaseGroup)
        /// The group ends, and releases of earlier versions replace it.
        case replacement(ReleaseRequest)
    }

    /// Takes a group back: its releases end, and if they have begun, earlier versions are released right above them.
    ///
    /// The new releases are for the same devices. Throws the errors of ``changing(_:by:at:)``, `invalidRequest` for a
    /// version of a package that is not in the group, and `conflict` if there is no version to go back to.
    ///
    /// - Parameters:
    ///   - versions: The versions that devices go back to; other packages go back to the version of the next lower
    ///     release.
    ///   - isMandatory: Whether devices must go back before they open the package.
    package func takingBack(
        _ group: ReleaseGroup, to versions: [PackageID: VersionString], isMandatory: Bool, at instant: Timestamp
    ) throws(PlatformError) -> Rollback {
        let packages = group.packages
        if let stranger = versions.keys.sorted().first(where: { !packages.contains($0) }) {
            throw PlatformError(
                .invalidRequest,
                "\(group.id) has no release of '\(stranger)'. Give versions of its own packages in 'to'.")
        }
        let ended = try changing(group, by: .rollBack, at: instant)
        guard group.hasBegun(at: instant) else { return .cancellation(ended) }
        var drafts: [ReleaseDraft] = []
        for release in group.members {
            drafts.append(
                try draft(replacing: release, by: versions[release.package], isMandatory: isMandatory, at: instant))
        }
        if case .set = group.id {
            return .replacement(ReleaseRequest(drafts: drafts, isSet: true, takingBack: ended.members))
        }
        return .replacement(ReleaseRequest(drafts[0], takingBack: ended.members[0]))
    }

    private func draft(
        replacing release: Release, by version: VersionString?, isMandatory: Bool, at instant: Timestamp
    ) throws(PlatformError) -> ReleaseDraft {
        guard let target = version ?? lower(than: release, at: instant).max(by: { $0.rank < $1.rank })?.version
        else {
            throw PlatformError(
                .conflict,
                "No earlier release of '\(release.package)' matches all devices of release \(release.id). Give a version "
                    + "in 'to', or halt the release.")
        }
        guard target != release.version else {
            throw PlatformError(
                .conflict,
                "Release \(release.id) of '\(release.package)' has the version \(target) itself. Give another version in 'to'."
            )
        }
        var terms = release.terms(at: instant)
        terms.rollout = Rollout(percent: release.percent(at: instant))
        terms.isMandatory = isMandatory
        // They would keep the version from devices that have to go back to it.
        terms.floor = nil
        terms.downloads = nil
        // The version was in use before, and its devices have no newer one to compare them with.
        terms.health = nil
        return ReleaseDraft(
            app: release.app, package: release.package, channel: release.channel, version: target, terms: terms,
            activeTime: nil)
    }
}

extension ReleaseID {
    /// The id of a release that is not stored.
    package static let unassigned = ReleaseID(.max)
}

extension ReleaseSetID {
    /// The id of a release set that is not stored.
    package static let unassigned = ReleaseSetID(.max)
}

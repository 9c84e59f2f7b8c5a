package import Ground

/// The releases that operators make and change together: a single release, or those of a release set (decision 0030).
///
/// All of them have equal terms, activeTime, course, rank and revision.
package struct ReleaseGroup: Sendable, Equatable, Identifiable {
    /// The name by which operators know a group.
    package enum ID: Hashable, Sendable {
        case release(ReleaseID, of: PackageID)
        case set(ReleaseSetID)
    }

    package let id: ID
    /// The releases by package id; never empty.
    package let members: [Release]
    /// The member from which the common attributes are read.
    private let first: Release

    /// The number of packages in a release set.
    package static let sizes = 2...32

    /// Creates a group of one release.
    package init(_ release: Release) {
        id = .release(release.id, of: release.package)
        members = [release]
        first = release
    }

    /// Creates a release set; fails without members, or if they are in no set.
    package init?(setOf members: [Release]) {
        let sorted = members.sorted { $0.package < $1.package }
        guard let first = sorted.first, let set = first.set?.id else { return nil }
        id = .set(set)
        self.members = sorted
        self.first = first
    }

    private init(_ id: ID, members: [Release]) {
        self.id = id
        self.members = members
        first = members[0]
    }

    package var app: AppID { first.app }
    package var channel: ChannelName { first.channel }
    package var packages: [PackageID] { members.map(\.package) }
    package var rank: Rank { first.rank }
    package var terms: ReleaseTerms { first.terms }
    package var activeTime: Timestamp { first.activeTime }
    package var createdAt: Timestamp { first.createdAt }
    /// The revision that `If-Match` is compared with.
    package var revision: Int64 { first.revision }

    package func percent(at instant: Timestamp) -> BasisPoints { first.percent(at: instant) }

    /// Returns the audience, without its rules once a step of the plan has dropped them.
    package func audience(at instant: Timestamp) -> Audience { first.audience(at: instant) }

    /// Returns whether devices may have got the releases.
    package func hasBegun(at instant: Timestamp) -> Bool { first.isActive(at: instant) && first.keepsDevices }

    /// Returns the group after an action; throws the errors of ``Release/applying(_:in:at:)``.
    ///
    /// - Parameter state: The state of the group.
    package func applying(
        _ action: ReleaseAction, in state: ReleaseState, at instant: Timestamp
    ) throws(PlatformError) -> ReleaseGroup {
        var changed: [Release] = []
        for member in members { changed.append(try member.applying(action, in: state, at: instant)) }
        return ReleaseGroup(id, members: changed)
    }

    /// Returns the group with changed members.
    ///
    /// - Parameter changed: All members, in their order.
    package func replacing(_ changed: [Release]) -> ReleaseGroup { ReleaseGroup(id, members: changed) }

    /// Returns a copy of the group with another rank.
    func ranked(_ rank: Rank) -> ReleaseGroup {
        ReleaseGroup(
            id,
            members: members.map { member in
                var moved = member
                moved.rank = rank
                return moved
            })
    }
}

extension ReleaseGroup.ID: CustomStringConvertible {
    package var description: String {
        switch self {
        case .release(let id, _): "Release \(id)"
        case .set(let id): "Release set \(id)"
        }
    }
}

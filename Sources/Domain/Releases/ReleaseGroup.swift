package import Ground

/// Releases that operators make and change as one: a release by itself, or those of a release set (decision 0030).
///
/// Terms, moment, course, rank and revision are the same in all of them.
package struct ReleaseGroup: Sendable, Equatable, Identifiable {
    /// The name by which operators know a group.
    package enum ID: Hashable, Sendable {
        case release(ReleaseID, of: PackageID)
        case set(ReleaseSetID)
    }

    package let id: ID
    /// By package id; never empty.
    package let members: [Release]
    /// The member that stands for all of them.
    private let first: Release

    /// The number of packages that a release set may have.
    package static let sizes = 2...32

    /// A group of one release.
    package init(_ release: Release) {
        id = .release(release.id, of: release.package)
        members = [release]
        first = release
    }

    /// A release set; `nil` without members, or if they are in no set.
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
    /// The number that `If-Match` is compared with.
    package var revision: Int64 { first.revision }

    package func percent(at instant: Timestamp) -> BasisPoints { first.percent(at: instant) }

    /// A Boolean value indicating whether devices may have got the releases.
    func hasBegun(at instant: Timestamp) -> Bool { first.isActive(at: instant) && first.keepsDevices }

    /// The group after an action; throws what ``Release/applying(_:in:at:)`` throws.
    ///
    /// - Parameter state: The state of the group.
    package func applying(
        _ action: ReleaseAction, in state: ReleaseState, at instant: Timestamp
    ) throws(PlatformError) -> ReleaseGroup {
        var changed: [Release] = []
        for member in members { changed.append(try member.applying(action, in: state, at: instant)) }
        return ReleaseGroup(id, members: changed)
    }

    /// A copy of the group with another rank.
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

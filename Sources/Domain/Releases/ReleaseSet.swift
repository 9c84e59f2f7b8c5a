package import Ground

/// Releases of several packages that a device gets all of, from one moment on, or none (decision 0030).
///
/// They are made and changed as one, so that terms, moment, course, rank and revision are the same in all of them.
package struct ReleaseSet: Sendable, Equatable, Identifiable {
    package let id: ReleaseSetID
    /// By package id; never empty.
    package let members: [Release]
    /// Stands for all of them.
    private let first: Release

    /// Packages of a set.
    package static let sizes = 2...32

    /// - Parameter members: All of one set; `nil` where there is none.
    package init?(_ members: [Release]) {
        let sorted = members.sorted { $0.package < $1.package }
        guard let first = sorted.first, let id = first.set?.id else { return nil }
        self.id = id
        self.members = sorted
        self.first = first
    }

    package var app: AppID { first.app }
    package var channel: ChannelName { first.channel }
    package var rank: Rank { first.rank }
    package var terms: ReleaseTerms { first.terms }
    package var activeTime: Timestamp { first.activeTime }
    package var createdAt: Timestamp { first.createdAt }
    package var keepsDevices: Bool { first.keepsDevices }
    /// What `If-Match` is compared with.
    package var revision: Int64 { first.revision }

    package func isActive(at instant: Timestamp) -> Bool { first.isActive(at: instant) }
    package func percent(at instant: Timestamp) -> BasisPoints { first.percent(at: instant) }

    /// How the set stands: superseded where all of its releases are.
    ///
    /// - Parameter releases: By package, all of each.
    package func state(among releases: [PackageID: [Release]], at instant: Timestamp) -> ReleaseState {
        let states = members.map { $0.state(among: releases[$0.package] ?? [], at: instant) }
        return states.first { $0 != .superseded } ?? .superseded
    }

    /// The set after an action; throws what ``Release/applying(_:in:at:)`` throws.
    package func applying(
        _ action: ReleaseAction, in state: ReleaseState, at instant: Timestamp
    ) throws(PlatformError) -> ReleaseSet {
        var changed: [Release] = []
        for member in members { changed.append(try member.applying(action, in: state, at: instant)) }
        return with(changed)
    }

    /// The set under another rank.
    package func ranked(_ rank: Rank) -> ReleaseSet {
        with(
            members.map { member in
                var moved = member
                moved.rank = rank
                return moved
            })
    }

    private func with(_ members: [Release]) -> ReleaseSet { ReleaseSet(members) ?? self }
}

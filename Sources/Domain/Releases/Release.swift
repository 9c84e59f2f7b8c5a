/// The decision to offer a version of a package on a channel, to everyone, from a moment on.
package struct Release: Sendable, Equatable, Identifiable {
    package let id: ReleaseID
    package let app: AppID
    package let package: PackageID
    package let channel: ChannelName
    package let version: VersionString
    package let isMandatory: Bool
    package let activeTime: Timestamp
    package let createdAt: Timestamp
    package let rank: Rank

    package init(
        id: ReleaseID, app: AppID, package: PackageID, channel: ChannelName, version: VersionString, isMandatory: Bool,
        activeTime: Timestamp, createdAt: Timestamp, rank: Rank
    ) {
        self.id = id
        self.app = app
        self.package = package
        self.channel = channel
        self.version = version
        self.isMandatory = isMandatory
        self.activeTime = activeTime
        self.createdAt = createdAt
        self.rank = rank
    }

    package func isActive(at instant: Timestamp) -> Bool { instant >= activeTime }
}

/// The number of a release, unique on its server.
package struct ReleaseID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: ReleaseID, right: ReleaseID) -> Bool { left.value < right.value }

    package var description: String { String(value) }
}

/// A release as it is asked for, before it has its id and rank.
package struct ReleaseDraft: Sendable, Equatable {
    package let app: AppID
    package let package: PackageID
    package let channel: ChannelName
    package let version: VersionString
    package let isMandatory: Bool
    /// `nil`: at once.
    package let activeTime: Timestamp?

    package init(
        app: AppID, package: PackageID, channel: ChannelName, version: VersionString, isMandatory: Bool,
        activeTime: Timestamp?
    ) {
        self.app = app
        self.package = package
        self.channel = channel
        self.version = version
        self.isMandatory = isMandatory
        self.activeTime = activeTime
    }
}

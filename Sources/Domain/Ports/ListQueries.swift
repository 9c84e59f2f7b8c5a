package import Ground

/// A query for a page of an app's packages.
package struct PackageQuery: Sendable, Equatable {
    package enum Order: Sendable, Equatable {
        /// By id.
        case id
        /// By name, packages with equal names by id.
        case name
    }

    /// The package after which the page begins.
    package struct Position: Sendable, Equatable {
        package let name: String
        package let id: String

        package init(name: String, id: String) {
            self.name = name
            self.id = id
        }
    }

    /// A text in the id or the name, regardless of the case of ASCII letters; `nil` for all packages.
    package var text: String?
    package var order: Order
    package var isDescending: Bool
    package var after: Position?
    package var limit: Int
    /// The packages to choose from; `nil` for all.
    package var among: [PackageID]?
    /// The instant at which the packages are used from the network; `nil` for all packages.
    package var onlineAt: Timestamp?

    package init(
        text: String? = nil, order: Order = .id, isDescending: Bool = false, after: Position? = nil, limit: Int,
        among: [PackageID]? = nil, onlineAt: Timestamp? = nil
    ) {
        self.among = among
        self.onlineAt = onlineAt
        self.text = text
        self.order = order
        self.isDescending = isDescending
        self.after = after
        self.limit = limit
    }
}

/// A query for a page of a package's versions, in the order of publishing.
package struct VersionQuery: Sendable, Equatable {
    /// The beginning of the version string, regardless of case; `nil` for all versions.
    package var prefix: String?
    /// Whether retired versions are meant, or the others; `nil` for both.
    package var isRetired: Bool?
    package var isNewestFirst: Bool
    /// The position after which the page begins, from ``VersionPage/end``.
    package var after: Int64?
    package var limit: Int

    package init(
        prefix: String? = nil, isRetired: Bool? = nil, isNewestFirst: Bool = false, after: Int64? = nil, limit: Int
    ) {
        self.prefix = prefix
        self.isRetired = isRetired
        self.isNewestFirst = isNewestFirst
        self.after = after
        self.limit = limit
    }
}

/// A page of a package's versions, without their files.
package struct VersionPage: Sendable, Equatable {
    package let versions: [VersionSummary]
    /// The position of the last version; `nil` if no version follows.
    package let end: Int64?

    package init(versions: [VersionSummary], end: Int64?) {
        self.versions = versions
        self.end = end
    }
}

/// A query for a page of the releases of an app.
package struct ReleaseQuery: Sendable, Equatable {
    package enum Order: Sendable, Equatable {
        case id
        /// By activeTime, releases with equal times by id.
        case activeTime
        /// By rank, releases with equal ranks by id.
        case rank
    }

    /// The release after which the page begins.
    package struct Position: Sendable, Equatable {
        /// The milliseconds of the activeTime, or the rank; the id if the order is that of ids.
        package let key: Int64
        package let id: ReleaseID

        package init(key: Int64, id: ReleaseID) {
            self.key = key
            self.id = id
        }
    }

    package var channel: ChannelName?
    package var package: PackageID?
    /// The version that is released, without its package; `nil` for all.
    package var version: VersionString?
    /// A text in the id or the name of the package, the beginning of the version, or the number of the release; `nil` for
    /// all releases.
    package var text: String?
    package var state: ReleaseStateCondition?
    package var order: Order
    package var isDescending: Bool
    package var after: Position?
    package var limit: Int

    package init(
        channel: ChannelName? = nil, package: PackageID? = nil, version: VersionString? = nil, text: String? = nil,
        state: ReleaseStateCondition? = nil, order: Order = .id, isDescending: Bool = true, after: Position? = nil,
        limit: Int
    ) {
        self.version = version
        self.channel = channel
        self.package = package
        self.text = text
        self.state = state
        self.order = order
        self.isDescending = isDescending
        self.after = after
        self.limit = limit
    }

    /// Returns the key of a release in the order of the query, with its id.
    package func position(of release: Release) -> Position {
        let key =
            switch order {
            case .id: release.id.value
            case .activeTime: release.activeTime.milliseconds
            case .rank: release.rank.value
            }
        return Position(key: key, id: release.id)
    }

    /// The release whose number the text is, such as `41` or `#41`; `nil` if it is none.
    package var number: ReleaseID? {
        guard let text, let number = Int64(text.hasPrefix("#") ? text.dropFirst() : text[...]), number > 0 else {
            return nil
        }
        return ReleaseID(number)
    }
}

/// A version that a search found.
package struct FoundVersion: Sendable, Equatable {
    package let package: PackageID
    package let version: VersionString
    package let publishedAt: Timestamp

    package init(package: PackageID, version: VersionString, publishedAt: Timestamp) {
        self.package = package
        self.version = version
        self.publishedAt = publishedAt
    }
}

/// The number of a package's versions, without those whose files were removed, and the time of the last one.
package struct PublishedCount: Sendable, Equatable {
    package let versions: Int
    package let lastPublishedAt: Timestamp

    package init(versions: Int, lastPublishedAt: Timestamp) {
        self.versions = versions
        self.lastPublishedAt = lastPublishedAt
    }
}

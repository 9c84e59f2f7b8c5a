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

    package init(
        text: String? = nil, order: Order = .id, isDescending: Bool = false, after: Position? = nil, limit: Int
    ) {
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

/// The membership of a release in a release set.
package struct SetMembership: Sendable, Hashable {
    package let id: ReleaseSetID
    /// The versions that the set releases, including the release's own.
    package let versions: [PackageID: VersionString]
    /// Whether the terms, which all releases of the set share, alone determine the devices of the set.
    ///
    /// This requires that no version has requirements, all have their files, and all packages are enabled.
    package let isPlain: Bool

    package init(id: ReleaseSetID, versions: [PackageID: VersionString], isPlain: Bool) {
        self.id = id
        self.versions = versions
        self.isPlain = isPlain
    }
}

/// The number of a release set, unique on its server.
package struct ReleaseSetID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: ReleaseSetID, right: ReleaseSetID) -> Bool { left.value < right.value }

    package var description: String { String(value) }
}

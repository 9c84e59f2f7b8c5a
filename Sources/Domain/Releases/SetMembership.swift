/// That a release belongs to a set (``ReleaseSet``), with what has to be known of the others.
package struct SetMembership: Sendable, Hashable {
    package let id: ReleaseSetID
    /// What the set releases, the release's own version included.
    package let versions: [PackageID: VersionString]
    /// Whether nothing but the terms, which all of them share, keeps one of them from a device.
    ///
    /// Then no version asks anything of the device, all have their files, and no package is turned off.
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

package import Ground

/// A release that some devices lose because releases of another package change (semantics.md §2).
package struct DependencyLoss: Sendable, Equatable {
    /// The release that the devices lose.
    package let release: Release
    /// The requirement that is no longer met; `nil` for a release that is lost with its set.
    package let dependency: VersionRequirements.Dependency?
    /// The release of another package that begins or ends for the devices.
    package let cause: Release
    /// Whether the cause begins for the devices; otherwise it ends.
    package let causeBegins: Bool
    /// The instant from which devices may lose the release.
    package let from: Timestamp

    struct Key: Hashable {
        let package: PackageID
        let release: ReleaseID
        let causePackage: PackageID
        let cause: ReleaseID
    }

    var key: Key {
        Key(package: release.package, release: release.id, causePackage: cause.package, cause: cause.id)
    }
}

extension DependencyLoss: CustomStringConvertible {
    package var description: String {
        let need = dependency.map { "needs \($0.package) \($0.range)" } ?? "is in a release set that needs it"
        let change =
            causeBegins
            ? "devices get \(cause.package) \(cause.version)" : "\(cause.package) \(cause.version) ends for devices"
        return "\(release.package) \(release.version) \(need), and \(change) from \(from) on"
    }
}

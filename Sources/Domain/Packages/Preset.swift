/// What a build of the app ships inside: a version of each of some packages.
///
/// It never changes: builds are out there.
package struct Preset: Sendable, Equatable {
    package let app: AppID
    /// The version of the host app, of the shape of a version string.
    package let build: VersionString
    package let createdAt: Timestamp
    package let versions: [PackageID: VersionString]

    package init(app: AppID, build: VersionString, createdAt: Timestamp, versions: [PackageID: VersionString]) {
        self.app = app
        self.build = build
        self.createdAt = createdAt
        self.versions = versions
    }

    /// Packages of one preset.
    package static let maximumPackages = 1_000
    /// Files of all packages together, descriptors included, and bytes of their archives: what one zip holds.
    package static let maximumFiles = 65_533
    package static let maximumBytes = 4_000_000_000
    /// Presets of one app.
    package static let maximumCount = 500
}

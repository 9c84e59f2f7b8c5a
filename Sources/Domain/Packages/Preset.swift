package import Ground

/// The versions of packages that a build of the app ships.
///
/// A preset never changes, since its build is already distributed.
package struct Preset: Sendable, Equatable {
    package let app: AppID
    /// The version of the host app, with the grammar of a version string.
    package let build: VersionString
    package let createdAt: Timestamp
    package let versions: [PackageID: VersionString]

    package init(app: AppID, build: VersionString, createdAt: Timestamp, versions: [PackageID: VersionString]) {
        self.app = app
        self.build = build
        self.createdAt = createdAt
        self.versions = versions
    }

    /// The limit on the packages of a preset.
    package static let maximumPackages = 1_000
    /// The limits on all files, descriptors included, and on the bytes of all archives, so that one zip holds them.
    package static let maximumFiles = 65_533
    package static let maximumBytes = 4_000_000_000
    /// The limit on the presets of an app.
    package static let maximumCount = 500
}

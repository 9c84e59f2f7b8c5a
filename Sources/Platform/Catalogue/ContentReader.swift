package import Domain

/// A reader of published content for devices and browsers.
package struct ContentReader: Sendable {
    private let store: any ContentStore & VersionStore

    package init(store: any ContentStore & VersionStore) {
        self.store = store
    }

    /// Returns the item at a path of a version; `nil` if no release of the channel names the version.
    package func unpackedItem(
        at path: UnpackedPath, of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> UnpackedItem? {
        try await store.unpackedItem(at: path, of: version, of: package, on: channel, in: app)
    }

    /// Returns the file of a version whose path ends in this part; `nil` if there is none.
    package func file(
        named name: TreePath, of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> TreeFile? {
        try await store.file(named: name, of: version, of: package, in: app)
    }

    /// Returns the archive of a release of the channel; `nil` if there is no such release or archive.
    package func archive(
        of name: ReleaseArchiveName, in layout: Layout, on channel: ChannelName, of app: AppID
    ) async throws(PlatformError) -> Artifact? {
        try await store.archive(of: name, in: layout, on: channel, of: app)
    }

    /// Returns a version with its files; `nil` if the files are no longer stored.
    package func version(
        _ version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> Version? {
        try await store.version(version, of: package, in: app)
    }
}

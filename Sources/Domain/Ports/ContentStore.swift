/// The store of the facts by which archives and single files of versions are served.
package protocol ContentStore: Sendable {
    /// Returns the item at a path of a version, if a release of the channel names the version, even an ended or
    /// scheduled one.
    ///
    /// Returns `nil` if no release does. Reads only this item of the version.
    func unpackedItem(
        at path: UnpackedPath, of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> UnpackedItem?
    /// Returns the file of a version whose path ends in this part; `nil` if there is none.
    func file(
        named name: TreePath, of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> TreeFile?
    /// Returns the full archive of a release of the channel, including releases that have ended or are scheduled.
    ///
    /// Returns `nil` if there is no such release, or its archive was removed.
    func archive(
        of name: ReleaseArchiveName, in layout: Layout, on channel: ChannelName, of app: AppID
    ) async throws(PlatformError) -> Artifact?
}

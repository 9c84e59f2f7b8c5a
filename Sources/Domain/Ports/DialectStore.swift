/// The store of the facts that the endpoints of dialects need beyond an app's state.
///
/// Names are case-sensitive. Methods throw `storageFull` or `storageFailed` if the store fails.
package protocol DialectStore: Sendable {
    /// Returns the full archive of a release of the channel, including releases that have ended or are scheduled.
    ///
    /// Returns `nil` if there is no such release, or its archive was removed.
    func archive(
        of name: ReleaseArchiveName, in layout: Layout, on channel: ChannelName, of app: AppID
    ) async throws(PlatformError) -> Artifact?
    /// Returns the file of a version whose path ends in this part; `nil` if there is none.
    func file(
        named name: TreePath, of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> TreeFile?
}

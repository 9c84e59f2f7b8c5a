/// What a store is asked for by the endpoints of dialects, beside what every device's answers are made of.
///
/// Names are exact by case. Throw `storageFull` or `storageFailed` where the store fails.
package protocol DialectStore: Sendable {
    /// The full archive of the version that a release of the channel names, be it over or still to come; `nil` where there
    /// is no such release, or no such archive any more.
    func archive(
        of name: ReleaseArchiveName, in layout: Layout, on channel: ChannelName, of app: AppID
    ) async throws(PlatformError) -> Artifact?
    /// The file of a version whose path ends in this part; `nil` where there is none.
    func file(
        named name: TreePath, of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> TreeFile?
}

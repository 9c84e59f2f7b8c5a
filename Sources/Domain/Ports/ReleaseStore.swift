/// The store of releases and release sets.
///
/// It holds no rule: ``ChannelReleases`` decides.
package protocol ReleaseStore: Sendable {
    /// Returns all releases of a package, on every channel, by id.
    func releases(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Release]
    /// Returns the releases of all packages on a channel that were not taken back, by id.
    func releases(on channel: ChannelName, in app: AppID) async throws(PlatformError) -> [Release]
    /// Returns a page of the releases of all packages and channels of an app.
    func releases(of app: AppID, _ query: ReleaseQuery) async throws(PlatformError) -> [Release]
    /// Returns the releases of a set, by package; of all sets for `nil`.
    func releases(ofSet set: ReleaseSetID?, in app: AppID) async throws(PlatformError) -> [Release]
    /// Inserts the releases of a request with their patches and events; returns one release for each draft.
    ///
    /// ``ChannelReleases/making(_:needing:as:at:)`` decides the releases at `audit.time`, from the releases that the
    /// transaction reads. Throws `channelNotFound`, `versionNotFound`, `listNotFound`, and the errors of that function.
    func makeReleases(
        _ request: ReleaseRequest, patches: [SignedArtifact], blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError) -> [Release]
    /// Updates releases after an action, with their events, and what has tripped in them as ``HealthWatch/Trip`` says.
    ///
    /// Throws `conflict`, and updates none, unless each revision is the next one.
    ///
    /// - Parameter steps: The devices of releases whose plans go on to a held step.
    func changeReleases(
        _ releases: [Release], steps: [ReleaseID: HealthStep], audit: AuditEntry
    ) async throws(PlatformError)
}

extension ReleaseStore {
    /// Updates releases whose plans do not go on; see ``changeReleases(_:steps:audit:)``.
    package func changeReleases(_ releases: [Release], audit: AuditEntry) async throws(PlatformError) {
        try await changeReleases(releases, steps: [:], audit: audit)
    }
}

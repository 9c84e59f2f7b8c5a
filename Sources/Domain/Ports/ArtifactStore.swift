package import Ground

/// The store of full archives and of patches, with their signatures.
package protocol ArtifactStore: Sendable {
    /// Returns the full archives of a version in all layouts, with their signatures.
    func archives(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [SignedArtifact]
    /// Inserts a full archive of an existing version; writes nothing if one of the same layout and recipe exists.
    ///
    /// Leaves the config version unchanged.
    func addArchive(_ archive: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry) async throws(PlatformError)
    /// Returns the incremental archives and delta patches to these versions, from any base.
    func patches(
        to versions: [VersionString], of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [Artifact]
    /// Inserts patches between existing versions of one app; keeps an existing patch of the same pair and recipe.
    func addPatches(_ patches: [SignedArtifact], at now: Timestamp) async throws(PlatformError)
    /// Records that devices request a patch between existing versions, and inserts the patch.
    ///
    /// - Parameter patch: The patch; `nil` if it exists.
    func addDemand(_ request: PatchRequest, patch: SignedArtifact?, at now: Timestamp) async throws(PlatformError)
    /// Records that patches are still requested; ignores those that were never recorded.
    ///
    /// Leaves the config version unchanged.
    func renewDemand(_ requests: [PatchRequest], at now: Timestamp) async throws(PlatformError)
}

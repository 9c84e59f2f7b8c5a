/// The store of published versions, which never change.
package protocol VersionStore: Sendable {
    /// Returns the versions of a package without their files.
    func versions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionSummary]
    /// Returns a page of the versions of a package.
    func versions(
        of package: PackageID, in app: AppID, _ query: VersionQuery
    ) async throws(PlatformError) -> VersionPage
    /// Returns versions of all packages of an app that begin with a text, regardless of case, the newest first, without
    /// those whose files were removed.
    func versions(
        beginningWith prefix: String, in app: AppID, limit: Int
    ) async throws(PlatformError) -> [FoundVersion]
    /// Counts the versions of packages; a package without versions is missing.
    func publishedCounts(
        of packages: [PackageID], in app: AppID
    ) async throws(PlatformError) -> [PackageID: PublishedCount]
    /// Returns a version with its files; `nil` if there is none or its files were removed.
    func version(_ version: VersionString, of package: PackageID, in app: AppID) async throws(PlatformError) -> Version?
    /// Returns a version without its files.
    func summary(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> VersionSummary?
    /// Returns the publication of a version string, regardless of case.
    func publication(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> Publication?
    /// Returns the versions of other packages that depend on the package, without retired ones and those without files.
    func dependents(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Dependent]
    /// Returns the distinct versions of a package that presets ship, those of the newest preset first.
    func shippedVersions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionString]
    /// Inserts a version, with at most as many findings as ``LintResult/kept`` has.
    ///
    /// Leaves the config version unchanged. Throws `versionExists` if the version string is taken, regardless of case;
    /// an identical version whose files were removed gets them back.
    func publish(
        _ version: Version, _ details: VersionDetails, findings: LintResult, identity: SHA256Digest,
        full: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError)
}

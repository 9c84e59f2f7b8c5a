/// The store of versions' details, retirements and findings, and of packages' waivers.
///
/// Changes leave the config version unchanged, since devices do not see them. Names of versions and packages are
/// case-sensitive.
package protocol VersionDetailsStore: Sendable {
    /// Returns a version without its files.
    func summary(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> VersionSummary?
    /// Returns the versions of other packages that depend on the package, without retired ones and those without files.
    func dependents(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Dependent]
    /// Returns the linter's findings when the version was published; `nil` if they were not stored.
    func findings(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> LintResult?
    /// Replaces the notes of a version; throws `versionNotFound`.
    func setNotes(
        _ notes: String?, of version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError)
    /// Retires a version; returns `false` and writes nothing if it is retired already.
    ///
    /// Throws `versionNotFound`.
    func retire(
        _ version: VersionString, of package: PackageID, in app: AppID, _ retirement: Retirement, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// Ends a retirement; returns `false` and writes nothing if the version is not retired.
    ///
    /// Throws `versionNotFound`.
    func unretire(
        _ version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool

    /// Returns the waivers by code, then path; waivers for every path come first.
    func waivers(of package: PackageID, in app: AppID) async throws(PlatformError) -> [LintWaiver]
    /// Inserts a waiver or replaces the one for this code and path; returns whether it is new.
    ///
    /// Throws `conflict` if there are ``LintWaiver/maximumPerPackage`` others.
    func putWaiver(
        _ waiver: LintWaiver, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// Removes and returns a waiver; returns `nil` and writes nothing if there is none.
    func removeWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> LintWaiver?
}

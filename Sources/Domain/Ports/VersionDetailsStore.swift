/// What a store knows of versions beside their content, and of the findings that are fine in a package.
///
/// No device hears of any of it: the config version stays. Names of versions and packages are exact by case.
package protocol VersionDetailsStore: Sendable {
    /// A version without its files.
    func summary(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> VersionSummary?
    /// The versions of other packages that need the package, but for retired ones and those whose files were removed.
    func dependents(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Dependent]
    /// What a linter had to say when the version was published; `nil` where that was not kept.
    func findings(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> LintResult?
    /// Throws `versionNotFound`.
    func setNotes(
        _ notes: String?, of version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError)
    /// `false`, and nothing is written, where it is retired already. Throws `versionNotFound`.
    func retire(
        _ version: VersionString, of package: PackageID, in app: AppID, _ retirement: Retirement, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// `false`, and nothing is written, where it is not retired. Throws `versionNotFound`.
    func unretire(
        _ version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool

    /// By code, then path, those for every path first.
    func waivers(of package: PackageID, in app: AppID) async throws(PlatformError) -> [LintWaiver]
    /// Makes a waiver, or puts it in the place of the one for the same code and path; `false` where there was one.
    /// Throws `conflict` where there are ``LintWaiver/maximumPerPackage`` others.
    func putWaiver(
        _ waiver: LintWaiver, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// The waiver that was there; `nil`, and nothing is written, where there was none.
    func removeWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> LintWaiver?
}

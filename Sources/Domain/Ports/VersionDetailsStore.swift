/// The store of versions' notes, retirements and findings.
///
/// Changes leave the config version unchanged, since devices do not see them.
package protocol VersionDetailsStore: Sendable {
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
}

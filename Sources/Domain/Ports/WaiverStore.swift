/// The store of packages' waivers, which accept findings of the linter.
///
/// Changes leave the config version unchanged, since devices do not see them.
package protocol WaiverStore: Sendable {
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

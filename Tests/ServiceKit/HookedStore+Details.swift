package import Domain

/// The methods without hooks for version details.
extension HookedStore {
    package func summary(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> VersionSummary? {
        try await base.summary(of: version, of: package, in: app)
    }

    package func dependents(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Dependent] {
        try await base.dependents(of: package, in: app)
    }

    package func findings(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> LintResult? {
        try await base.findings(of: version, of: package, in: app)
    }

    package func setNotes(
        _ notes: String?, of version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.setNotes(notes, of: version, of: package, in: app, audit: audit)
    }

    package func retire(
        _ version: VersionString, of package: PackageID, in app: AppID, _ retirement: Retirement, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.retire(version, of: package, in: app, retirement, audit: audit)
    }

    package func unretire(
        _ version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.unretire(version, of: package, in: app, audit: audit)
    }

    package func waivers(of package: PackageID, in app: AppID) async throws(PlatformError) -> [LintWaiver] {
        try await base.waivers(of: package, in: app)
    }

    package func putWaiver(
        _ waiver: LintWaiver, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.putWaiver(waiver, of: package, in: app, audit: audit)
    }

    package func removeWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> LintWaiver? {
        try await base.removeWaiver(for: code, at: path, of: package, in: app, audit: audit)
    }
}

package import Domain

/// The methods without hooks for page grants.
extension HookedStore {
    package func pageGrants(of app: AppID) async throws(PlatformError) -> [PageGrant] {
        try await base.pageGrants(of: app)
    }

    package func pageGrants(of app: AppID, about page: PageURL) async throws(PlatformError) -> [PageGrant] {
        try await base.pageGrants(of: app, about: page)
    }

    package func putPageGrant(
        _ grant: PageGrant, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.putPageGrant(grant, of: app, audit: audit)
    }

    package func removePageGrant(
        _ name: GrantName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> PageGrant? {
        try await base.removePageGrant(name, of: app, audit: audit)
    }
}

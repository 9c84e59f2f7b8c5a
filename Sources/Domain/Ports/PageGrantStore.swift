/// What a store knows of the pages outside packages; no device hears of a change, so the config version stays.
///
/// Throw `storageFull` or `storageFailed` where the store fails.
package protocol PageGrantStore: Sendable {
    /// By name, expired ones included.
    func pageGrants(of app: AppID) async throws(PlatformError) -> [PageGrant]
    /// Those whose origin and path lead to a page, by name, expired ones included.
    func pageGrants(of app: AppID, about page: PageURL) async throws(PlatformError) -> [PageGrant]
    /// Makes a grant, or puts it in the place of the one of its name; `false` where there was one. Nothing is written where
    /// nothing differs.
    ///
    /// Throws `conflict` where another one is for the same origin and path, or there are too many.
    func putPageGrant(_ grant: PageGrant, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// The grant that was there; `nil`, and nothing is written, where there was none.
    func removePageGrant(
        _ name: GrantName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> PageGrant?
}

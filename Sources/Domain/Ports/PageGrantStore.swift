/// The store of grants for pages outside packages; changes leave the config version unchanged.
package protocol PageGrantStore: Sendable {
    /// Returns the grants by name, including expired ones.
    func pageGrants(of app: AppID) async throws(PlatformError) -> [PageGrant]
    /// Returns the grants whose origin and path cover a page, by name, including expired ones.
    func pageGrants(of app: AppID, about page: PageURL) async throws(PlatformError) -> [PageGrant]
    /// Inserts a grant or replaces the one of its name; returns whether it is new.
    ///
    /// Writes nothing if nothing differs. Throws `conflict` if another grant has the same origin and path, or if there
    /// are too many.
    func putPageGrant(_ grant: PageGrant, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Removes and returns a grant; returns `nil` and writes nothing if there is none.
    func removePageGrant(
        _ name: GrantName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> PageGrant?
}

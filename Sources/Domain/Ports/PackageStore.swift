/// The store of packages and their settings.
package protocol PackageStore: Sendable {
    /// Inserts or updates a package; returns whether it is new.
    ///
    /// Writes nothing if nothing differs. Throws `nameTaken` if the id differs from an existing one only in case.
    func putPackage(_ package: Package, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Returns the packages of an app, by id.
    func packages(of app: AppID) async throws(PlatformError) -> [Package]
    /// Returns a page of the packages of an app.
    func packages(of app: AppID, _ query: PackageQuery) async throws(PlatformError) -> [Package]
    /// Removes a package that has no version, with its waivers; returns `false` and writes nothing if there is none.
    ///
    /// Throws `conflict` if a version was ever published.
    func removePackage(_ package: PackageID, in app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    func package(_ package: PackageID, in app: AppID) async throws(PlatformError) -> Package?
}

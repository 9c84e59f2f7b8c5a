/// The store of the registered builds of host apps.
package protocol BuildStore: Sendable {
    /// Returns the builds of the host app, by appVersion.
    func builds(of app: AppID) async throws(PlatformError) -> [RegisteredBuild]
    /// Inserts a build or replaces its APIs.
    func putBuild(_ build: HostBuild, of app: AppID, audit: AuditEntry) async throws(PlatformError)
    /// Removes the build of an appVersion.
    func deleteBuild(_ appVersion: String, of app: AppID, audit: AuditEntry) async throws(PlatformError)
}

/// The store of the health rules of apps, and of the watches of releases that have rules.
package protocol HealthStore: Sendable {
    /// Returns the rules of an app's new releases that give none; `nil` for no rules.
    func defaultHealth(of app: AppID) async throws(PlatformError) -> HealthPolicy?
    /// Replaces the rules of an app's new releases. Devices are not concerned.
    func setDefaultHealth(_ policy: HealthPolicy?, of app: AppID, audit: AuditEntry) async throws(PlatformError)
    /// Returns the latest watch of each release that has one.
    func healthWatches(of releases: [ReleaseID]) async throws(PlatformError) -> [ReleaseID: HealthWatch]
    /// Returns the devices at the latest plan step of a release; `nil` before the first.
    ///
    /// A set of devices that cannot be read counts as unknown.
    func healthStep(of release: ReleaseID) async throws(PlatformError) -> HealthStep?
    /// Replaces the watch of a release.
    ///
    /// Throws `conflict`, and changes nothing, if the stored one is later, or if a rule has tripped in it and none with a
    /// stronger action has in `watch`.
    ///
    /// - Parameter audit: The entry of a rule that trips.
    func setHealthWatch(
        _ watch: HealthWatch, of release: ReleaseID, audit: AuditEntry?
    ) async throws(PlatformError)
}

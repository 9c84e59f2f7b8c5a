/// The store of installation reports, service days and the daily numbers of devices by version.
package protocol AdoptionStore: Sendable {
    /// Records that the server runs on a day, and removes later days and those that are too old, with their numbers.
    ///
    /// Removes nothing if the clock is behind (``SeenCalendar/isBehind(on:)``).
    ///
    /// - Returns: The recorded days, and the channels whose devices were not counted on the day.
    func noteSeenDay(
        _ day: UInt16
    ) async throws(PlatformError) -> (calendar: SeenCalendar, uncounted: Set<SeenChannel>)
    /// Inserts or replaces the numbers of devices by version in use on a recorded day; the channel is counted then.
    func noteAdoption(
        _ versions: [PackageID: [VersionString: Int]], in channel: SeenChannel, on day: UInt16
    ) async throws(PlatformError)
    /// Returns the numbers of a package, newest day first, at most ``AdoptionDay/maximumRows`` of them.
    func adoptionDays(of package: PackageID, in channel: SeenChannel) async throws(PlatformError) -> [AdoptionDay]
    /// Returns the versions of each package that were ever published.
    func publishedVersions(of app: AppID) async throws(PlatformError) -> [PackageID: Set<VersionString>]
    /// Examines up to `count` reports with numbers before `number`, and returns those about a package.
    ///
    /// - Parameter number: The end of the page; `nil` for the newest reports.
    func installationReports(
        of package: PackageID, in app: AppID, before number: Int64?, examining count: Int
    ) async throws(PlatformError) -> InstallationReport.Page
}

package import Ground

/// The store of devices' reports and their counts.
package protocol ReportStore: Sendable {
    /// Inserts the reports of published versions that are not in the window by (app, device, event id).
    ///
    /// Returns their outcomes in order (semantics.md §10). Removes reports that leave the window, oldest first, in
    /// bounded steps; their counts stay.
    func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) async throws(PlatformError) -> [ReportOutcome]
    /// Returns the extent of the stored reports; `nil` if there are none.
    func reportExtent() async throws(PlatformError) -> ReportExtent?
    /// Returns the counts of reports by package, version, then event.
    ///
    /// Throws `invalidRequest` for more than ``ReportSeries/maximumTotals`` counts.
    ///
    /// - Parameter package: The package of the reports; `nil` for all packages of the app.
    func reportCounts(of package: PackageID?, in app: AppID) async throws(PlatformError) -> [ReportCount]
}

/// A durable queue of reports that were accepted while the metadata store was unavailable.
///
/// Any task may append; one task at a time reads and removes.
package protocol ReportSpool: Sendable {
    /// Appends the reports of requests in order, and returns how many requests fit; they are durable then.
    func append(_ requests: [[Report]]) async throws(PlatformError) -> Int
    /// Returns the oldest requests, together at most `count` reports but at least one request; empty if none is left.
    func oldest(upTo count: Int) async throws(PlatformError) -> [[Report]]
    /// Removes the oldest requests; after a crash some of them may be there again.
    ///
    /// - Parameter count: At most the number of requests that the last call of ``oldest(upTo:)`` returned.
    func removeOldest(_ count: Int) async throws(PlatformError)
    var figures: ReportSpoolFigures { get }
}

/// The content of a spool of reports.
package struct ReportSpoolFigures: Sendable, Equatable {
    /// The reports that are not stored yet.
    package let reports: Int
    /// The bytes that count against the limit.
    package let bytes: Int

    package init(reports: Int, bytes: Int) {
        self.reports = reports
        self.bytes = bytes
    }
}

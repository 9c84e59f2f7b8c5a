package import Domain
package import Ground

extension SQLStore {
    package func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) throws(PlatformError) -> [ReportOutcome] {
        // Used in place, since a copy would copy all filters.
        var filters = reportFilters.take()
        defer { reportFilters = filters }
        return try transaction { database in
            for app in Set(reports.map(\.app)) { try database.requireApp(app) }
            guard try reports.isEmpty || database.reportProgress().waiting <= window.waiting else {
                throw PlatformError(.busy, "Too many reports wait to be aggregated. Send them again later.")
            }
            var batch = ReportBatch(in: database, at: now, filters: filters.take())
            defer { filters = batch.filters }
            let outcomes = try batch.insert(reports)
            let most = outcomes.count { $0 == .stored || $0 == .storedAsOther } + ReportWindow.surplusPerBatch
            try database.deleteReports(outside: window, at: now, upTo: most)
            return outcomes
        }
    }

    package func reportExtent() throws(PlatformError) -> ReportExtent? {
        try transaction { database in
            let first = try database.row("SELECT number, received_at FROM reports ORDER BY number LIMIT 1") { row in
                (number: try row[0] as Int64, receivedAt: try row[1] as Timestamp)
            }
            guard let first, let last = try database.lastReportNumber() else { return nil }
            return ReportExtent(count: Int(last - first.number + 1), oldest: first.receivedAt)
        }
    }
}

extension Database {
    /// Deletes the oldest reports that are outside of the window, at most `most` of them.
    ///
    /// Selects by number, in the order of arrival, so that only deleted rows and one more are read. A report that was
    /// received while the clock was ahead therefore delays the deletion of later ones, up to the maximum number of
    /// rows. Reports that are not aggregated stay.
    fileprivate func deleteReports(outside window: ReportWindow, at now: Timestamp, upTo most: Int) throws {
        let ends = try row("SELECT (SELECT min(number) FROM reports), (SELECT max(number) FROM reports)") { row in
            (first: try row[0] as Int64?, last: try row[1] as Int64?)
        }
        guard let first = ends?.first, let last = ends?.last else { return }
        let end = first + Int64(most)
        let firstYoung: Int64? = try value(
            """
            SELECT number FROM reports WHERE number < \(end) AND received_at >= \(window.oldest(at: now))
            ORDER BY number LIMIT 1
            """)
        let firstKept = max(firstYoung ?? end, last - Int64(window.rows) + 1)
        let firstWaiting = try aggregatedNumber() + 1
        try execute("DELETE FROM reports WHERE number < \(min(firstKept, end, firstWaiting))")
    }
}

package import Domain
package import Ground

extension SQLStore {
    package func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) throws(PlatformError) -> [ReportOutcome] {
        try transaction { database in
            for app in Set(reports.map(\.app)) { try database.requireApp(app) }
            var batch = ReportBatch(in: database, at: now)
            let outcomes = try batch.insert(reports)
            let most = outcomes.count { $0 == .stored } + ReportWindow.surplusPerBatch
            try database.deleteReports(outside: window, at: now, upTo: most)
            return outcomes
        }
    }

    package func reportCounts(of package: PackageID, in app: AppID) throws(PlatformError) -> [ReportCount] {
        try transaction { database in
            try database.rows(
                """
                SELECT versions.version, event, reports, devices FROM versions
                JOIN report_counts ON report_counts.version = versions.number
                WHERE versions.package = \(try database.packageNumber(package, in: app))
                ORDER BY versions.version, event
                """
            ) { row in
                ReportCount(version: try row[0], event: try row[1], reports: try row[2], devices: try row[3])
            }
        }
    }
}

extension Database {
    /// Deletes the oldest reports that are outside of the window, at most `most` of them.
    ///
    /// Selects by number, in the order of arrival, so that only deleted rows and one more are read. A report that was
    /// received while the clock was ahead therefore delays the deletion of later ones, up to the maximum number of
    /// rows. Counts stay: each row was counted when it arrived, its device at most once, so devices never outnumber
    /// reports.
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
        try execute("DELETE FROM reports WHERE number < \(min(firstKept, end))")
    }
}

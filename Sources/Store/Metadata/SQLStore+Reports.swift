package import Domain
package import Ground

extension SQLStore {
    package func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) throws(PlatformError) -> [ReportOutcome] {
        // Used in place, since a copy would copy all filters.
        var filters = reportFilters.take()
        var isUncommitted = false
        defer {
            if isUncommitted { filters?.forgetUncommitted() }
            reportFilters = filters
        }
        let outcomes = try transaction { database in
            for app in Set(reports.map(\.app)) { try database.requireApp(app) }
            guard try reports.isEmpty || database.reportProgress().waiting <= window.waiting else {
                throw PlatformError(.busy, "Too many reports wait to be aggregated. Send them again later.")
            }
            isUncommitted = true
            var batch = ReportBatch(in: database, at: now, filters: filters.take())
            defer { filters = batch.filters }
            let outcomes = try batch.insert(reports)
            let most = outcomes.count { $0 == .stored || $0 == .storedAsOther } + ReportWindow.surplusPerBatch
            try batch.removeReports(outside: window, upTo: most)
            return outcomes
        }
        isUncommitted = false
        return outcomes
    }

    package func reportExtent() throws(PlatformError) -> ReportExtent? {
        try transaction { database in
            let first = try database.row("SELECT number, received_at FROM reports ORDER BY number LIMIT 1") { row in
                (number: try row[0] as Int64, receivedAt: try row[1] as Timestamp)
            }
            guard let first, let last = try database.lastReportNumber() else { return nil }
            let forgotten: Timestamp? = try database.value("SELECT received_at FROM report_ids_forgotten")
            return ReportExtent(count: Int(last - first.number + 1), oldest: first.receivedAt, forgotten: forgotten)
        }
    }
}

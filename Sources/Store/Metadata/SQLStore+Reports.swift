package import Domain
package import Ground

extension SQLStore {
    package func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) throws(PlatformError) -> [ReportOutcome] {
        try transaction { database in
            for app in Set(reports.map(\.app)) { try database.requireApp(app) }
            let outcomes = try reports.map { try database.insert($0, at: now) }
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
    fileprivate func insert(_ report: Report, at now: Timestamp) throws -> ReportOutcome {
        // One report must not fail the others of its batch.
        guard [report.deviceID, report.eventID, report.event].allSatisfy(dialect.canStore) else { return .ignored }
        guard let name = VersionString(report.version), let package = try packageNumber(report.package, in: report.app),
            let version = try versionNumber(name, of: package), try hasRoom(for: report.event, of: package, at: now)
        else { return .ignored }
        let rows = try execute(
            """
            INSERT INTO reports (app, device, event_id, version, event, time, received_at, details)
            VALUES (
                \(report.app), \(report.deviceID), \(report.eventID), \(version), \(report.event), \(report.time),
                \(now), \(JSON.object(report.details))
            ) ON CONFLICT (app, device, event_id) DO NOTHING
            """)
        guard rows > 0 else { return .known }
        try execute(
            """
            INSERT INTO report_events (package, name, counted_at) VALUES (\(package), \(report.event), \(now))
            ON CONFLICT DO NOTHING
            """)
        return .stored
    }

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

    /// Whether a package may have events of this name; removes a name that has aged out if there is no room.
    private func hasRoom(for event: String, of package: Int64, at now: Timestamp) throws -> Bool {
        guard !Report.namedEvents.contains(event) else { return true }
        let key: SQL = "package = \(package) AND name = \(event)"
        if let known: Timestamp = try value("SELECT counted_at FROM report_events WHERE \(key)") {
            if EventNames.isRenewed(known, at: now) {
                try execute("UPDATE report_events SET counted_at = \(now) WHERE \(key)")
            }
            return true
        }
        let names = try rows(
            "SELECT name, counted_at FROM report_events WHERE package = \(package) ORDER BY counted_at"
        ) { row in (name: try row[0] as String, countedAt: try row[1] as Timestamp) }
        switch EventNames.admission(beside: names, at: now) {
        case .admitted: return true
        case .replacing(let aged):
            try execute("DELETE FROM report_events WHERE package = \(package) AND name = \(aged)")
            return true
        case .refused: return false
        }
    }
}

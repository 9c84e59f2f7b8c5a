package import Domain

extension SQLiteStore {
    package func insertReports(_ reports: [Report], at now: Timestamp) throws(PlatformError) -> [ReportOutcome] {
        try transaction { database in
            for app in Set(reports.map(\.app)) { try database.requireApp(app) }
            return try reports.map { try database.insert($0, at: now) }
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
        guard let name = VersionString(report.version), let package = try packageNumber(report.package, in: report.app),
            let version = try versionNumber(name, of: package), try hasRoom(for: report.event, of: package)
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
            "INSERT INTO report_events (package, name) VALUES (\(package), \(report.event)) ON CONFLICT DO NOTHING")
        return .stored
    }

    /// Whether a package may have events of this name.
    private func hasRoom(for event: String, of package: Int64) throws -> Bool {
        guard !Report.namedEvents.contains(event) else { return true }
        let names: [String] = try values("SELECT name FROM report_events WHERE package = \(package)")
        return names.contains { $0.utf8.elementsEqual(event.utf8) }
            || names.count { !Report.namedEvents.contains($0) } < Report.maximumOtherEvents
    }
}

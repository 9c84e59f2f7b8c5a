package import Domain

extension SQLiteStore {
    package func insertReports(_ reports: [Report], at now: Timestamp) throws(PlatformError) -> Int {
        try transaction { database in
            for app in Set(reports.map(\.app)) { try database.requireApp(app) }
            return try reports.reduce(0) { count, report in
                try count
                    + database.execute(
                        """
                        INSERT INTO reports
                            (app, device, event_id, package, version, event, time, received_at, details)
                        VALUES (
                            \(report.app), \(report.deviceID), \(report.eventID), \(report.package),
                            \(report.version), \(report.event), \(report.time), \(now),
                            \(JSON.object(report.details))
                        ) ON CONFLICT (app, device, event_id) DO NOTHING
                        """)
            }
        }
    }

    package func reportCounts(of package: PackageID, in app: AppID) throws(PlatformError) -> [ReportCount] {
        try transaction { database in
            try database.rows(
                """
                SELECT version, event, count(*), count(DISTINCT device) FROM reports
                WHERE app = \(app) AND package = \(package)
                GROUP BY version, event ORDER BY version, event
                """
            ) { row in
                ReportCount(version: try row[0], event: try row[1], reports: try row[2], devices: try row[3])
            }
        }
    }
}

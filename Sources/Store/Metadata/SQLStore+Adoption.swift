package import Domain
import Ground

extension SQLStore {
    package func noteSeenDay(
        _ day: UInt16
    ) throws(PlatformError) -> (calendar: SeenCalendar, uncounted: Set<SeenChannel>) {
        try transaction { database in
            try database.execute("INSERT INTO seen_days (day) VALUES (\(Int(day))) ON CONFLICT DO NOTHING")
            let uncounted = try database.rows(
                "SELECT app, channel FROM seen_places WHERE counted_on IS NULL OR counted_on <> \(Int(day))"
            ) { row in SeenChannel(app: try row[0], channel: try row[1]) }
            let calendar = try database.seenCalendar()
            guard !calendar.isBehind(on: day) else { return (calendar, Set(uncounted)) }
            // The days of a clock that was ahead.
            try database.execute("DELETE FROM seen_days WHERE day > \(Int(day) + SeenCalendar.daysAhead)")
            try database.execute(
                """
                DELETE FROM seen_days WHERE day < (
                    SELECT min(day) FROM (
                        SELECT day FROM seen_days ORDER BY day DESC LIMIT \(SeenCalendar.adoptionDays)) AS kept)
                """)
            return (try database.seenCalendar(), Set(uncounted))
        }
    }

    package func noteAdoption(
        _ versions: [PackageID: [VersionString: Int]], in channel: SeenChannel, on day: UInt16
    ) throws(PlatformError) {
        try transaction { database in
            for (package, counts) in versions {
                guard let number = try database.packageNumber(package, in: channel.app) else { continue }
                for (version, devices) in counts {
                    guard let version = try database.versionNumber(version, of: number) else { continue }
                    try database.execute(
                        """
                        INSERT INTO adoption (version, channel, day, devices)
                        VALUES (\(version), \(channel.channel), \(Int(day)), \(devices))
                        ON CONFLICT (version, channel, day) DO UPDATE SET devices = excluded.devices
                        """)
                }
            }
            try database.execute(
                """
                UPDATE seen_places SET counted_on = \(Int(day))
                WHERE app = \(channel.app) AND channel = \(channel.channel)
                """)
        }
    }

    package func adoptionDays(
        of package: PackageID, in channel: SeenChannel
    ) throws(PlatformError) -> [AdoptionDay] {
        try transaction { database in
            try database.rows(
                """
                SELECT day, versions.version, devices FROM adoption JOIN versions ON versions.number = adoption.version
                WHERE versions.package = \(try database.packageNumber(package, in: channel.app))
                    AND channel = \(channel.channel)
                ORDER BY day DESC, devices DESC, versions.version LIMIT \(AdoptionDay.maximumRows)
                """
            ) { row in
                AdoptionDay(day: UInt16(clamping: try row[0] as Int), version: try row[1], devices: try row[2])
            }
        }
    }

    package func publishedVersions(of app: AppID) throws(PlatformError) -> [PackageID: Set<VersionString>] {
        try transaction { database in
            try database.rows(
                """
                SELECT packages.id, versions.version FROM versions JOIN packages ON packages.number = versions.package
                WHERE packages.app = \(app)
                """
            ) { row in (package: try row[0] as PackageID, version: try row[1] as VersionString) }
            .reduce(into: [:]) { $0[$1.package, default: []].insert($1.version) }
        }
    }

    package func installationReports(
        of package: PackageID, in app: AppID, before number: Int64?, examining count: Int
    ) throws(PlatformError) -> InstallationReport.Page {
        try transaction { database in
            let end = try number ?? (database.lastReportNumber() ?? 0) + 1
            let first: Int64? = try database.value("SELECT number FROM reports ORDER BY number LIMIT 1")
            guard let first, first < end else { return InstallationReport.Page(reports: [], next: nil) }
            let start = max(first, end - Int64(count))
            let reports = try database.rows(
                """
                SELECT device, versions.version, event, details FROM reports
                JOIN versions ON versions.number = reports.version
                WHERE reports.number >= \(start) AND reports.number < \(end)
                    AND versions.package = \(try database.packageNumber(package, in: app))
                ORDER BY reports.number DESC
                """
            ) { row in
                let details: JSON = try row[3]
                return InstallationReport(
                    device: try row[0], version: try row[1], event: try row[2],
                    reason: ReportFacts(details.members ?? []).reason)
            }
            return InstallationReport.Page(reports: reports, next: start > first ? start : nil)
        }
    }
}

extension Database {
    fileprivate func seenCalendar() throws -> SeenCalendar {
        let days: [Int] = try values("SELECT day FROM seen_days")
        return SeenCalendar(days.map { UInt16(clamping: $0) })
    }
}

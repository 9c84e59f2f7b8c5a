package import Domain
import Ground

extension SQLStore {
    package func reportCounts(of package: PackageID?, in app: AppID) throws(PlatformError) -> [ReportCount] {
        try transaction { database in
            let packages = SQL.packageNumbers(package, in: app)
            let versions = try database.reportedVersions(of: packages)
            let waiting = try database.waitingDevices(of: versions.keys)
            var counts = EventCounts()
            try database.each(
                """
                SELECT version, event, reports, devices FROM report_counts
                WHERE version IN (SELECT number FROM versions WHERE package IN (\(packages)))
                """
            ) { row in
                let key = EventCounts.Key(version: try row[0], event: ExactText(try row[1]))
                try counts.add(try row[2], from: try row[3] as Int, as: key)
            }
            try database.each(
                """
                SELECT report_totals.version, event, reports, device_count
                FROM versions JOIN report_totals ON report_totals.version = versions.number AND span = 'all-time'
                WHERE package IN (\(packages))
                """
            ) { row in
                let key = EventCounts.Key(version: try row[0], event: ExactText(try row[1]))
                // The set is read only if waiting reports may add devices to it.
                guard waiting[key] == nil else { return }
                try counts.add(try row[2], from: try row[3] as Int, as: key)
            }
            for (key, hashes) in waiting {
                let total = ReportTotal.Key(
                    version: key.version, span: .allTime, start: .init(milliseconds: 0), event: key.event.text)
                // One set at a time is in memory.
                let known = try database.totals("WHERE \(SQL.matches(total))").first
                var devices = DeviceUnion()
                if let known { devices.insert(known.devices) }
                devices.insert(DeviceSketch(hashes))
                try counts.add((known?.reports ?? 0) + hashes.count, from: devices.sketch.count, as: key)
            }
            return counts.list(versions)
        }
    }

    package func reportSelection(
        of package: PackageID?, in app: AppID, _ query: ReportQuery
    ) throws(PlatformError) -> ReportSelection {
        try transaction { database in
            let packages = SQL.packageNumbers(package, in: app)
            let versions = try database.reportedVersions(of: packages)
            let chosen = versions.filter { _, own in
                (query.filters[.package] ?? own.package.text) == own.package.text
                    && (query.filters[.version] ?? own.version) == own.version
            }
            let progress = try database.row("SELECT revision, received_at FROM report_progress") { row in
                (revision: try row[0] as Int64, receivedAt: try row[1] as Timestamp)
            }
            var ranges: [ReportSelection.Range] = []
            for part in query.parts where database.canSelect(query) {
                let numbers: [Int64] = try database.values(
                    """
                    SELECT number FROM versions
                    WHERE package IN (\(packages)) AND EXISTS (
                        SELECT 1 FROM report_totals WHERE version = versions.number AND span = \(part.span)
                            AND start >= \(part.from) AND start < \(part.to)
                    ) ORDER BY number
                    """)
                ranges += numbers.filter { chosen[$0] != nil }.map { ReportSelection.Range(version: $0, part: part) }
            }
            return ReportSelection(
                query: query, versions: versions, revision: progress?.revision, aggregatedThrough: progress?.receivedAt,
                ranges: ranges,
                waiting: try database.reportBacklog(upTo: ReportSeries.maximumWaiting, of: Array(chosen.keys)))
        }
    }

    /// The ranges that one transaction reads at most if the query has filters.
    private static let filteredRanges = 16

    package func totals(
        of selection: ReportSelection, from cursor: ReportCursor, upTo count: Int
    ) throws(PlatformError) -> ReportTotalPage? {
        try transaction { database in
            guard
                try selection.acceptsChanges
                    || database.value("SELECT revision FROM report_progress") == selection.revision
            else { return nil }
            var (totals, cursor): ([ReportTotal], ReportCursor) = ([], cursor)
            // An app may have many ranges whose totals the filters exclude.
            let end = cursor.range + (selection.query.filters.isEmpty ? count : min(count, Self.filteredRanges))
            while cursor.range < selection.ranges.count {
                let rest = count - totals.count
                guard rest > 0, cursor.range < end else { return ReportTotalPage(totals: totals, next: cursor) }
                let found = try database.totals(
                    of: selection.query, in: selection.ranges[cursor.range], after: cursor.key, upTo: rest)
                totals += found
                cursor =
                    found.count < rest
                    ? ReportCursor(range: cursor.range + 1, key: nil)
                    : ReportCursor(range: cursor.range, key: found.last?.key)
            }
            return ReportTotalPage(totals: totals, next: nil)
        }
    }
}

/// The numbers of reports and devices by version and event.
private struct EventCounts {
    struct Key: Hashable {
        let version: Int64
        let event: ExactText
    }

    private struct Sum {
        var reports = 0
        var devices = 0
    }

    private var sums: [Key: Sum] = [:]

    mutating func add(_ reports: Int, from devices: Int, as key: Key) throws(PlatformError) {
        sums[key, default: Sum()].reports += reports
        sums[key, default: Sum()].devices += devices
        guard sums.count <= ReportSeries.maximumTotals else { throw ReportSeries.LimitError.totals.platformError }
    }

    func list(_ versions: [Int64: ReportedVersion]) -> [ReportCount] {
        sums.compactMap { key, sum in
            guard let version = versions[key.version] else { return nil }
            // An estimate may exceed the reports, which devices never outnumber.
            return ReportCount(
                version: version, event: key.event.text, reports: sum.reports,
                devices: min(sum.reports, sum.devices))
        }.sorted { one, other in
            one.version == other.version
                ? one.event.utf8.lexicographicallyPrecedes(other.event.utf8) : one.version < other.version
        }
    }
}

extension Database {
    /// Returns the hashes of the devices of the reports about versions, among the oldest ones that are not aggregated.
    fileprivate func waitingDevices(of versions: some Sequence<Int64>) throws -> [EventCounts.Key: [UInt64]] {
        let (hasher, after) = (try deviceHasher(), try aggregatedNumber())
        var devices: [EventCounts.Key: [UInt64]] = [:]
        try each(
            """
            SELECT version, event, device FROM reports
            WHERE number > \(after) AND number <= \(after + Int64(ReportSeries.maximumWaiting))
                AND version IN \(dialect.integers(in: .array(versions.map { .integer($0) })))
            """
        ) { row in
            let key = EventCounts.Key(version: try row[0], event: ExactText(try row[1]))
            devices[key, default: []].append(hasher.hash(try row[2]))
        }
        return devices
    }

    /// Whether columns can hold the texts of a query's filters.
    fileprivate func canSelect(_ query: ReportQuery) -> Bool { query.filters.values.allSatisfy(dialect.canStore) }

    /// Returns the first totals of a range after a key that a query's filters accept, except event and reason.
    fileprivate func totals(
        of query: ReportQuery, in range: ReportSelection.Range, after key: ReportTotal.Key?, upTo count: Int
    ) throws -> [ReportTotal] {
        let part = range.part
        var filters: SQL = ""
        if let release = query.filters[.release].flatMap(Int64.init) { filters = "AND release = \(release)" }
        if let platform = query.filters[.platform] { filters = "\(filters) AND platform = \(platform)" }
        if let version = query.filters[.appVersion] { filters = "\(filters) AND app_version = \(version)" }
        var begin: SQL = "start >= \(part.from)"
        if let key {
            begin = """
                (start, event, release, reason, platform, app_version)
                > (\(key.start), \(key.event), \(key.release), \(key.reason), \(key.platform), \(key.appVersion))
                """
        }
        return try totals(
            """
            WHERE version = \(range.version) AND span = \(part.span) AND \(begin) AND start < \(part.to) \(filters)
            ORDER BY start, event, release, reason, platform, app_version LIMIT \(count)
            """)
    }
}

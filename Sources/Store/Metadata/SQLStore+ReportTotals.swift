package import Domain
package import Ground

extension SQLStore {
    package func reportBacklog(upTo count: Int) throws(PlatformError) -> ReportBacklog? {
        try transaction { try $0.reportBacklog(upTo: count) }
    }

    package func addTotals(of step: ReportStep) throws(PlatformError) -> [ReportTotal.Key] {
        try transaction { database in
            guard try database.aggregatedNumber() == step.after, try database.has(step.last) else {
                throw PlatformError(.conflict, "Another server has aggregated the reports, or they were erased.")
            }
            var stored = StoredTotals(in: database)
            let totals = try stored.admit(step.totals)
            try stored.add(totals)
            try stored.add(stored.admit(ReportFold.summaries(of: totals)))
            try stored.write()
            for (package, names) in step.names { try database.write(names, of: package) }
            try database.execute(
                """
                INSERT INTO report_progress ("only", through, received_at, revision)
                VALUES (1, \(step.last.number), \(step.last.receivedAt), 1)
                ON CONFLICT ("only") DO UPDATE SET through = excluded.through, received_at = excluded.received_at,
                    revision = report_progress.revision + 1
                """)
            return stored.unreadable
        }
    }

    package func mergeHours(
        before end: Timestamp, upTo count: Int
    ) throws(PlatformError) -> (count: Int, unreadable: [ReportTotal.Key]) {
        try transaction { database in
            guard let oldest = try database.oldestTotal(of: "'hour'", before: end) else { return (0, []) }
            let day = ReportTotal.Span.day.start(of: oldest.start)
            let hours = try database.rows(
                """
                SELECT \(SQL.totalColumns) FROM report_totals
                WHERE version = \(oldest.version) AND span = 'hour' AND start >= \(day)
                    AND start < \(day.adding(milliseconds: 86_400_000)) LIMIT \(count)
                """
            ) { row in try row.readableTotal() }
            var days = ReportSums()
            for hour in hours { days.add(hour.total, as: hour.total.key.ofDay) }
            try database.executeAll(hours.map { "DELETE FROM report_totals WHERE \(SQL.matches($0.total.key))" as SQL })
            var stored = StoredTotals(in: database)
            try stored.add(days.totals)
            try stored.write()
            try database.noteChangedTotals()
            return (hours.count, hours.filter { !$0.isReadable }.map(\.total.key) + stored.unreadable)
        }
    }

    package func removeDays(keeping kept: Int) throws(PlatformError) -> Int {
        try transaction { database in
            let newest: Timestamp? = try database.value(
                """
                SELECT DISTINCT start FROM report_totals WHERE span = 'day-summary'
                ORDER BY start DESC LIMIT 1 OFFSET \(kept)
                """)
            guard let newest else { return 0 }
            var count = 0
            for span in ["'day'", "'day-summary'"] as [SQL] {
                guard let oldest = try database.oldestTotal(of: span, before: newest.adding(milliseconds: 1))
                else { continue }
                try database.noteChangedTotals()
                count += try database.execute(
                    """
                    DELETE FROM report_totals
                    WHERE version = \(oldest.version) AND span = \(span) AND start = \(oldest.start)
                    """)
            }
            return count
        }
    }

    package func reportProgress() throws(PlatformError) -> ReportProgress {
        try transaction { try $0.reportProgress() }
    }
}

extension Database {
    /// Returns the number of the last aggregated report.
    func aggregatedNumber() throws -> Int64 {
        try value("SELECT through FROM report_progress") ?? 0
    }

    /// Whether a report is stored as it was read.
    fileprivate func has(_ report: ArrivedReport) throws -> Bool {
        let found: Int? = try value(
            """
            SELECT 1 FROM reports WHERE number = \(report.number) AND device = \(report.device)
                AND event = \(report.event) AND time = \(report.time) AND received_at = \(report.receivedAt)
            """)
        return found != nil
    }

    /// Returns how far the aggregation has come.
    func reportProgress() throws -> ReportProgress {
        ReportProgress(stored: try lastReportNumber() ?? 0, aggregated: try aggregatedNumber())
    }

    func lastReportNumber() throws -> Int64? {
        try value("SELECT number FROM reports ORDER BY number DESC LIMIT 1")
    }

    /// Returns the oldest reports that are not aggregated, or those about some versions among them; `nil` if there are none.
    func reportBacklog(upTo count: Int, of versions: [Int64]? = nil) throws -> ReportBacklog? {
        let after = try aggregatedNumber()
        // Numbers may be missing, since reports were erased.
        let first: Int64? = try value("SELECT number FROM reports WHERE number > \(after) ORDER BY number LIMIT 1")
        guard let first else { return nil }
        var filter: SQL = ""
        if let versions {
            filter = "AND version IN \(dialect.integers(in: .array(versions.map { .integer($0) })))"
        }
        let reports = try rows(
            """
            SELECT number, version, event, device, time, received_at, details FROM reports
            WHERE number >= \(first) AND number < \(first + Int64(count)) \(filter) ORDER BY number
            """
        ) { row in
            ArrivedReport(
                number: try row[0], version: try row[1], event: try row[2], device: try row[3], time: try row[4],
                receivedAt: try row[5], details: try row[6])
        }
        guard !reports.isEmpty else { return nil }
        let reported = JSON.array(Set(reports.map(\.version)).map { .integer($0) })
        let packages = Dictionary(
            uniqueKeysWithValues: try rows(
                "SELECT number, package FROM versions WHERE number IN \(dialect.integers(in: reported))"
            ) { row in (try row[0] as Int64, try row[1] as Int64) })
        var names: [Int64: ReportNames] = [:]
        for package in Set(packages.values) { names[package] = try reportNames(of: package) }
        return ReportBacklog(
            after: after, reports: reports, packages: packages, names: names, hasher: try deviceHasher())
    }

    /// Returns the hashes of device ids in this installation.
    func deviceHasher() throws -> DeviceHasher {
        guard let hasher = DeviceHasher(key: try deviceKey()) else { throw Self.unreadableDeviceKey }
        return hasher
    }

    /// Returns the secret of the installation that hides device ids.
    func deviceKey() throws -> [UInt8] {
        let key: [UInt8]? = try value("SELECT device_key FROM meta")
        guard let key else { throw Self.unreadableDeviceKey }
        return key
    }

    private static var unreadableDeviceKey: DatabaseError {
        .unreadable("column device_key", statement: "SELECT device_key FROM meta")
    }

    fileprivate func reportNames(of package: Int64) throws -> ReportNames {
        var used: [ReportLabelKind: [String: Timestamp]] = [:]
        try rows("SELECT kind, name, used_at FROM report_labels WHERE package = \(package)") { row in
            (kind: try row[0] as ReportLabelKind, name: try row[1] as String, usedAt: try row[2] as Timestamp)
        }.forEach { used[$0.kind, default: [:]][$0.name] = $0.usedAt }
        let releases: [Int64] = try values("SELECT id FROM releases WHERE package = \(package)")
        let builds: [String] = try values(
            "SELECT app_version FROM builds WHERE app = (SELECT app FROM packages WHERE number = \(package))")
        let labels = ReportLabelKind.allCases.map { kind in
            (kind, ReportLabels(kind, used: used[kind] ?? [:], registered: kind == .appVersion ? Set(builds) : []))
        }
        return ReportNames(labels: Dictionary(uniqueKeysWithValues: labels), releases: Set(releases))
    }

    /// Notes that totals have changed, for queries that are reading them.
    fileprivate func noteChangedTotals() throws {
        try execute("UPDATE report_progress SET revision = revision + 1")
    }

    /// Returns the version and the start of the oldest total of a span before an instant.
    fileprivate func oldestTotal(of span: SQL, before end: Timestamp) throws -> (version: Int64, start: Timestamp)? {
        try row(
            """
            SELECT version, start FROM report_totals WHERE span = \(span) AND start < \(end) ORDER BY start LIMIT 1
            """
        ) { row in (version: try row[0], start: try row[1]) }
    }

    /// Stores the changes of a package's names.
    fileprivate func write(_ names: ReportNames, of package: Int64) throws {
        for (kind, labels) in names.labels {
            for (name, usedAt) in labels.changes {
                guard let usedAt else {
                    try execute(
                        "DELETE FROM report_labels WHERE package = \(package) AND kind = \(kind) AND name = \(name)")
                    continue
                }
                try execute(
                    """
                    INSERT INTO report_labels (package, kind, name, used_at) VALUES (\(package), \(kind), \(name), \(usedAt))
                    ON CONFLICT (package, kind, name) DO UPDATE SET used_at = excluded.used_at
                    """)
            }
        }
    }

    /// Returns the totals that the end of a statement selects.
    func totals(_ end: SQL) throws -> [ReportTotal] {
        try rows("SELECT \(SQL.totalColumns) FROM report_totals \(end)") { row in try row.total(with: row.totalKey()) }
    }

    /// Returns the versions of packages by their numbers.
    ///
    /// - Parameter packages: The selection of the packages' numbers.
    func reportedVersions(of packages: SQL) throws -> [Int64: ReportedVersion] {
        let rows = try rows(
            """
            SELECT versions.number, packages.id, version FROM versions
            JOIN packages ON packages.number = versions.package WHERE packages.number IN (\(packages))
            """
        ) { row in (try row[0] as Int64, ReportedVersion(package: try row[1], version: try row[2])) }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension SQL {
    /// Selects the number of a package, or those of all packages of an app.
    static func packageNumbers(_ package: PackageID?, in app: AppID) -> SQL {
        guard let package else { return "SELECT number FROM packages WHERE app = \(app)" }
        return "SELECT number FROM packages WHERE app = \(app) AND folded = \(package.folded) AND id = \(package)"
    }

    static let totalColumns: SQL =
        "version, span, start, event, release, reason, platform, app_version, reports, corrected, devices, durations"

    /// Returns the condition of the total with a key.
    static func matches(_ key: ReportTotal.Key) -> SQL {
        """
        version = \(key.version) AND span = \(key.span) AND start = \(key.start) AND event = \(key.event)
        AND release = \(key.release) AND reason = \(key.reason) AND platform = \(key.platform)
        AND app_version = \(key.appVersion)
        """
    }
}

extension Row {
    /// Returns the key of a total, whose columns are the first ones.
    borrowing func totalKey() throws -> ReportTotal.Key {
        ReportTotal.Key(
            version: try self[0], span: try self[1], start: try self[2], event: try self[3], release: try self[4],
            reason: try self[5], platform: try self[6], appVersion: try self[7])
    }

    /// Returns the total behind its key.
    borrowing func total(with key: ReportTotal.Key) throws -> ReportTotal {
        let (total, isReadable) = try readableTotal()
        guard isReadable else { throw unreadable(10) }
        return total
    }
}

extension Row {
    /// Returns the total in the row, and whether its set and its distribution could be read; otherwise they are empty.
    borrowing func readableTotal() throws -> (total: ReportTotal, isReadable: Bool) {
        let devices = DeviceSketch(bytes: try self[10])
        let durations = (try self[11] as [UInt8]?).map(DurationSketch.init(bytes:)) ?? DurationSketch()
        let total = ReportTotal(
            key: try totalKey(), reports: try self[8], corrected: try self[9], devices: devices ?? DeviceSketch(),
            durations: durations ?? DurationSketch())
        return (total, devices != nil && durations != nil)
    }
}

extension ReportTotal.Span: SQLConvertible {
    package var sqlValue: SQLValue { .text(rawValue) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(rawValue: text)
    }
}

extension ReportLabelKind: SQLConvertible {
    package var sqlValue: SQLValue { .text(rawValue) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(rawValue: text)
    }
}

import Domain
import Ground

/// The totals that a transaction changes: each is read once, changed in memory and written once.
struct StoredTotals {
    private struct Day: Hashable {
        let version: Int64
        let isSummary: Bool
        let start: Timestamp

        init(of key: ReportTotal.Key) {
            version = key.version
            isSummary = key.span == .daySummary
            start = ReportTotal.Span.day.start(of: key.start)
        }
    }

    private let database: Database
    /// The totals by key; `nil` for a key that the table lacks.
    private var known: [ReportTotal.Key: ReportTotal?] = [:]
    private var changed: Set<ReportTotal.Key> = []
    /// The numbers of summaries, and of totals of hours and days.
    private var counts: [Day: Int] = [:]
    /// The keys of totals of which only the numbers of reports could be read.
    private(set) var unreadable: [ReportTotal.Key] = []

    init(in database: Database) {
        self.database = database
    }

    /// Returns the totals by the keys under which they count.
    mutating func admit(_ totals: [ReportTotal]) throws -> [ReportTotal] {
        try read(totals.map(\.key))
        let new = totals.map(\.key).filter { $0.span != .allTime && !has($0) }
        for (day, keys) in Dictionary(grouping: new, by: Day.init) {
            let count = try count(of: day)
            counts[day] = count
            if count + keys.count > keys[0].capacity(ofStage: 0) { try read(keys.flatMap(\.stages)) }
        }
        var (sums, admitted) = (ReportSums(), Set<ReportTotal.Key>())
        for total in totals {
            let key = admissible(total.key, beside: admitted)
            admitted.insert(key)
            sums.add(total, as: key)
        }
        return sums.totals
    }

    /// Returns the first stage of a key that exists or is within the capacity.
    private mutating func admissible(
        _ key: ReportTotal.Key, beside admitted: Set<ReportTotal.Key>
    ) -> ReportTotal.Key {
        let (day, stages) = (Day(of: key), key.stages)
        for (index, stage) in stages.enumerated() {
            if has(stage) || admitted.contains(stage) { return stage }
            if counts[day, default: 0] < stage.capacity(ofStage: index) || index == stages.count - 1 {
                counts[day, default: 0] += 1
                return stage
            }
        }
        return key
    }

    private func has(_ key: ReportTotal.Key) -> Bool { known[key].flatMap(\.self) != nil }

    private func count(of day: Day) throws -> Int {
        let count: Int? = try database.value(
            """
            SELECT count(*) FROM report_totals
            WHERE version = \(day.version) AND start >= \(day.start)
                AND \(day.isSummary ? "span = 'day-summary'" : "span IN ('hour', 'day')" as SQL)
                AND start < \(day.start.adding(milliseconds: 86_400_000))
            """)
        return count ?? 0
    }

    /// Adds totals, each with another key, to the stored ones.
    mutating func add(_ totals: [ReportTotal]) throws {
        try read(totals.map(\.key))
        for var total in totals {
            if let sum = known[total.key].flatMap(\.self) { total.merge(sum) }
            known[total.key] = total
            changed.insert(total.key)
        }
    }

    /// Writes the changed totals.
    func write() throws {
        try database.executeAll(changed.compactMap { known[$0].flatMap(\.self).map(Self.insertion) })
    }

    private static func insertion(of total: ReportTotal) -> SQL {
        let (key, durations) = (total.key, total.durations.isEmpty ? nil : total.durations.bytes)
        return """
            INSERT INTO report_totals (version, span, start, event, release, reason, platform, app_version,
                reports, corrected, device_count, devices, durations)
            VALUES (
                \(key.version), \(key.span), \(key.start), \(key.event), \(key.release), \(key.reason), \(key.platform),
                \(key.appVersion), \(total.reports), \(total.corrected), \(total.devices.count), \(total.devices.bytes),
                \(durations)
            ) ON CONFLICT (version, span, start, event, release, reason, platform, app_version) DO UPDATE SET
                reports = excluded.reports, corrected = excluded.corrected, device_count = excluded.device_count,
                devices = excluded.devices, durations = excluded.durations
            """
    }

    // MARK: Reading

    /// Reads the totals with keys that are not known yet.
    private mutating func read(_ keys: [ReportTotal.Key]) throws {
        let keys = Array(Set(keys.filter { known[$0] == nil }))
        guard !keys.isEmpty else { return }
        for key in keys { known[key] = .some(nil) }
        switch database.dialect {
        case .sqlite:
            for key in keys { try read("SELECT \(SQL.totalColumns) FROM report_totals WHERE \(SQL.matches(key))") }
        case .postgreSQL: try readTogether(keys)
        }
    }

    /// Reads totals by one statement, which looks each key up in the primary key.
    private mutating func readTogether(_ keys: [ReportTotal.Key]) throws {
        func column(_ value: (ReportTotal.Key) -> JSON) -> JSON { .array(keys.map(value)) }
        try read(
            """
            SELECT found.* FROM ROWS FROM (
                json_array_elements_text(\(column { .integer($0.version) })::json),
                json_array_elements_text(\(column { .string($0.span.rawValue) })::json),
                json_array_elements_text(\(column { .integer($0.start.milliseconds) })::json),
                json_array_elements_text(\(column { .string($0.event) })::json),
                json_array_elements_text(\(column { .integer($0.release) })::json),
                json_array_elements_text(\(column { .string($0.reason) })::json),
                json_array_elements_text(\(column { .string($0.platform) })::json),
                json_array_elements_text(\(column { .string($0.appVersion) })::json)
            ) AS given (version, span, start, event, release, reason, platform, app_version)
            CROSS JOIN LATERAL (
                SELECT \(SQL.totalColumns) FROM report_totals AS kept
                WHERE kept.version = given.version::bigint AND kept.span = given.span
                    AND kept.start = given.start::bigint AND kept.event = given.event
                    AND kept.release = given.release::bigint AND kept.reason = given.reason
                    AND kept.platform = given.platform AND kept.app_version = given.app_version
                LIMIT 1
            ) AS found
            """)
    }

    private mutating func read(_ sql: SQL) throws {
        for (total, isReadable) in try database.rows(sql, { row in try row.readableTotal() }) {
            known[total.key] = total
            if !isReadable { unreadable.append(total.key) }
        }
    }
}

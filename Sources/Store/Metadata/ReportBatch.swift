import Domain
import Ground

/// The insertion of a batch of reports, with cached lookups and few statements.
struct ReportBatch {
    private let database: Database
    private let now: Timestamp
    /// The filters of stored reports and kept ids; `nil` before the first use.
    private(set) var filters: ReportFilters?
    private var versions: [VersionName: VersionNumbers?] = [:]
    /// The events in `report_events` with the times at which they were recorded, by package.
    private var known: [Int64: [ExactText: Timestamp]] = [:]
    /// The reports whose insertion waits for others, with the indexes of their outcomes.
    private var waiting: [Waiting] = []
    private var outcomes: [ReportOutcome] = []

    private struct VersionName: Hashable {
        let app: AppID
        let package: PackageID
        let version: ExactText
    }

    /// The numbers of a version's rows.
    private struct VersionNumbers {
        let package: Int64
        let version: Int64
    }

    private struct Waiting {
        let index: Int
        let report: Report
        /// The event under which the report is stored.
        let event: String
        /// Whether the event was in `report_events` when the report was read.
        let isEventKnown: Bool
        let numbers: VersionNumbers
    }

    /// The identity of a report.
    private struct Identity: Hashable {
        let app: AppID
        let device: ExactText
        let eventID: ExactText
    }

    init(in database: Database, at now: Timestamp, filters: consuming ReportFilters?) {
        self.database = database
        self.now = now
        self.filters = filters
    }

    /// Inserts the reports in their order, and returns the outcome of each.
    mutating func insert(_ reports: [Report]) throws -> [ReportOutcome] {
        if let settings = database.dialect.planSettings { try database.execute(settings) }
        outcomes.reserveCapacity(reports.count)
        for report in reports { try add(report) }
        try flush()
        return outcomes
    }

    private mutating func add(_ report: Report) throws {
        let index = outcomes.count
        outcomes.append(.unstorable)
        // One report must not fail the others of its batch.
        guard database.dialect.canStore(report.deviceID), database.dialect.canStore(report.eventID),
            database.dialect.canStore(report.event)
        else { return }
        guard let numbers = try numbers(of: report) else {
            outcomes[index] = .unknownVersion
            return
        }
        let isNew = try !EventNames.isExempt(report.event) && !isRecorded(report.event, of: numbers.package)
        var event = report.event
        // A new name is never among the waiting ones, so all names count against the limit.
        if try isNew && !hasRoom(for: event, of: numbers.package) { event = ReportTotal.other }
        let isEventKnown = try names(of: numbers.package)[ExactText(event)] != nil
        waiting.append(
            Waiting(index: index, report: report, event: event, isEventKnown: isEventKnown, numbers: numbers))
        // A new name is in the table before the next one is compared with the limit.
        if isNew && event == report.event { try flush() }
    }

    private mutating func numbers(of report: Report) throws -> VersionNumbers? {
        let name = VersionName(app: report.app, package: report.package, version: ExactText(report.version))
        if let known = versions[name] { return known }
        var numbers: VersionNumbers?
        if let version = VersionString(report.version),
            let package = try database.packageNumber(report.package, in: report.app),
            let number = try database.versionNumber(version, of: package)
        {
            numbers = VersionNumbers(package: package, version: number)
        }
        versions[name] = .some(numbers)
        return numbers
    }

    /// Inserts the waiting reports, and the names of their events.
    private mutating func flush() throws {
        guard !waiting.isEmpty else { return }
        switch database.dialect {
        case .sqlite: try insertByRow()
        case .postgreSQL: try insertTogether()
        }
        for entry in waiting where outcomes[entry.index] == .stored {
            let (package, name) = (entry.numbers.package, entry.event)
            if name != entry.report.event { outcomes[entry.index] = .storedAsOther }
            if entry.isEventKnown { continue }
            guard try names(of: package)[ExactText(name)] == nil else { continue }
            try database.execute(
                """
                INSERT INTO report_events (package, name, counted_at) VALUES (\(package), \(name), \(now))
                ON CONFLICT DO NOTHING
                """)
            known[package]?[ExactText(name)] = now
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private mutating func insertByRow() throws {
        // The newest reports may have been deleted since they were aggregated. The numbers of aggregated reports are never
        // used again.
        let before = try max(database.lastReportNumber() ?? 0, database.aggregatedNumber())
        var last = before
        // Others are: of reports that were erased before they were aggregated, or whose transaction was rolled back.
        var filters = try self.filters.take() ?? ReportFilters(database)
        // Also after a failure, since marks of reports that are not stored do no harm.
        defer { self.filters = filters }
        try filters.loadStored(from: database, lastNumber: before)
        try filters.loadKept(from: database)
        for entry in waiting {
            let report = entry.report
            let hash = filters.hash(report)
            guard try !filters.isKnown(report, hash, before: last + 1, in: database) else {
                outcomes[entry.index] = .known
                continue
            }
            // Interpolation would build the same text for each report.
            let statement = SQL(
                text: Self.insertion,
                values: [
                    .integer(last + 1), .text(report.app.text), .text(report.deviceID), .text(report.eventID),
                    .integer(entry.numbers.version), .text(entry.event), .integer(report.time.milliseconds),
                    .integer(now.milliseconds), .text(report.details),
                ])
            let count = try database.execute(statement)
            guard count > 0 else {
                outcomes[entry.index] = .known
                continue
            }
            outcomes[entry.index] = .stored
            last += 1
            filters.insert(hash, at: last)
        }
        try filters.store(in: database, from: before, through: last)
    }

    private static let insertion = """
        INSERT INTO reports (number, app, device, event_id, version, event, time, received_at, details)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number >> 16, app, device, event_id) DO NOTHING
        """

    /// Inserts all reports by one statement, which numbers those that the table lacks and returns their places.
    ///
    /// No other transaction inserts reports meanwhile.
    private mutating func insertTogether() throws {
        var identities: Set<Identity> = []
        var first: [Waiting] = []
        for entry in waiting {
            let report = entry.report
            outcomes[entry.index] = .known
            let identity = Identity(
                app: report.app, device: ExactText(report.deviceID), eventID: ExactText(report.eventID))
            if identities.insert(identity).inserted { first.append(entry) }
        }
        first = try withoutKeptIDs(first)
        guard !first.isEmpty else { return }
        func column(_ value: (Waiting) -> JSON) -> JSON { .array(first.map(value)) }
        let stored: [Int] = try database.values(
            """
            WITH given AS MATERIALIZED (
                SELECT place, app, device, event_id, version::bigint, event, time::bigint, details FROM ROWS FROM (
                    json_array_elements_text(\(column { .string($0.report.app.text) })::json),
                    json_array_elements_text(\(column { .string($0.report.deviceID) })::json),
                    json_array_elements_text(\(column { .string($0.report.eventID) })::json),
                    json_array_elements_text(\(column { .integer($0.numbers.version) })::json),
                    json_array_elements_text(\(column { .string($0.event) })::json),
                    json_array_elements_text(\(column { .integer($0.report.time.milliseconds) })::json),
                    json_array_elements_text(\(column { .string($0.report.details) })::json)
                ) WITH ORDINALITY AS columns (app, device, event_id, version, event, time, details, place)
            ), fresh AS MATERIALIZED (
                SELECT given.*, greatest((SELECT max(number) FROM reports), \(try database.aggregatedNumber()), 0)
                    + row_number() OVER (ORDER BY place) AS number
                FROM given WHERE (
                    SELECT 1 FROM reports AS kept
                    WHERE kept.app = given.app AND kept.device = given.device AND kept.event_id = given.event_id
                    LIMIT 1
                ) IS NULL
            ), added AS (
                INSERT INTO reports (number, app, device, event_id, version, event, time, received_at, details)
                SELECT number, app, device, event_id, version, event, time, \(now), details FROM fresh ORDER BY number
            )
            SELECT place FROM fresh
            """)
        for place in stored { outcomes[first[place - 1].index] = .stored }
    }

    /// Returns the reports whose ids are not kept, with PostgreSQL.
    private mutating func withoutKeptIDs(_ entries: [Waiting]) throws -> [Waiting] {
        var filters = try self.filters.take() ?? ReportFilters(database)
        defer { self.filters = filters }
        try filters.loadKept(from: database)
        let known = try filters.indexesOfKeptIDs(entries.map { filters.hash($0.report) }, in: database)
        return entries.indices.filter { !known.contains($0) }.map { entries[$0] }
    }

    /// Returns the events of a package in `report_events`, which are read once.
    private mutating func names(of package: Int64) throws -> [ExactText: Timestamp] {
        if let names = known[package] { return names }
        let rows = try database.rows("SELECT name, counted_at FROM report_events WHERE package = \(package)") { row in
            (ExactText(try row[0]), try row[1] as Timestamp)
        }
        let names = Dictionary(uniqueKeysWithValues: rows)
        known[package] = names
        return names
    }

    /// Whether `report_events` has an event; records once a day that it is used.
    private mutating func isRecorded(_ name: String, of package: Int64) throws -> Bool {
        guard let countedAt = try names(of: package)[ExactText(name)] else { return false }
        if EventNames.isRenewed(countedAt, at: now) {
            try database.execute(
                "UPDATE report_events SET counted_at = \(now) WHERE package = \(package) AND name = \(name)")
            known[package]?[ExactText(name)] = now
        }
        return true
    }

    /// Whether a package may have a further event; removes one that has aged out if there is no room.
    private mutating func hasRoom(for name: String, of package: Int64) throws -> Bool {
        let names = try names(of: package).map { (name: $0.key.text, countedAt: $0.value) }
            .sorted { one, other in
                one.countedAt == other.countedAt
                    ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8) : one.countedAt < other.countedAt
            }
        switch EventNames.admission(beside: names, at: now) {
        case .admitted: return true
        case .replacing(let aged):
            try database.execute("DELETE FROM report_events WHERE package = \(package) AND name = \(aged)")
            known[package]?[ExactText(aged)] = nil
            return true
        case .refused: return false
        }
    }

    // MARK: The window

    /// Removes the oldest reports that are outside of the window, at most `most` of them, and keeps the ids of young ones.
    mutating func removeReports(outside window: ReportWindow, upTo most: Int) throws {
        var filters = try self.filters.take() ?? ReportFilters(database)
        defer { self.filters = filters }
        try filters.loadKept(from: database)
        if let leaving = try database.reportsLeaving(window, at: now, upTo: most) {
            try filters.keepIDs(of: leaving, in: database, at: now, keeping: window)
            try database.execute("DELETE FROM reports WHERE number < \(leaving.upperBound)")
        }
        try filters.forgetIDs(in: database, at: now, keeping: window)
    }
}

extension Database {
    /// Returns the numbers of the oldest reports that are outside of the window, at most `most` of them.
    ///
    /// Selects by number, in the order of arrival, so that only these rows and one more are read. A report that was
    /// received while the clock was ahead therefore delays the deletion of later ones, up to the maximum number of
    /// rows. Reports that are not aggregated stay.
    fileprivate func reportsLeaving(_ window: ReportWindow, at now: Timestamp, upTo most: Int) throws -> Range<Int64>? {
        let ends = try row("SELECT (SELECT min(number) FROM reports), (SELECT max(number) FROM reports)") { row in
            (first: try row[0] as Int64?, last: try row[1] as Int64?)
        }
        guard let first = ends?.first, let last = ends?.last else { return nil }
        let end = first + Int64(most)
        let firstYoung: Int64? = try value(
            """
            SELECT number FROM reports WHERE number < \(end) AND received_at >= \(window.oldest(at: now))
            ORDER BY number LIMIT 1
            """)
        let firstKept = max(firstYoung ?? end, last - Int64(window.rows) + 1)
        let firstWaiting = try aggregatedNumber() + 1
        let firstStaying = min(firstKept, end, firstWaiting)
        return first < firstStaying ? first..<firstStaying : nil
    }
}

import Domain
import Ground

/// The insertion of a batch of reports, with cached lookups and few round trips.
struct ReportBatch {
    private let database: Database
    private let now: Timestamp
    private var versions: [VersionName: VersionNumbers?] = [:]
    /// The events known to be in `report_events`.
    private var known: Set<Event> = []
    /// The reports whose insertion waits for others, with the indexes of their outcomes.
    private var waiting: [(index: Int, report: Report, numbers: VersionNumbers)] = []
    private var outcomes: [ReportOutcome] = []

    private struct VersionName: Hashable {
        let app: AppID
        let package: PackageID
        let version: String
    }

    /// The numbers of a version's rows.
    private struct VersionNumbers {
        let package: Int64
        let version: Int64
    }

    private struct Event: Hashable {
        let package: Int64
        let name: String
    }

    init(in database: Database, at now: Timestamp) {
        self.database = database
        self.now = now
    }

    /// Inserts the reports in their order, and returns the outcome of each.
    mutating func insert(_ reports: [Report]) throws -> [ReportOutcome] {
        for report in reports { try add(report) }
        try flush()
        return outcomes
    }

    private mutating func add(_ report: Report) throws {
        let index = outcomes.count
        outcomes.append(.ignored)
        // One report must not fail the others of its batch.
        guard [report.deviceID, report.eventID, report.event].allSatisfy(database.dialect.canStore),
            let numbers = try numbers(of: report)
        else { return }
        let event = Event(package: numbers.package, name: report.event)
        if !Report.namedEvents.contains(report.event), !known.contains(event) {
            // The names that the waiting reports add count against the limit.
            try flush()
            guard try hasRoom(for: event) else { return }
        }
        waiting.append((index, report, numbers))
        // A new name is in the table before the next one is compared with the limit.
        if !Report.namedEvents.contains(report.event), !known.contains(event) { try flush() }
    }

    private mutating func numbers(of report: Report) throws -> VersionNumbers? {
        let name = VersionName(app: report.app, package: report.package, version: report.version)
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
        let counts = try database.executeAll(
            waiting.lazy.map { [now] _, report, numbers in
                """
                INSERT INTO reports (app, device, event_id, version, event, time, received_at, details)
                VALUES (
                    \(report.app), \(report.deviceID), \(report.eventID), \(numbers.version), \(report.event),
                    \(report.time), \(now), \(JSON.object(report.details))
                ) ON CONFLICT (app, device, event_id) DO NOTHING
                """
            })
        for ((index, report, numbers), count) in zip(waiting, counts) {
            outcomes[index] = count > 0 ? .stored : .known
            let event = Event(package: numbers.package, name: report.event)
            guard count > 0, known.insert(event).inserted else { continue }
            try database.execute(
                """
                INSERT INTO report_events (package, name, counted_at)
                VALUES (\(event.package), \(event.name), \(now)) ON CONFLICT DO NOTHING
                """)
        }
        waiting = []
    }

    /// Whether a package may have events of this name; removes a name that has aged out if there is no room.
    private mutating func hasRoom(for event: Event) throws -> Bool {
        let key: SQL = "package = \(event.package) AND name = \(event.name)"
        if let countedAt: Timestamp = try database.value("SELECT counted_at FROM report_events WHERE \(key)") {
            if EventNames.isRenewed(countedAt, at: now) {
                try database.execute("UPDATE report_events SET counted_at = \(now) WHERE \(key)")
            }
            known.insert(event)
            return true
        }
        let names = try database.rows(
            "SELECT name, counted_at FROM report_events WHERE package = \(event.package) ORDER BY counted_at, name"
        ) { row in (name: try row[0] as String, countedAt: try row[1] as Timestamp) }
        switch EventNames.admission(beside: names, at: now) {
        case .admitted: return true
        case .replacing(let aged):
            try database.execute("DELETE FROM report_events WHERE package = \(event.package) AND name = \(aged)")
            known.remove(Event(package: event.package, name: aged))
            return true
        case .refused: return false
        }
    }
}

package import Domain
import Ground

extension SQLStore {
    package func events(of app: AppID, last count: Int) throws(PlatformError) -> [Event] {
        try transaction { database in
            try database.rows(
                """
                SELECT events.app, sequence, time, kind, packages.id, channel, versions.version FROM events
                LEFT JOIN packages ON packages.number = events.package
                LEFT JOIN versions ON versions.number = events.version
                WHERE events.app = \(app) ORDER BY sequence DESC LIMIT \(max(0, count))
                """
            ) { row in
                Event(app: try row[0], sequence: try row[1], time: try row[2], subject: try Self.subject(row))
            }.reversed()
        }
    }

    /// Returns the subject from columns 3 to 6: kind, package, channel, version.
    private static func subject(_ row: borrowing Row) throws -> Event.Subject {
        switch EventKind(rawValue: try row[3]) {
        case .packageChanged: .packageChanged(try row[4])
        case .scheduled: .scheduled(try row[4], try row[5], try row[6])
        case .activated: .activated(try row[4], try row[5], try row[6])
        case .changed: .changed(try row[4], try row[5], try row[6])
        case .audiencesChanged: .audiencesChanged
        case .keysChanged: .keysChanged
        case nil: throw row.unreadable(3)
        }
    }
}

/// The kind of an event as the database stores it.
private enum EventKind: String {
    case packageChanged = "package-changed"
    case scheduled
    case activated
    case changed
    case audiencesChanged = "audiences-changed"
    case keysChanged = "keys-changed"
}

extension Database {
    /// Appends an event and returns its number, the app's next sequence.
    ///
    /// The package and the version are given by the numbers of their rows.
    @discardableResult
    func append(
        _ subject: Event.Subject, of app: AppID, at time: Timestamp, package: Int64? = nil, version: Int64? = nil
    ) throws -> Int64 {
        let sequence: Int64? = try value(
            "UPDATE apps SET sequence = sequence + 1 WHERE id = \(app) RETURNING sequence")
        guard let sequence else { throw PlatformError(.appNotFound, "There is no app \(app).") }
        let kind: EventKind
        var channel: ChannelName?
        switch subject {
        case .packageChanged: kind = .packageChanged
        case .scheduled(_, let name, _): (kind, channel) = (.scheduled, name)
        case .activated(_, let name, _): (kind, channel) = (.activated, name)
        case .changed(_, let name, _): (kind, channel) = (.changed, name)
        case .audiencesChanged: kind = .audiencesChanged
        case .keysChanged: kind = .keysChanged
        }
        try execute(
            """
            INSERT INTO events (app, sequence, time, kind, package, channel, version)
            VALUES (\(app), \(sequence), \(time), \(kind.rawValue), \(package), \(channel), \(version))
            """)
        return sequence
    }
}

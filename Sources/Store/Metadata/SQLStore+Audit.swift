package import Domain
package import Ground

extension SQLStore {
    package func audit(
        _ filter: AuditFilter, in range: AuditRange, limit: Int
    ) throws(PlatformError) -> [(id: Int64, entry: AuditEntry)] {
        try transaction { database in
            if let settings = database.dialect.valuePlans { try database.execute(settings) }
            let ids = try AuditQuery(filter, in: range, limit: max(0, limit)).ids(in: database)
            let rows = try database.rows(
                """
                SELECT id, time, actor, action, app, subject, details FROM audit
                WHERE id IN \(database.dialect.integers(in: .array(ids.map { .integer($0) })))
                """, Self.auditEntry)
            return rows.sorted { range.isNewestFirst ? $0.id > $1.id : $0.id < $1.id }
        }
    }

    package func audit(
        of app: AppID, after id: Int64, limit: Int
    ) throws(PlatformError) -> [(id: Int64, entry: AuditEntry)] {
        try transaction { database in
            try database.rows(
                """
                SELECT id, time, actor, action, app, subject, details FROM audit
                WHERE id > \(id) AND app = \(app) ORDER BY id LIMIT \(max(0, limit))
                """, Self.auditEntry)
        }
    }

    package func firstAudit(after id: Int64, within times: ClosedRange<Timestamp>) throws(PlatformError) -> Int64? {
        try transaction { database in
            // Sorted without an index, so that only the entries of these times are read.
            try database.value(
                """
                SELECT id FROM audit WHERE time BETWEEN \(times.lowerBound) AND \(times.upperBound) AND id > \(id)
                ORDER BY +id LIMIT 1
                """)
        }
    }

    private static func auditEntry(_ row: borrowing Row) throws -> (id: Int64, entry: AuditEntry) {
        let details: JSON = try row[6]
        let entry = AuditEntry(
            time: try row[1], actor: try row[2], action: try row[3], app: try row[4], subject: try row[5],
            details: details.members ?? [])
        return (id: try row[0], entry: entry)
    }

    package func recordAudit(_ entry: AuditEntry) throws(PlatformError) {
        try transaction { try $0.append(entry) }
    }
}

extension Database {
    /// Appends an entry; the entry of a dry run makes the store roll the transaction back.
    func append(_ entry: AuditEntry) throws {
        if entry.isRehearsal { rehearse() }
        if let claim = entry.claim { try self.claim(claim, at: entry.time) }
        try execute(
            """
            INSERT INTO audit (time, actor, action, app, subject, details)
            VALUES (
                \(entry.time), \(entry.actor), \(entry.action), \(entry.app), \(entry.subject),
                \(JSON.object(entry.details))
            )
            """)
    }
}

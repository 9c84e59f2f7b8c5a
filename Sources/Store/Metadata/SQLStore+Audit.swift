package import Domain
package import Ground

extension SQLStore {
    package func audit(
        _ filter: AuditFilter, in range: AuditRange, limit: Int
    ) throws(PlatformError) -> [RecordedAuditEntry] {
        try transaction { database in
            if let settings = database.dialect.valuePlans { try database.execute(settings) }
            let ids = try AuditQuery(filter, in: range, limit: max(0, limit)).ids(in: database)
            let rows = try database.rows(
                """
                SELECT \(SQL.auditColumns) FROM audit
                WHERE id IN \(database.dialect.integers(in: .array(ids.map { .integer($0) })))
                """
            ) { row in try row.auditEntry }
            return rows.sorted { range.isNewestFirst ? $0.id > $1.id : $0.id < $1.id }
        }
    }

    package func audit(
        of app: AppID, after id: Int64, limit: Int
    ) throws(PlatformError) -> [RecordedAuditEntry] {
        try transaction { database in
            try database.rows(
                """
                SELECT \(SQL.auditColumns) FROM audit
                WHERE id > \(id) AND app = \(app) ORDER BY id LIMIT \(max(0, limit))
                """
            ) { row in try row.auditEntry }
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

    package func auditHead() throws(PlatformError) -> AuditHead {
        try transaction { try $0.auditHead() }
    }

    package func recordAudit(_ entry: AuditEntry) throws(PlatformError) {
        try transaction { try $0.append(entry) }
    }
}

extension Database {
    /// Appends an entry; the entry of a dry run makes the store roll the transaction back.
    ///
    /// The id is the one after the last id, so that two entries never continue the same one: the key of the table refuses
    /// the second. There is no second, as transactions of writers run one after the other (decision 0077).
    func append(_ entry: AuditEntry) throws {
        if entry.isRehearsal { rehearse() }
        if let claim = entry.claim { try self.claim(claim, at: entry.time) }
        for companion in entry.companions { try append(companion) }
        if let decision = entry.decision { try record(decision, at: entry.time) }
        guard let cryptography else {
            throw DatabaseError.unmet("the connection appends no entries", statement: "audit")
        }
        let details = JSON.object(entry.details).bytes()
        guard let members = JSON(parsing: details)?.members else {
            throw DatabaseError.unmet("the details are nested too deeply", statement: "audit")
        }
        let entry = entry.with(details: members)
        // The ids of a cut end are not used again.
        let (head, last) = try auditEnd()
        let next = head.appending(entry, as: max(head.id, last) + 1, by: cryptography)
        try execute(
            """
            INSERT INTO audit (id, time, actor, action, app, subject, details, source, hash)
            VALUES (
                \(next.id), \(entry.time), \(entry.actor), \(entry.action), \(entry.app), \(entry.subject),
                \(JSON.object(entry.details)), \(entry.source?.json), \(next.hash)
            )
            """)
    }

    /// Returns the end of the log and of its chain.
    func auditHead() throws -> AuditHead { try auditEnd().head }

    /// Returns the end of the log, and the last id that it has ever had.
    private func auditEnd() throws -> (head: AuditHead, last: Int64) {
        let last = dialect.lastNumber(of: "audit")
        let newest = try row("SELECT id, hash, (\(last)) FROM audit ORDER BY id DESC LIMIT 1") { row in
            (id: try row[0] as Int64, hash: try row[1] as SHA256Digest?, last: try row[2] as Int64?)
        }
        if let newest, let hash = newest.hash {
            return (AuditHead(id: newest.id, hash: hash), newest.last ?? newest.id)
        }
        guard let start = try auditStart() else { throw DatabaseError.unreadable("audit", statement: "audit_hash") }
        return (start, try value(last) ?? 0)
    }

    /// Returns the newest entry without a hash, and the hash over it and all before it; `nil` before the first start.
    func auditStart() throws -> AuditHead? {
        try row("SELECT audit_id, audit_hash FROM meta WHERE audit_hash IS NOT NULL") { row in
            AuditHead(id: try row[0], hash: try row[1])
        }
    }

    /// Hashes the entries of earlier versions once, so that the chain begins with all of them.
    func beginAuditChain(by cryptography: any Cryptography) throws {
        try transaction {
            guard try auditStart() == nil else { return }
            var head = AuditHead.empty
            try eachAuditEntry { head = head.appending($0.entry, as: $0.id, by: cryptography) }
            try execute("UPDATE meta SET audit_id = \(head.id), audit_hash = \(head.hash)")
        }
    }

    /// The number of entries that are read at a time.
    private static let auditPage = 1_000

    /// Passes all entries to `body`, oldest first, with a page of them in memory.
    func eachAuditEntry(_ body: (RecordedAuditEntry) throws -> Void) throws {
        var last: Int64 = 0
        while true {
            let page = try rows(
                """
                SELECT \(SQL.auditColumns) FROM audit WHERE id > \(last) ORDER BY id LIMIT \(Self.auditPage)
                """
            ) { row in try row.auditEntry }
            for entry in page { try body(entry) }
            guard page.count == Self.auditPage, let end = page.last?.id else { return }
            last = end
        }
    }
}

extension SQL {
    /// The columns that ``Row/auditEntry`` reads.
    static let auditColumns: SQL = "id, time, actor, action, app, subject, details, source, hash"
}

extension Row {
    fileprivate var auditEntry: RecordedAuditEntry {
        get throws {
            let (details, source): (JSON, JSON?) = (try self[6], try self[7])
            let entry = AuditEntry(
                time: try self[1], actor: try self[2], action: try self[3], app: try self[4], subject: try self[5],
                details: details.members ?? [], source: source.flatMap { AuditSource($0) })
            return RecordedAuditEntry(id: try self[0], entry: entry, hash: try self[8])
        }
    }
}

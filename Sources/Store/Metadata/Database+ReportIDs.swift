import Domain
import Ground

/// The ids of reports that have left the window early (decision 0076).
extension Database {
    /// The number of lookups of one statement, so that a result stays below a mebibyte.
    private static let lookupsPerStatement = 250

    /// Returns the segments with kept ids, oldest first.
    func keptSegments() throws -> [ReportIDSegment] {
        try rows("SELECT segment, through, received_at, ids FROM report_id_segments ORDER BY segment") { row in
            ReportIDSegment(segment: try row[0], through: try row[1], receivedAt: try row[2], ids: try row[3])
        }
    }

    /// Returns the kept hashes of a segment, sorted.
    func keptHashes(of segment: Int64) throws -> [UInt64] {
        try rows("SELECT part, hashes FROM report_ids WHERE segment = \(segment) ORDER BY part") { row in
            ReportHashes.hashes(of: try row[0], in: try row[1])
        }.flatMap(\.self)
    }

    /// Whether a segment has the kept id with a hash.
    func hasKeptID(_ hash: UInt64, in segment: Int64) throws -> Bool {
        let bytes: [UInt8]? = try value(
            "SELECT hashes FROM report_ids WHERE segment = \(segment) AND part = \(ReportHashes.part(of: hash))")
        return bytes.map { ReportHashes.contains(hash, in: $0) } ?? false
    }

    /// Returns the indexes of the hashes that their segments have, in few round trips to a server.
    func indexesOfKeptIDs(_ wanted: [(hash: UInt64, segment: Int64)]) throws -> [Int] {
        var found: [Int] = []
        for start in stride(from: 0, to: wanted.count, by: Self.lookupsPerStatement) {
            let page = wanted[start..<min(start + Self.lookupsPerStatement, wanted.count)]
            let segments = JSON.array(page.map { .integer($0.segment) })
            let parts = JSON.array(page.map { .integer(Int64(ReportHashes.part(of: $0.hash))) })
            // A subquery, so that each part is found by the key whatever the planner believes about the table.
            let bytes = try rows(
                """
                SELECT (
                    SELECT hashes FROM report_ids
                    WHERE report_ids.segment = wanted.segment::bigint AND report_ids.part = wanted.part::bigint
                ) FROM ROWS FROM (
                    json_array_elements_text(\(segments)::json), json_array_elements_text(\(parts)::json)
                ) WITH ORDINALITY AS wanted (segment, part, place) ORDER BY place
                """
            ) { row in try row[0] as [UInt8]? }
            for (index, bytes) in zip(page.indices, bytes) {
                if let bytes, ReportHashes.contains(wanted[index].hash, in: bytes) { found.append(index) }
            }
        }
        return found
    }

    /// Stores the ids of a segment.
    ///
    /// - Parameters:
    ///   - hashes: The hashes of all its ids, sorted.
    ///   - parts: The parts with hashes that are not stored yet.
    func store(_ segment: ReportIDSegment, _ hashes: [UInt64], changing parts: Set<Int>) throws {
        try execute(
            """
            INSERT INTO report_id_segments (segment, through, received_at, ids)
            VALUES (\(segment.segment), \(segment.through), \(segment.receivedAt), \(segment.ids))
            ON CONFLICT (segment) DO UPDATE SET
                through = excluded.through, received_at = excluded.received_at, ids = excluded.ids
            """)
        var statements: [SQL] = []
        var rest = hashes[...]
        while let first = rest.first {
            let part = ReportHashes.part(of: first)
            let own = rest.prefix { ReportHashes.part(of: $0) == part }
            rest = rest.dropFirst(own.count)
            guard parts.contains(part) else { continue }
            statements.append(
                """
                INSERT INTO report_ids (segment, part, hashes)
                VALUES (\(segment.segment), \(part), \(ReportHashes.bytes(of: own)))
                ON CONFLICT (segment, part) DO UPDATE SET hashes = excluded.hashes
                """)
        }
        try executeAll(statements)
    }

    /// Removes the kept ids of a segment.
    func forget(_ segment: ReportIDSegment) throws {
        try execute("DELETE FROM report_ids WHERE segment = \(segment.segment)")
        try execute("DELETE FROM report_id_filters WHERE segment = \(segment.segment)")
        try execute("DELETE FROM report_id_segments WHERE segment = \(segment.segment)")
    }

    /// Notes that the ids of reports were forgotten early, the newest of which was received then.
    func noteForgottenIDs(receivedAt: Timestamp, at now: Timestamp) throws {
        // A stored time in the future is from a clock that was ahead.
        try execute(
            """
            INSERT INTO report_ids_forgotten ("only", received_at) VALUES (1, \(min(receivedAt, now)))
            ON CONFLICT ("only") DO UPDATE SET received_at = excluded.received_at
            WHERE excluded.received_at > report_ids_forgotten.received_at OR report_ids_forgotten.received_at > \(now)
            """)
    }

    /// Returns the filter of a segment's kept ids; one that is missing or has the wrong length is made again.
    func filter(of segment: ReportIDSegment) throws -> ReportFilter {
        let bytes: [UInt8]? = try value("SELECT bits FROM report_id_filters WHERE segment = \(segment.segment)")
        if let filter = bytes.flatMap(ReportFilter.init(bytes:)) { return filter }
        let filter = ReportFilter(try keptHashes(of: segment.segment))
        // Further ids may follow those of an incomplete segment.
        if segment.isComplete { try store(filter, of: segment.segment, in: "report_id_filters") }
        return filter
    }

    /// Stores a filter in one of the two tables of filters.
    func store(_ filter: ReportFilter, of segment: Int64, in table: SQL) throws {
        try execute(
            """
            INSERT INTO \(table) (segment, bits) VALUES (\(segment), \(filter.bytes))
            ON CONFLICT (segment) DO UPDATE SET bits = excluded.bits
            """)
    }
}

import Domain
import Ground

/// The filters by which a report is found that was stored before, which the store keeps between batches: with SQLite those of
/// the stored reports, and on both databases those of kept ids.
///
/// A transaction that is rolled back may leave marks of reports that are not stored. They cost a query at most.
struct ReportFilters {
    private let hasher: SipHash
    private var groups = ReportFilterGroups()
    /// The marks of the latest inserted reports, which are not in `groups` yet.
    ///
    /// `nil` unless they are in the segment of the next number. The filter stays in the processor's cache.
    private var newest: (segment: Int64, filter: ReportFilter)?
    /// The segments whose stored reports all have marks.
    private var marked: Set<Int64> = []
    /// The segments of stored reports before the batch; empty with PostgreSQL.
    private var stored: Range<Int64> = 0..<0
    /// The segments with kept ids; `nil` if they have to be read from the database.
    private var kept: [ReportIDSegment]?
    /// The last numbers up to which kept ids have marks, by segment.
    private var markedThrough: [Int64: Int64] = [:]
    private var buffer: [UInt8] = []

    init(_ database: Database) throws {
        hasher = try database.deviceHasher().keyed
    }

    /// Forgets which segments have kept ids, after a transaction whose changes may not be in the database.
    mutating func forgetUncommitted() { kept = nil }

    // MARK: Hashes

    /// Returns the hash of a report's identity.
    mutating func hash(_ report: Report) -> UInt64 {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: report.app.text.utf8)
        // No byte of UTF-8.
        buffer.append(0xff)
        buffer.append(contentsOf: report.deviceID.utf8)
        buffer.append(0xff)
        buffer.append(contentsOf: report.eventID.utf8)
        return hasher.hash(buffer)
    }

    /// Returns the hashes of stored reports.
    ///
    /// - Parameter condition: The condition of the reports, which all are in one segment.
    mutating func hashes(in database: Database, where condition: SQL) throws -> [UInt64] {
        var hashes: [UInt64] = []
        try database.each("SELECT app, device, event_id FROM reports WHERE \(condition)") { row in
            buffer.removeAll(keepingCapacity: true)
            row.append(0, to: &buffer)
            buffer.append(0xff)
            row.append(1, to: &buffer)
            buffer.append(0xff)
            row.append(2, to: &buffer)
            hashes.append(hasher.hash(buffer))
        }
        return hashes
    }

    // MARK: Stored reports, with SQLite

    /// Loads the filters of stored reports that are not in memory.
    ///
    /// The last segment may still change, so its filter is made from its reports. So is that of a segment to which the numbers
    /// have returned after an erasure.
    mutating func loadStored(from database: Database, lastNumber: Int64) throws {
        let last = ReportIDSegment.segment(of: lastNumber)
        let first = try min(ReportIDSegment.segment(of: database.firstReportNumber() ?? lastNumber), last)
        if first > stored.lowerBound || stored.isEmpty {
            try database.execute("DELETE FROM report_filters WHERE segment < \(first)")
        }
        stored = first..<last + 1
        if newest?.segment != ReportIDSegment.segment(of: lastNumber + 1) { mergeNewest() }
        marked = marked.filter(stored.contains)
        for segment in stored where !marked.contains(segment) {
            let filter = try segment < last ? load(segment, from: database) : make(segment, from: database)
            groups.insert(filter, in: segment)
            marked.insert(segment)
        }
        removeUnusedGroups()
    }

    /// Adds a stored report; `loadStored(from:lastNumber:)` was called before.
    mutating func insert(_ hash: UInt64, at number: Int64) {
        let segment = ReportIDSegment.segment(of: number)
        if newest?.segment != segment {
            mergeNewest()
            newest = (segment, ReportFilter())
        }
        newest?.filter.insert(hash)
        marked.insert(segment)
        if segment >= stored.upperBound { stored = stored.lowerBound..<segment + 1 }
        if number == ReportIDSegment.last(of: segment) { mergeNewest() }
    }

    /// Adds the marks of the latest reports to those of their segment, which further numbers do not belong to.
    private mutating func mergeNewest() {
        guard let (segment, filter) = newest else { return }
        groups.insert(filter, in: segment)
        newest = nil
    }

    /// Stores the filters of segments that the numbers up to the last one complete.
    func store(in database: Database, from number: Int64, through last: Int64) throws {
        let start = ReportIDSegment.segment(of: number)
        for segment in start..<max(start, ReportIDSegment.segment(of: last)) {
            try database.store(groups.filter(of: segment), of: segment, in: "report_filters")
        }
    }

    private mutating func load(_ segment: Int64, from database: Database) throws -> ReportFilter {
        let bytes: [UInt8]? = try database.value("SELECT bits FROM report_filters WHERE segment = \(segment)")
        if let filter = bytes.flatMap(ReportFilter.init(bytes:)) { return filter }
        let filter = try make(segment, from: database)
        try database.store(filter, of: segment, in: "report_filters")
        return filter
    }

    private mutating func make(_ segment: Int64, from database: Database) throws -> ReportFilter {
        ReportFilter(try hashes(in: database, where: "number >> 16 = \(segment)"))
    }

    /// Whether an earlier segment than that of a number has the report, or its id is kept.
    ///
    /// The unique index finds the reports of the segment of the number.
    func isKnown(_ report: Report, _ hash: UInt64, before number: Int64, in database: Database) throws -> Bool {
        for segment in groups.candidates(for: hash) {
            if markedThrough[segment] != nil, try database.hasKeptID(hash, in: segment) { return true }
            let isEarlier = stored.contains(segment) && segment < ReportIDSegment.segment(of: number)
            if isEarlier, try database.hasReport(report, in: segment) { return true }
        }
        return false
    }

    // MARK: Kept ids

    /// Loads the filters of kept ids that are not in memory; other nodes may have added segments.
    mutating func loadKept(from database: Database) throws {
        guard try kept == nil || !isCurrent(in: database) else { return }
        let segments = try database.keptSegments()
        let numbers = Set(segments.map(\.segment))
        markedThrough = markedThrough.filter { numbers.contains($0.key) }
        for segment in segments where markedThrough[segment.segment] != segment.through {
            groups.insert(try database.filter(of: segment), in: segment.segment)
            markedThrough[segment.segment] = segment.through
        }
        kept = segments
        removeUnusedGroups()
    }

    /// Whether the database has the kept ids in memory.
    ///
    /// Ids are added at the end only, with greater numbers, and removed by whole segments.
    private func isCurrent(in database: Database) throws -> Bool {
        let extent = try database.row("SELECT count(*), max(through) FROM report_id_segments") { row in
            (count: try row[0] as Int, through: try row[1] as Int64?)
        }
        return extent?.count == kept?.count && extent?.through == kept?.last?.through
    }

    /// Returns the indexes of the hashes whose ids are kept; with PostgreSQL.
    func indexesOfKeptIDs(_ hashes: [UInt64], in database: Database) throws -> Set<Int> {
        var wanted: [(hash: UInt64, segment: Int64)] = []
        var indexes: [Int] = []
        for (index, hash) in hashes.enumerated() {
            for segment in groups.candidates(for: hash) where markedThrough[segment] != nil {
                wanted.append((hash, segment))
                indexes.append(index)
            }
        }
        return Set(try database.indexesOfKeptIDs(wanted).map { indexes[$0] })
    }

    /// Keeps the ids of reports that are about to leave the window, as far as they are young, with those of all aggregated
    /// reports of their segments.
    ///
    /// The numbers of aggregated reports are never used again, so a later call continues behind the kept ones.
    ///
    /// - Parameter leaving: The numbers of the reports; all of them are aggregated.
    mutating func keepIDs(
        of leaving: Range<Int64>, in database: Database, at now: Timestamp, keeping window: ReportWindow
    ) throws {
        var start = leaving.lowerBound
        while start < leaving.upperBound {
            let segment = ReportIDSegment.segment(of: start)
            let end = min(leaving.upperBound, ReportIDSegment.last(of: segment) + 1)
            defer { start = end }
            let known = kept?.last { $0.segment == segment }
            if let known, known.through >= end - 1 { continue }
            guard let lastReceipt = try database.lastReceipt(from: start, through: end - 1, at: now) else { continue }
            if window.ids == 0 || lastReceipt < window.oldestID(at: now) {
                try database.noteForgottenIDs(receivedAt: lastReceipt, at: now)
            } else {
                try keepIDs(of: segment, after: known, in: database, at: now)
            }
        }
    }

    /// Keeps the ids of a segment's aggregated reports.
    private mutating func keepIDs(
        of segment: Int64, after known: ReportIDSegment?, in database: Database, at now: Timestamp
    ) throws {
        let through = min(ReportIDSegment.last(of: segment), try database.aggregatedNumber())
        let first = known.map { $0.through + 1 } ?? ReportIDSegment.first(of: segment)
        var added: [UInt64] = []
        added.reserveCapacity(Int(through - first + 1))
        let step = database.dialect.reportsPerRead
        for start in stride(from: first, through: through, by: step) {
            let end = min(start + Int64(step) - 1, through)
            added += try hashes(in: database, where: database.dialect.isReport(from: start, through: end, of: segment))
        }
        guard let lastReceipt = try database.lastReceipt(from: first, through: through, at: now) else { return }
        let receivedAt = max(lastReceipt, known?.receivedAt ?? lastReceipt)
        let hashes = try ReportHashes.sorted(added + (known == nil ? [] : database.keptHashes(of: segment)))
        let kept = ReportIDSegment(segment: segment, through: through, receivedAt: receivedAt, ids: hashes.count)
        try database.store(kept, hashes, changing: Set(added.map(ReportHashes.part)))
        let filter = ReportFilter(hashes)
        if kept.isComplete { try database.store(filter, of: segment, in: "report_id_filters") }
        if !marked.contains(segment) || newest?.segment == segment { groups.insert(filter, in: segment) }
        markedThrough[segment] = through
        self.kept = (self.kept ?? []).filter { $0.segment != segment } + [kept]
    }

    /// Forgets ids that are too old or beyond the limit.
    mutating func forgetIDs(in database: Database, at now: Timestamp, keeping window: ReportWindow) throws {
        let forgotten = window.segmentsToForget(of: kept ?? [], at: now)
        guard !forgotten.isEmpty else { return }
        for segment in forgotten {
            try database.forget(segment)
            // Also if it is old: the clock may be ahead, and too early a forgetting shows when it is right again.
            try database.noteForgottenIDs(receivedAt: segment.receivedAt, at: now)
            markedThrough[segment.segment] = nil
            kept?.removeFirst()
        }
        removeUnusedGroups()
    }

    /// Removes the groups without marks that are used.
    private mutating func removeUnusedGroups() { groups.keep(only: Array(stored) + markedThrough.keys) }
}

extension Database {
    /// Returns the latest receipt of the reports in a range of numbers.
    ///
    /// At most the time for which ids are known after now: the clock may have been ahead, or be behind now.
    fileprivate func lastReceipt(from first: Int64, through last: Int64, at now: Timestamp) throws -> Timestamp? {
        let latest: Timestamp? = try value(
            "SELECT max(received_at) FROM reports WHERE number >= \(first) AND number <= \(last)")
        return latest.map { min($0, now.adding(milliseconds: ReportWindow.promisedMilliseconds)) }
    }

    fileprivate func firstReportNumber() throws -> Int64? {
        try value("SELECT number FROM reports ORDER BY number LIMIT 1")
    }

    /// Whether a segment has a report.
    fileprivate func hasReport(_ report: Report, in segment: Int64) throws -> Bool {
        let found: Int? = try value(
            """
            SELECT 1 FROM reports
            WHERE number >> 16 = \(segment) AND app = \(report.app) AND device = \(report.deviceID)
                AND event_id = \(report.eventID)
            """)
        return found != nil
    }
}

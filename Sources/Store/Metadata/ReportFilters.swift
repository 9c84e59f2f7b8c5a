import Domain
import Ground

/// A Bloom filter of the reports of one segment: it finds each of them, and one of 1,400 others by mistake if it is full.
struct ReportFilter {
    /// The bits in which the numbers of a segment's reports differ, the lowest ones.
    static let segmentShift: Int64 = 16
    /// The bytes of a filter, 16 bits for each report.
    static let byteCount = 1 << 17
    private static let probes: UInt64 = 7
    private static let positionMask: UInt64 = 8 * 1 << 17 - 1

    private(set) var bytes: [UInt8]

    init() {
        bytes = Array(repeating: 0, count: Self.byteCount)
    }

    /// Fails for bytes of another filter's length.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    mutating func insert(_ hash: UInt64) {
        for probe in 0..<Self.probes {
            let position = Self.position(hash, probe)
            bytes[position >> 3] |= 1 << UInt8(truncatingIfNeeded: position & 7)
        }
    }

    func mayContain(_ hash: UInt64) -> Bool {
        for probe in 0..<Self.probes {
            let position = Self.position(hash, probe)
            guard bytes[position >> 3] & 1 << UInt8(truncatingIfNeeded: position & 7) != 0 else { return false }
        }
        return true
    }

    /// Returns a position in the bits: the halves of the hash give each report a sequence of its own.
    private static func position(_ hash: UInt64, _ probe: UInt64) -> Int {
        Int(truncatingIfNeeded: (hash &+ probe &* (hash >> 32 | 1)) & positionMask)
    }
}

/// The filters of the stored reports by segment, which the store keeps between batches.
///
/// A transaction that is rolled back may leave marks of reports that are not stored. They cost a query at most.
struct ReportFilters {
    private let hasher: SipHash
    /// The filters of consecutive segments.
    private var filters: [ReportFilter]
    private(set) var firstSegment: Int64
    private var buffer: [UInt8] = []

    /// Loads the filters of all stored reports; the segment of the last number may still change, so its filter is made anew.
    init(_ database: Database, lastNumber: Int64) throws {
        hasher = try database.deviceHasher().keyed
        firstSegment = try Self.segment(of: database.firstReportNumber() ?? lastNumber)
        filters = []
        for segment in firstSegment...max(firstSegment, Self.segment(of: lastNumber)) {
            let isComplete = segment < Self.segment(of: lastNumber)
            filters.append(try isComplete ? load(segment, from: database) : make(segment, from: database))
        }
    }

    static func segment(of number: Int64) -> Int64 { number >> ReportFilter.segmentShift }

    /// Returns the hash of a report's identity.
    mutating func hash(_ app: AppID, _ device: String, _ eventID: String) -> UInt64 {
        hash(app.text, device, eventID)
    }

    private mutating func hash(_ app: String, _ device: String, _ eventID: String) -> UInt64 {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: app.utf8)
        // No byte of UTF-8.
        buffer.append(0xff)
        buffer.append(contentsOf: device.utf8)
        buffer.append(0xff)
        buffer.append(contentsOf: eventID.utf8)
        return hasher.hash(buffer)
    }

    /// Returns the segments before a number that may have a report.
    func candidates(for hash: UInt64, before number: Int64) -> [Int64] {
        var candidates: [Int64] = []
        let end = Self.segment(of: number)
        for (index, filter) in filters.enumerated() where firstSegment + Int64(index) < end {
            if filter.mayContain(hash) { candidates.append(firstSegment + Int64(index)) }
        }
        return candidates
    }

    mutating func insert(_ hash: UInt64, at number: Int64) {
        let index = Int(Self.segment(of: number) - firstSegment)
        while filters.count <= index { filters.append(ReportFilter()) }
        filters[index].insert(hash)
    }

    /// Stores the filters of segments that the numbers up to the last one complete, and removes those without reports.
    mutating func store(in database: Database, from number: Int64, through last: Int64) throws {
        for segment in Self.segment(of: number)..<max(Self.segment(of: number), Self.segment(of: last)) {
            try store(filters[Int(segment - firstSegment)], of: segment, in: database)
        }
        let first = try Self.segment(of: database.firstReportNumber() ?? last)
        guard first > firstSegment else { return }
        try database.execute("DELETE FROM report_filters WHERE segment < \(first)")
        filters.removeFirst(min(filters.count, Int(first - firstSegment)))
        firstSegment = first
    }

    private mutating func load(_ segment: Int64, from database: Database) throws -> ReportFilter {
        let bytes: [UInt8]? = try database.value("SELECT bits FROM report_filters WHERE segment = \(segment)")
        if let filter = bytes.flatMap(ReportFilter.init(bytes:)) { return filter }
        let filter = try make(segment, from: database)
        try store(filter, of: segment, in: database)
        return filter
    }

    private func store(_ filter: ReportFilter, of segment: Int64, in database: Database) throws {
        try database.execute(
            """
            INSERT INTO report_filters (segment, bits) VALUES (\(segment), \(filter.bytes))
            ON CONFLICT (segment) DO UPDATE SET bits = excluded.bits
            """)
    }

    private mutating func make(_ segment: Int64, from database: Database) throws -> ReportFilter {
        var filter = ReportFilter()
        try database.each("SELECT app, device, event_id FROM reports WHERE number >> 16 = \(segment)") { row in
            filter.insert(hash(try row[0] as String, try row[1], try row[2]))
        }
        return filter
    }
}

extension Database {
    fileprivate func firstReportNumber() throws -> Int64? {
        try value("SELECT number FROM reports ORDER BY number LIMIT 1")
    }

    /// Whether one of these segments has a report.
    func hasReport(_ app: AppID, _ device: String, _ eventID: String, in segments: [Int64]) throws -> Bool {
        for segment in segments {
            let found: Int? = try value(
                """
                SELECT 1 FROM reports
                WHERE number >> 16 = \(segment) AND app = \(app) AND device = \(device) AND event_id = \(eventID)
                """)
            if found != nil { return true }
        }
        return false
    }
}

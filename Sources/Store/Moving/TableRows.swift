/// A reader of all rows of a table in the order of its primary key.
///
/// It reads pages, so that the memory stays bounded: PostgreSQL's library holds a whole result.
struct TableRows {
    /// The number of rows of the first page; the next one has at most twice as many.
    static let firstCount = 16
    /// The maximum number of rows of a page.
    static let largestCount = 500
    /// The bytes that a page should have; its number of rows follows from those of the previous page.
    static let pageBytes = 4 << 20

    private let table: TableShape
    private let database: Database
    private var count = firstCount
    /// The primary key of the last row that was read.
    private var last: [SQLValue] = []
    private var isAtEnd = false

    init(of table: TableShape, in database: Database) {
        self.table = table
        self.database = database
    }

    /// Reads the next rows, with the values in the order of the shape's columns; returns no rows at the end.
    mutating func next() throws -> [[SQLValue]] {
        guard !isAtEnd else { return [] }
        let places = last.map { _ in "?" }.joined(separator: ", ")
        let condition = last.isEmpty ? "" : " WHERE (\(table.keyList)) > (\(places))"
        let statement =
            "SELECT \(table.columnList) FROM \(table.quoted)\(condition) ORDER BY \(table.keyList) LIMIT ?"
        let width = Int32(table.columns.count)
        let rows = try database.rows(SQL(text: statement, values: last + [.integer(Int64(count))])) { row in
            try (0..<width).map { column throws(DatabaseError) -> SQLValue in try row[column] }
        }
        isAtEnd = rows.count < count
        if let row = rows.last { last = table.key.map { row[$0] } }
        let bytes = rows.lazy.flatMap(\.self).reduce(1) { $0 + $1.byteCount }
        count = max(1, min(2 * count, Self.largestCount, Self.pageBytes * rows.count / bytes))
        return rows
    }
}

extension SQL {
    /// Creates a statement whose text consists of names of the catalogue, with a `?` for each value.
    init(text: String, values: [SQLValue]) {
        self.text = text
        self.values = values
    }
}

extension SQLValue: SQLConvertible {
    package var sqlValue: SQLValue { self }

    package init?(sqlValue: SQLValue) { self = sqlValue }
}

extension SQLValue {
    fileprivate var byteCount: Int {
        switch self {
        case .null: 1
        case .integer: 8
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }

    /// Whether the values have equal bytes; texts can be equal in Unicode and have different bytes.
    func hasSameBytes(as other: SQLValue) -> Bool {
        switch (self, other) {
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        default: self == other
        }
    }
}

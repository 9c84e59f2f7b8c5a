/// A reader of all rows of a table in the order of its primary key.
///
/// It reads pages, so that the memory stays bounded: PostgreSQL's library holds a whole result. The rows must not change
/// meanwhile.
struct TableRows {
    /// The maximum number of rows of a page.
    static let largestCount = 500
    /// The maximum bytes of a page of several rows.
    static let pageBytes = 4 << 20

    private let table: TableShape
    private let database: Database
    /// The primary key of the last row that was read.
    private var last: [SQLValue] = []

    init(of table: TableShape, in database: Database) {
        self.table = table
        self.database = database
    }

    /// Reads the next rows, with the values in the order of the shape's columns; returns no rows at the end.
    mutating func next() throws -> [[SQLValue]] {
        let count = try nextCount()
        guard count > 0 else { return [] }
        let width = Int32(table.columns.count)
        let rows = try database.rows(statement(table.columnList, upTo: count)) { row in
            try (0..<width).map { column throws(DatabaseError) -> SQLValue in try row[column] }
        }
        if let row = rows.last { last = table.key.map { row[$0] } }
        return rows
    }

    /// Returns the number of rows of the next page, after reading only their sizes.
    private func nextCount() throws -> Int {
        let columns = table.columns.filter { $0.kind != .integer }
        let size = columns.map { column in
            let name = SQL(text: TableShape.quote(column.name), values: [])
            return " + coalesce(\(database.dialect.byteCount(of: name).text), 0)"
        }.joined()
        let fixed = TableShape.integerBytes * table.columns.count
        let sizes: [Int] = try database.values(
            statement("CAST(\(fixed) AS bigint)\(size)", upTo: Self.largestCount))
        var (count, bytes) = (0, 0)
        for size in sizes {
            bytes += size
            guard count == 0 || bytes <= Self.pageBytes else { break }
            count += 1
        }
        return count
    }

    private func statement(_ expressions: String, upTo count: Int) -> SQL {
        let places = last.map { _ in "?" }.joined(separator: ", ")
        let condition = last.isEmpty ? "" : " WHERE (\(table.keyList)) > (\(places))"
        return SQL(
            text: "SELECT \(expressions) FROM \(table.quoted)\(condition) ORDER BY \(table.keyList) LIMIT ?",
            values: last + [.integer(Int64(count))])
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
    /// Whether the values have equal bytes; texts can be equal in Unicode and have different bytes.
    func hasSameBytes(as other: SQLValue) -> Bool {
        switch (self, other) {
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        default: self == other
        }
    }
}

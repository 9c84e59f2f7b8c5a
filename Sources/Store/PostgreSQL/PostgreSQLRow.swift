import CPostgres

/// The rows that a statement returned, in libpq's memory.
final class PostgreSQLRows {
    fileprivate let result: PostgreSQLResult
    /// The text of the statement.
    let statement: String
    /// The indexes of the columns by name; the first one of columns with equal names.
    private(set) lazy var columns: [String: Int32] = {
        var columns: [String: Int32] = [:]
        for column in (0..<PQnfields(result.handle)).reversed() {
            if let name = PQfname(result.handle, column) { columns[String(cString: name)] = column }
        }
        return columns
    }()

    init(_ result: consuming PostgreSQLResult, of statement: String) {
        self.result = result
        self.statement = statement
    }

    var count: Int32 { PQntuples(result.handle) }

    /// The number of rows that the statement wrote or returned.
    var affected: Int { result.affected }

    /// The name of the command, such as `COMMIT`.
    var command: String { result.command }

    /// Returns the text in the first column of the first row.
    func firstText() throws(DatabaseError) -> String? {
        guard count > 0 else { return nil }
        return try Row(PostgreSQLRow(0, of: self))[0]
    }
}

/// One row of a result of PostgreSQL.
struct PostgreSQLRow {
    private let rows: PostgreSQLRows
    private let index: Int32

    init(_ index: Int32, of rows: PostgreSQLRows) {
        self.rows = rows
        self.index = index
    }

    /// Returns the index of a named column.
    func index(of name: String) -> Int32? { rows.columns[name] }

    var text: String { rows.statement }

    func name(of column: Int32) -> String {
        PQfname(rows.result.handle, column).map { String(cString: $0) } ?? String(column)
    }

    /// Appends the bytes of a text; none for `NULL`.
    func append(_ column: Int32, to bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes(of: column)) }

    /// Returns the bytes of a column in libpq's memory.
    private func bytes(of column: Int32) -> UnsafeRawBufferPointer {
        let result = rows.result.handle
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, index, column), count: Int(PQgetlength(result, index, column)))
    }

    /// Returns the value of a column in the binary format; throws for a type that no statement of the store returns.
    func value(_ column: Int32) throws(DatabaseError) -> SQLValue {
        let result = rows.result.handle
        guard PQgetisnull(result, index, column) == 0 else { return .null }
        let bytes = bytes(of: column)
        switch PostgreSQLType(rawValue: PQftype(result, column)) {
        case .int2 where bytes.count == 2:
            return .integer(Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))))
        case .int4 where bytes.count == 4:
            return .integer(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
        case .int8 where bytes.count == 8: return .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case .bool where bytes.count == 1: return .integer(bytes[0] == 0 ? 0 : 1)
        case .text, .varchar, .name, .json: return .text(String(decoding: bytes, as: UTF8.self))
        case .bytea: return .blob(Array(bytes))
        default: throw .unreadable("column \(name(of: column))", statement: text)
        }
    }
}

/// The types of PostgreSQL that the store uses, by their object identifiers (pg_type.dat).
enum PostgreSQLType: UInt32 {
    case bool = 16
    case bytea = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case json = 114
    case varchar = 1043
}

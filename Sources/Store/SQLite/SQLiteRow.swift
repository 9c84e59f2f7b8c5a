import CSQLite

/// The current row of a statement of SQLite, valid until the next step.
struct SQLiteRow {
    private let cached: CachedStatement

    init(of cached: CachedStatement) { self.cached = cached }

    /// The indexes of the columns by name.
    var columns: [String: Int32] { cached.statement.columns }

    /// The text of the statement.
    var text: String { cached.statement.text }

    func name(of column: Int32) -> String {
        sqlite3_column_name(cached.statement.handle, column).map { String(cString: $0) } ?? String(column)
    }

    func value(_ column: Int32) -> SQLValue {
        let statement = cached.statement.handle
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT:
            return .text(String(decoding: bytes(sqlite3_column_text(statement, column), column), as: UTF8.self))
        case SQLITE_BLOB: return .blob(Array(bytes(sqlite3_column_blob(statement, column), column)))
        default: return .null
        }
    }

    /// - Parameter start: The pointer of SQLite, fetched before the count so that both describe the same bytes.
    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(cached.statement.handle, column)))
    }
}

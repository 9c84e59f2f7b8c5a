import CSQLite

/// The current row of a statement of SQLite, valid until the next step.
struct SQLiteRow {
    private let handle: OpaquePointer
    // `unowned(unsafe)` saves two reference-count updates for each column. The engine retains the statement during the
    // call, and `Row` cannot be copied.
    private unowned(unsafe) let cached: CachedStatement

    init(of cached: CachedStatement) {
        self.cached = cached
        handle = cached.statement.handle
    }

    /// Returns the index of a named column.
    func index(of name: String) -> Int32? { cached.columns[name] }

    /// The text of the statement.
    var text: String { cached.statement.text }

    func name(of column: Int32) -> String {
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? String(column)
    }

    func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_TEXT:
            return .text(String(decoding: bytes(sqlite3_column_text(handle, column), column), as: UTF8.self))
        case SQLITE_BLOB: return .blob(Array(bytes(sqlite3_column_blob(handle, column), column)))
        default: return .null
        }
    }

    /// Appends the bytes of a text; none for `NULL`.
    func append(_ column: Int32, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: self.bytes(sqlite3_column_text(handle, column), column))
    }

    /// - Parameter start: The pointer of SQLite, fetched before the count so that both describe the same bytes.
    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}

import CSQLite

/// The current row of a statement, valid until the next step.
package struct Row: ~Copyable {
    private let statement: OpaquePointer
    private let text: String
    private let columns: [String: Int32]

    init(of statement: borrowing Statement) {
        self.statement = statement.handle
        text = statement.text
        columns = statement.columns
    }

    /// The value of a column, counted from 0; throws for `NULL` and for another type.
    package subscript<Value: SQLConvertible>(column: Int32) -> Value {
        get throws(SQLiteError) {
            guard let value = Value(sqlValue: value(column)) else { throw unreadable(column) }
            return value
        }
    }

    /// The value of a column, counted from 0; throws for another type.
    package subscript<Value: SQLConvertible>(column: Int32) -> Value? {
        get throws(SQLiteError) {
            let raw = value(column)
            guard raw != .null else { return nil }
            guard let value = Value(sqlValue: raw) else { throw unreadable(column) }
            return value
        }
    }

    /// The value of a named column; throws if it is `NULL`, not of the type, or absent.
    package subscript<Value: SQLConvertible>(name: String) -> Value {
        get throws(SQLiteError) {
            guard let column = columns[name] else { throw unreadable(name) }
            return try self[column]
        }
    }

    /// The value of a named column, `nil` if it is `NULL`; throws if it is not of the type, or absent.
    package subscript<Value: SQLConvertible>(name: String) -> Value? {
        get throws(SQLiteError) {
            guard let column = columns[name] else { throw unreadable(name) }
            return try self[column]
        }
    }

    /// Returns the error for a named column whose value does not fit.
    func unreadable(_ name: String) -> SQLiteError { .unreadable("column \(name)", statement: text) }

    /// Returns the error for a row whose values are inconsistent.
    func unreadable(_ column: Int32) -> SQLiteError {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? String(column)
        return .unreadable("column \(name)", statement: text)
    }

    private func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT: .text(String(decoding: bytes(sqlite3_column_text(statement, column), column), as: UTF8.self))
        case SQLITE_BLOB: .blob(Array(bytes(sqlite3_column_blob(statement, column), column)))
        default: .null
        }
    }

    /// - Parameter start: The pointer of SQLite, fetched before the count so that both describe the same bytes.
    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}

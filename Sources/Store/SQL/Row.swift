/// The current row of a result, valid until the next one is read.
package struct Row: ~Copyable {
    private let source: Source

    /// The row as its database holds it, so that only the columns that are read are converted.
    private enum Source {
        case sqlite(SQLiteRow)
        case postgreSQL(PostgreSQLRow)
    }

    init(_ row: SQLiteRow) { source = .sqlite(row) }

    init(_ row: PostgreSQLRow) { source = .postgreSQL(row) }

    /// The value of a column, counted from 0; throws for `NULL` and for another type.
    package subscript<Value: SQLConvertible>(column: Int32) -> Value {
        get throws(DatabaseError) {
            guard let value = Value(sqlValue: try value(column)) else { throw unreadable(column) }
            return value
        }
    }

    /// The value of a column, counted from 0; throws for another type.
    package subscript<Value: SQLConvertible>(column: Int32) -> Value? {
        get throws(DatabaseError) {
            let raw = try value(column)
            guard raw != .null else { return nil }
            guard let value = Value(sqlValue: raw) else { throw unreadable(column) }
            return value
        }
    }

    /// The value of a named column; throws if it is `NULL`, not of the type, or absent.
    package subscript<Value: SQLConvertible>(name: String) -> Value {
        get throws(DatabaseError) { try self[index(of: name)] }
    }

    /// The value of a named column, `nil` if it is `NULL`; throws if it is not of the type, or absent.
    package subscript<Value: SQLConvertible>(name: String) -> Value? {
        get throws(DatabaseError) { try self[index(of: name)] }
    }

    /// Appends the bytes of a text in a column, counted from 0, without making a value of it; nothing for `NULL`.
    package func append(_ column: Int32, to bytes: inout [UInt8]) {
        switch source {
        case .sqlite(let row): row.append(column, to: &bytes)
        case .postgreSQL(let row): row.append(column, to: &bytes)
        }
    }

    /// Returns the error for a column that is absent or has no valid value.
    func unreadable(_ name: String) -> DatabaseError { .unreadable("column \(name)", statement: text) }

    /// Returns the error for a column that is absent or has no valid value.
    func unreadable(_ column: Int32) -> DatabaseError { unreadable(name(of: column)) }

    private func index(of name: String) throws(DatabaseError) -> Int32 {
        let column =
            switch source {
            case .sqlite(let row): row.index(of: name)
            case .postgreSQL(let row): row.index(of: name)
            }
        guard let column else { throw unreadable(name) }
        return column
    }

    private func value(_ column: Int32) throws(DatabaseError) -> SQLValue {
        switch source {
        case .sqlite(let row): row.value(column)
        case .postgreSQL(let row): try row.value(column)
        }
    }

    private func name(of column: Int32) -> String {
        switch source {
        case .sqlite(let row): row.name(of: column)
        case .postgreSQL(let row): row.name(of: column)
        }
    }

    /// The text of the statement.
    private var text: String {
        switch source {
        case .sqlite(let row): row.text
        case .postgreSQL(let row): row.text
        }
    }
}

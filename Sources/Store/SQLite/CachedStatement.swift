import CSQLite

/// A box for a statement, because dictionaries only hold copyable values.
final class CachedStatement {
    let statement: Statement
    /// The indexes of the result columns by name; the first one of columns with equal names.
    let columns: [String: Int32]

    init(_ statement: consuming Statement) {
        var columns: [String: Int32] = [:]
        for column in (0..<sqlite3_column_count(statement.handle)).reversed() {
            if let name = sqlite3_column_name(statement.handle, column) { columns[String(cString: name)] = column }
        }
        self.columns = columns
        self.statement = statement
    }
}

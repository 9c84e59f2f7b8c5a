/// The columns of a table that a move copies, and the primary key by which it reads the rows.
struct TableShape: Equatable {
    /// The bytes of an integer, and of the fixed part of another value.
    static let integerBytes = 8

    let name: String
    /// The columns by name, without generated ones.
    let columns: [Column]

    struct Column: Equatable {
        let name: String
        let kind: Kind
        /// The position in the primary key, from 1; 0 for other columns.
        let keyPosition: Int
    }

    /// The type of a column's values.
    enum Kind: Equatable {
        case integer
        case text
        case bytes

        /// Returns `nil` for a type that the schema does not use.
        init?(type: String) {
            switch type {
            case "INTEGER", "bigint": self = .integer
            case "TEXT", "text": self = .text
            case "BLOB", "bytea": self = .bytes
            default: return nil
            }
        }
    }

    /// The indexes of the columns of the primary key, in its order.
    var key: [Int] {
        columns.indices.filter { columns[$0].keyPosition > 0 }.sorted {
            columns[$0].keyPosition < columns[$1].keyPosition
        }
    }

    /// The name in double quotes.
    var quoted: String { Self.quote(name) }

    /// The names of all columns in double quotes, separated by commas.
    var columnList: String { columns.map { Self.quote($0.name) }.joined(separator: ", ") }

    /// The names of the columns of the primary key in double quotes, separated by commas.
    var keyList: String { key.map { Self.quote(columns[$0].name) }.joined(separator: ", ") }

    /// Returns an identifier of the catalogue in double quotes.
    static func quote(_ name: String) -> String {
        "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    /// Returns the tables in an order in which every table follows those that it refers to.
    static func ordered(
        _ tables: [TableShape], references: [(child: String, parent: String)]
    ) throws(DatabaseError) -> [TableShape] {
        var ordered: [TableShape] = []
        var rest = tables
        while !rest.isEmpty {
            let names = Set(rest.map(\.name))
            let free = rest.filter { table in
                !references.contains { $0.child == table.name && $0.parent != table.name && names.contains($0.parent) }
            }
            guard !free.isEmpty else {
                throw .unmet("tables refer to each other: \(names.sorted())", statement: "catalogue")
            }
            ordered += free
            let done = Set(free.map(\.name))
            rest.removeAll { done.contains($0.name) }
        }
        return ordered
    }
}

extension Database {
    /// Returns the tables with data of an installation, by name.
    func tableShapes() throws -> [TableShape] {
        let columns = try rows(dialect.tableColumns) { row in
            let type: String = try row[2]
            guard let kind = TableShape.Kind(type: type) else { throw row.unreadable(2) }
            return (
                table: try row[0] as String,
                column: TableShape.Column(name: try row[1], kind: kind, keyPosition: try row[3])
            )
        }
        return Dictionary(grouping: columns, by: \.table).map { name, columns in
            TableShape(name: name, columns: columns.map(\.column).sorted { $0.name < $1.name })
        }.sorted { $0.name < $1.name }
    }

    /// Returns the pairs of tables of which the first refers to the second; of SQLite only.
    func tableReferences() throws -> [(child: String, parent: String)] {
        try rows(
            """
            SELECT DISTINCT tables.name, list."table" FROM sqlite_schema AS tables
            JOIN pragma_foreign_key_list(tables.name) AS list WHERE tables.type = 'table'
            """
        ) { row in (child: try row[0], parent: try row[1]) }
    }

    /// Returns the tables whose ids are never used again; of SQLite only.
    func tablesWithLastingIDs() throws -> Set<String> {
        Set(try values("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"))
    }
}

extension SQLDialect {
    /// A statement with the table, the name, the type and the position in the primary key of each column that is not
    /// generated.
    fileprivate var tableColumns: SQL {
        switch self {
        case .sqlite:
            """
            SELECT tables.name, columns.name, columns.type, columns.pk
            FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
            WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
                AND tables.name NOT IN ('migrations', 'larder_move', 'report_filters') AND columns.hidden = 0
            """
        case .postgreSQL:
            """
            SELECT relname, attname, format_type(atttypid, NULL), coalesce(array_position(conkey, attnum), 0)
            FROM pg_class
            JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            LEFT JOIN pg_constraint ON conrelid = pg_class.oid AND contype = 'p'
            WHERE relkind = 'r' AND relname NOT IN (
                    'migrations', 'last_numbers', 'larder_move', 'leases', 'blob_removals')
                AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
            """
        }
    }
}

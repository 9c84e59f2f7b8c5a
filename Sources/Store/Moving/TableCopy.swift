import Domain

/// A copy of all rows of an installation from one kind of database to the other.
struct TableCopy {
    let source: Database
    let target: Database

    /// The extent of a copy.
    struct Outcome: Equatable {
        var tables = 0
        var rows = 0
        /// The rows that PostgreSQL cannot store, by table.
        var unstorable: [String: Int] = [:]
    }

    /// The tables with texts of devices, which may contain the character U+0000.
    ///
    /// A server on PostgreSQL does not store such reports either.
    private static let reportTables: Set = ["reports", "report_counts", "report_events", "report_totals"]

    /// Replaces the rows of the target by those of the source in one transaction, and compares all rows afterwards.
    ///
    /// Both have the newest schema. Triggers of the target do not run: the rows that they would write are copied.
    func run() throws -> Outcome {
        try source.transaction {
            if source.dialect == .postgreSQL {
                try source.executeScript("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            }
            return try target.transaction {
                let tables = try tables()
                var outcome = Outcome()
                outcome.tables = tables.count
                let triggers = try suspendTriggers(of: tables)
                try removeRows(of: tables)
                for table in tables { try copy(table, &outcome) }
                try copyLastNumbers(of: tables)
                for table in tables { try compare(table) }
                try resumeTriggers(triggers, of: tables)
                return outcome
            }
        }
    }

    private var sqlite: Database { source.dialect == .sqlite ? source : target }

    /// Returns the tables of both databases in the order of their references; throws if they differ.
    private func tables() throws -> [TableShape] {
        let (tables, others) = (try source.tableShapes(), try target.tableShapes())
        guard tables == others else {
            let names = Set(tables.filter { !others.contains($0) }.map(\.name))
                .union(others.filter { !tables.contains($0) }.map(\.name))
            throw DatabaseError.unmet(
                "the databases differ in the tables \(names.sorted().joined(separator: ", "))", statement: "catalogue")
        }
        guard let table = tables.first(where: \.key.isEmpty) else {
            return try TableShape.ordered(tables, references: sqlite.tableReferences())
        }
        throw DatabaseError.unmet("the table \(table.name) has no primary key", statement: "catalogue")
    }

    // MARK: Rows

    private func copy(_ table: TableShape, _ outcome: inout Outcome) throws {
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        let statement = "INSERT INTO \(table.quoted) (\(table.columnList)) VALUES (\(places))"
        var reader = TableRows(of: table, in: source)
        while case let rows = try reader.next(), !rows.isEmpty {
            let stored = try storable(rows, of: table)
            outcome.rows += stored.count
            if stored.count < rows.count { outcome.unstorable[table.name, default: 0] += rows.count - stored.count }
            try target.executeAll(stored.map { SQL(text: statement, values: $0) })
        }
        guard target.dialect == .postgreSQL else { return }
        // The next number follows the last one, as in SQLite.
        for column in try target.identityColumns(of: table) {
            let quoted = TableShape.quote(column)
            let next: Int64? = try target.value(
                SQL(text: "SELECT coalesce(max(\(quoted)), 0) + 1 FROM \(table.quoted)", values: []))
            try target.executeScript("ALTER TABLE \(table.quoted) ALTER COLUMN \(quoted) RESTART WITH \(next ?? 1)")
        }
    }

    /// Returns the rows without those of reports that the target cannot store; throws for a row of another table.
    private func storable(_ rows: [[SQLValue]], of table: TableShape) throws(PlatformError) -> [[SQLValue]] {
        guard target.dialect == .postgreSQL else { return rows }
        let stored = rows.filter { $0.allSatisfy(target.dialect.canStore) }
        guard stored.count == rows.count || Self.reportTables.contains(table.name) else {
            throw PlatformError(
                .conflict,
                "A text in the table \(table.name) contains the character U+0000, which PostgreSQL cannot store. Change "
                    + "it on the running server, and move again.")
        }
        return stored
    }

    /// Throws unless the target has the rows of the source.
    private func compare(_ table: TableShape) throws {
        var (read, written) = (TableRows(of: table, in: source), TableRows(of: table, in: target))
        var (expected, found): (ArraySlice<[SQLValue]>, ArraySlice<[SQLValue]>) = ([], [])
        while true {
            while expected.isEmpty, case let rows = try read.next(), !rows.isEmpty {
                expected = try storable(rows, of: table)[...]
            }
            if found.isEmpty { found = try written.next()[...] }
            guard let first = expected.first, let second = found.first else { break }
            guard zip(first, second).allSatisfy({ $0.hasSameBytes(as: $1) }) else { throw difference(table) }
            expected.removeFirst()
            found.removeFirst()
        }
        guard expected.isEmpty, found.isEmpty else { throw difference(table) }
    }

    private func difference(_ table: TableShape) -> DatabaseError {
        .unmet("a row of the table \(table.name) differs from its source", statement: "comparison")
    }

    private func removeRows(of tables: [TableShape]) throws {
        switch target.dialect {
        case .postgreSQL:
            try target.executeScript("TRUNCATE \(tables.map(\.quoted).joined(separator: ", "))")
        case .sqlite:
            for table in tables.reversed() { try target.executeScript("DELETE FROM \(table.quoted)") }
            // Filters of the replaced reports do not know the copied ones. The server makes new ones from the rows.
            try target.executeScript("DELETE FROM report_filters")
        }
    }

    /// Copies the last ids of the tables whose ids are never used again.
    private func copyLastNumbers(of tables: [TableShape]) throws {
        let numbered = try sqlite.tablesWithLastingIDs()
        var last = try source.lastNumbers()
        for table in tables where numbered.contains(table.name) {
            let key: Int64? =
                try source.row(
                    SQL(text: "SELECT max(\(table.keyList)) FROM \(table.quoted)", values: [])
                ) { row in try row[0] as Int64? } ?? nil
            last[table.name] = max(last[table.name] ?? 0, key ?? 0)
        }
        try target.setLastNumbers(last.filter { numbered.contains($0.key) && $0.value > 0 })
    }

    // MARK: Triggers

    /// Turns the triggers of the target off until the end of the transaction; returns the statements that create those
    /// that were removed.
    private func suspendTriggers(of tables: [TableShape]) throws -> [String] {
        switch target.dialect {
        case .postgreSQL:
            for table in tables { try target.executeScript("ALTER TABLE \(table.quoted) DISABLE TRIGGER USER") }
            return []
        case .sqlite:
            let triggers = try target.rows(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid"
            ) { row in (name: try row[0] as String, statement: try row[1] as String) }
            for trigger in triggers { try target.executeScript("DROP TRIGGER \(TableShape.quote(trigger.name))") }
            return triggers.map(\.statement)
        }
    }

    private func resumeTriggers(_ triggers: [String], of tables: [TableShape]) throws {
        switch target.dialect {
        case .postgreSQL:
            for table in tables { try target.executeScript("ALTER TABLE \(table.quoted) ENABLE TRIGGER USER") }
        case .sqlite:
            for statement in triggers { try target.executeScript(statement) }
        }
    }
}

extension Database {
    /// Returns the identity columns of a table; of PostgreSQL only.
    fileprivate func identityColumns(of table: TableShape) throws -> [String] {
        try values(
            """
            SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
            WHERE relname = \(table.name) AND attidentity <> '' AND NOT attisdropped
                AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
            """)
    }

    /// Returns the last ids by name.
    fileprivate func lastNumbers() throws -> [String: Int64] {
        let table: SQL =
            dialect == .sqlite ? "SELECT name, seq FROM sqlite_sequence" : "SELECT name, number FROM last_numbers"
        return Dictionary(uniqueKeysWithValues: try rows(table) { row in (try row[0] as String, try row[1] as Int64) })
    }

    /// Replaces the last ids.
    fileprivate func setLastNumbers(_ numbers: [String: Int64]) throws {
        let sorted = numbers.sorted { $0.key < $1.key }
        switch dialect {
        case .sqlite:
            try execute("DELETE FROM sqlite_sequence")
            for (name, number) in sorted {
                try execute("INSERT INTO sqlite_sequence (name, seq) VALUES (\(name), \(number))")
            }
        case .postgreSQL:
            try execute("DELETE FROM last_numbers")
            for (name, number) in sorted {
                try execute("INSERT INTO last_numbers (name, number) VALUES (\(name), \(number))")
            }
        }
    }
}

extension SQLDialect {
    /// Returns whether a column can hold a value.
    fileprivate func canStore(_ value: SQLValue) -> Bool {
        guard case .text(let text) = value else { return true }
        return canStore(text)
    }
}

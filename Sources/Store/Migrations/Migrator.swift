/// A migrator of databases to the newest schema, with one transaction per migration.
package struct Migrator: Sendable {
    private let migrations: [Migration]

    /// - Parameter migrations: The migrations, numbered 1, 2, 3 … without a gap.
    package init(_ migrations: [Migration] = Migration.embedded) {
        precondition(migrations.map(\.number) == Array(1...migrations.count), "migrations are numbered without a gap")
        self.migrations = migrations
    }

    /// Applies the missing migrations.
    ///
    /// Throws ``MigrationError``, or ``SQLiteError`` if a migration fails; the database then has the schema before it.
    package func migrate(_ database: Database) throws {
        let current = try schema(of: database)
        guard current <= migrations.count else {
            throw MigrationError.newer(found: current, known: migrations.count)
        }
        if current == 0 { try begin(in: database) }
        try verify(migrations.prefix(current), in: database)
        for migration in migrations.dropFirst(current) {
            try database.transaction {
                try database.executeScript(migration.script)
                try database.execute(
                    """
                    INSERT INTO migrations (number, name, checksum)
                    VALUES (\(migration.number), \(migration.name), \(migration.checksum))
                    """)
                try database.executeScript("PRAGMA user_version = \(migration.number)")
            }
        }
    }

    /// Checks a database without changing it, and returns the number of its schema.
    ///
    /// Throws ``MigrationError``, also if the database is not Larder's.
    func check(_ database: Database) throws -> Int {
        let current = try schema(of: database)
        guard current <= migrations.count else {
            throw MigrationError.newer(found: current, known: migrations.count)
        }
        guard current > 0 else { throw MigrationError.foreign }
        try verify(migrations.prefix(current), in: database)
        return current
    }

    var newest: Int { migrations.count }

    private func schema(of database: Database) throws -> Int {
        try database.value("PRAGMA user_version") ?? 0
    }

    /// Creates the table of applied migrations in an empty database.
    private func begin(in database: Database) throws {
        try database.transaction {
            let tables: [String] = try database.values("SELECT name FROM sqlite_schema WHERE type = 'table'")
            guard tables.allSatisfy({ $0 == "migrations" }) else { throw MigrationError.foreign }
            try database.execute(
                """
                CREATE TABLE IF NOT EXISTS migrations (
                    number INTEGER PRIMARY KEY,
                    name TEXT NOT NULL,
                    checksum INTEGER NOT NULL
                ) STRICT
                """)
        }
    }

    private func verify(_ applied: ArraySlice<Migration>, in database: Database) throws {
        let isLarder: Int? = try database.value("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'")
        guard isLarder != nil else { throw MigrationError.foreign }
        let checksums = Dictionary(
            uniqueKeysWithValues: try database.rows("SELECT number, checksum FROM migrations") { row in
                (try row[0] as Int, try row[1] as Int64)
            })
        for migration in applied where checksums[migration.number] != migration.checksum {
            throw MigrationError.altered(name: migration.name)
        }
    }
}

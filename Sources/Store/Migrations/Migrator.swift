/// A migrator of databases to the newest schema, with one transaction per migration, and one for all of a new database.
package struct Migrator: Sendable {
    /// The migrations for every kind of database; `nil` for the program's own ones.
    private let given: [Migration]?

    /// Creates a migrator with the program's own migrations.
    package init() { given = nil }

    /// - Parameter migrations: The migrations, numbered 1, 2, 3 … without a gap.
    package init(_ migrations: [Migration]) {
        precondition(migrations.map(\.number) == Array(1...migrations.count), "migrations are numbered without a gap")
        given = migrations
    }

    /// Applies the missing migrations.
    ///
    /// Throws ``MigrationError``, or ``DatabaseError`` if a migration fails; the database then has the schema before
    /// it. No other server applies migrations meanwhile: a server owns its database.
    package func migrate(_ database: Database) throws {
        let migrations = migrations(of: database)
        let current = try currentSchema(of: database)
        guard current > 0 else {
            // A transaction waits for the disk, which would be most of the time of a first start.
            return try database.transaction {
                try begin(in: database)
                for migration in migrations { try apply(migration, to: database) }
            }
        }
        try verify(migrations.prefix(current), in: database)
        for migration in migrations.dropFirst(current) {
            try database.transaction { try apply(migration, to: database) }
        }
    }

    private func apply(_ migration: Migration, to database: Database) throws {
        try database.executeScript(migration.script)
        try database.execute(
            """
            INSERT INTO migrations (number, name, checksum)
            VALUES (\(migration.number), \(migration.name), \(migration.checksum))
            """)
        try database.setSchemaNumber(migration.number)
    }

    /// Checks a database without changing it, and returns the number of its schema.
    ///
    /// Throws ``MigrationError``, also if the database is not Larder's.
    func check(_ database: Database) throws -> Int {
        let current = try currentSchema(of: database)
        guard current > 0 else { throw MigrationError.foreign }
        try verify(migrations(of: database).prefix(current), in: database)
        return current
    }

    func newest(for database: Database) -> Int { migrations(of: database).count }

    private func migrations(of database: Database) -> [Migration] {
        given ?? Migration.embedded(for: database.dialect)
    }

    /// Returns the number of the schema; throws ``MigrationError/newer(found:known:)`` for an unknown one.
    private func currentSchema(of database: Database) throws -> Int {
        let current = try database.schemaNumber()
        let known = newest(for: database)
        guard current <= known else { throw MigrationError.newer(found: current, known: known) }
        return current
    }

    /// Creates the table of applied migrations in an empty database.
    private func begin(in database: Database) throws {
        let tables: [String] = try database.values(database.dialect.tableNames)
        guard tables.allSatisfy({ $0 == "migrations" || $0 == MoveMark.table }) else {
            throw MigrationError.foreign
        }
        try database.execute(database.dialect.migrationTable)
    }

    private func verify(_ applied: ArraySlice<Migration>, in database: Database) throws {
        let tables: [String] = try database.values(database.dialect.tableNames)
        guard tables.contains("migrations") else { throw MigrationError.foreign }
        let checksums = Dictionary(
            uniqueKeysWithValues: try database.rows("SELECT number, checksum FROM migrations") { row in
                (try row[0] as Int, try row[1] as Int64)
            })
        for migration in applied where checksums[migration.number] != migration.checksum {
            throw MigrationError.altered(name: migration.name)
        }
    }
}

extension Database {
    /// Returns the number of the newest migration that was applied; 0 for an empty database.
    fileprivate func schemaNumber() throws -> Int {
        switch dialect {
        case .sqlite: return try value("PRAGMA user_version") ?? 0
        case .postgreSQL:
            let tables: [String] = try values(dialect.tableNames)
            guard tables.contains("migrations") else { return 0 }
            return try value("SELECT coalesce(max(number), 0) FROM migrations") ?? 0
        }
    }

    /// Records the number where it is not read from the table of migrations.
    fileprivate func setSchemaNumber(_ number: Int) throws {
        switch dialect {
        case .sqlite: try executeScript("PRAGMA user_version = \(number)")
        case .postgreSQL: break
        }
    }
}

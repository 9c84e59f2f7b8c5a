package import Domain
import Ground

extension SQLStore {
    package func putPackage(_ package: Package, audit: AuditEntry) throws(PlatformError) -> Bool {
        try transaction { database in
            try database.requireApp(package.app)
            let known = try database.row(
                """
                SELECT \(Package.columns), number FROM packages
                WHERE app = \(package.app) AND folded = \(package.id.folded)
                """
            ) { row in (package: try Package(row), number: try row[11] as Int64) }
            guard let known else {
                let number = try database.insert(package)
                try database.recordChange(of: package, number, audit)
                return true
            }
            guard known.package.id == package.id else {
                throw PlatformError(
                    .nameTaken, "The package id \(package.id) differs from \(known.package.id) only in case.")
            }
            guard known.package != package else { return false }
            try database.update(package, number: known.number)
            try database.recordChange(of: package, known.number, audit)
            return false
        }
    }
}

extension SQLStore {
    package func packages(of app: AppID) throws(PlatformError) -> [Package] {
        try transaction { try $0.packages(of: app) }
    }

    package func packages(of app: AppID, _ query: PackageQuery) throws(PlatformError) -> [Package] {
        try transaction { database in
            var conditions: SQL = "app = \(app)"
            if let text = query.text {
                guard SQL.isPossibleInNames(text) else { return [] }
                conditions = "\(conditions) AND \(SQL.isPackage(named: text))"
            }
            if let among = query.among {
                let ids = JSON.array(among.map { .string($0.text) })
                conditions = "\(conditions) AND id IN \(database.dialect.texts(in: ids))"
            }
            if let instant = query.onlineAt { conditions = "\(conditions) AND online_until > \(instant)" }
            let key: SQL = query.order == .name ? "(name, id)" : "id"
            if let after = query.after {
                let position: SQL = query.order == .name ? "(\(after.name), \(after.id))" : "\(after.id)"
                conditions = "\(conditions) AND \(key) \(query.isDescending ? "<" : ">" as SQL) \(position)"
            }
            let order: SQL =
                switch (query.order, query.isDescending) {
                case (.id, false): "id"
                case (.id, true): "id DESC"
                case (.name, false): "name, id"
                case (.name, true): "name DESC, id DESC"
                }
            return try database.rows(
                """
                SELECT \(Package.columns) FROM packages WHERE \(conditions)
                ORDER BY \(order) LIMIT \(max(0, query.limit))
                """
            ) { try Package($0) }
        }
    }

    package func removePackage(
        _ package: PackageID, in app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app) else { return false }
            let versions: Int = try database.value("SELECT count(*) FROM versions WHERE package = \(number)") ?? 0
            guard versions == 0 else {
                throw PlatformError(
                    .conflict,
                    "The package '\(package)' has versions or had some, \(versions) in all, whose names are never used "
                        + "again. Turn 'enable' off, or retire its versions.")
            }
            for table: SQL in ["lint_waivers", "report_events", "report_labels"] {
                try database.execute("DELETE FROM \(table) WHERE package = \(number)")
            }
            try database.execute("DELETE FROM events WHERE app = \(app) AND package = \(number)")
            try database.execute("DELETE FROM packages WHERE number = \(number)")
            try database.change(app, at: audit.time, audit: audit)
            return true
        }
    }

    package func package(_ package: PackageID, in app: AppID) throws(PlatformError) -> Package? {
        try transaction { database in
            try database.row(
                """
                SELECT \(Package.columns) FROM packages
                WHERE app = \(app) AND folded = \(package.folded) AND id = \(package)
                """
            ) { try Package($0) }
        }
    }
}

extension Database {
    /// Returns the number of a package's row, or `nil` if there is none; the id is case-sensitive.
    func packageNumber(_ package: PackageID, in app: AppID) throws -> Int64? {
        try value(SQL.packageNumbers(package, in: app))
    }

    func packages(of app: AppID) throws -> [Package] {
        try rows("SELECT \(Package.columns) FROM packages WHERE app = \(app) ORDER BY id") { try Package($0) }
    }

    fileprivate func insert(_ package: Package) throws -> Int64 {
        try inserted(
            """
            INSERT INTO packages (
                app, id, folded, name, entry, url_prefix, enabled, priority, dialects, resources, permissions,
                online_until
            ) VALUES (
                \(package.app), \(package.id), \(package.id.folded), \(package.name), \(package.entry),
                \(package.urlPrefix), \(package.isEnabled), \(package.priority), \(package.dialectsJSON),
                \(package.resourcesJSON), \(package.permissions?.json), \(package.onlineUntil)
            ) RETURNING number
            """)
    }

    fileprivate func update(_ package: Package, number: Int64) throws {
        try execute(
            """
            UPDATE packages
            SET name = \(package.name), entry = \(package.entry), url_prefix = \(package.urlPrefix),
                enabled = \(package.isEnabled), priority = \(package.priority),
                dialects = \(package.dialectsJSON), resources = \(package.resourcesJSON),
                permissions = \(package.permissions?.json), online_until = \(package.onlineUntil)
            WHERE number = \(number)
            """)
    }

    /// Ends the online period of packages at its deadline and appends an event for each; returns whether there were
    /// any.
    func endOnline(of app: AppID, at instant: Timestamp) throws -> Bool {
        let ended = try rows("SELECT number, id FROM packages WHERE app = \(app) AND online_until <= \(instant)") {
            row in (number: try row[0] as Int64, id: try row[1] as PackageID)
        }
        for package in ended {
            try execute("UPDATE packages SET online_until = NULL WHERE number = \(package.number)")
            try append(.packageChanged(package.id), of: app, at: instant, package: package.number)
        }
        return !ended.isEmpty
    }

    fileprivate func recordChange(of package: Package, _ number: Int64, _ audit: AuditEntry) throws {
        try append(.packageChanged(package.id), of: package.app, at: audit.time, package: number)
        try change(package.app, at: audit.time, audit: audit)
    }
}

extension SQL {
    /// Returns whether a name may contain a text: PostgreSQL stores no U+0000, and it ends a pattern in SQLite.
    static func isPossibleInNames(_ text: String) -> Bool { !text.utf8.contains(0) }

    /// Returns the condition of packages whose id or name contains a text, regardless of the case of ASCII letters.
    static func isPackage(named text: String) -> SQL {
        // `LIKE` of SQLite ignores the case of ASCII letters, that of PostgreSQL heeds it.
        let pattern = pattern(containing: text)
        return "(folded LIKE \(pattern) ESCAPE '!' OR lower(name) LIKE \(pattern) ESCAPE '!')"
    }

    /// Returns a pattern of `LIKE`, with the escape `!`, for texts that contain a text; ASCII letters are in lower case.
    private static func pattern(containing text: String) -> String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            if "!%_".unicodeScalars.contains(scalar) { pattern += "!" }
            pattern += ("A"..."Z").contains(scalar) ? scalar.properties.lowercaseMapping : String(scalar)
        }
        return pattern + "%"
    }
}

extension Package {
    fileprivate static let columns: SQL = """
        app, id, name, entry, url_prefix, enabled, priority, dialects, resources, permissions, online_until
        """

    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            app: try row[0], id: try row[1], name: try row[2], entry: try row[3], urlPrefix: try row[4],
            isEnabled: try row[5], priority: try row[6], dialects: try Self.dialects(row),
            resources: try Self.resources(row), permissions: try Self.permissions(row),
            onlineUntil: try row[10])
    }

    private static func dialects(_ row: borrowing Row) throws -> Set<Dialect> {
        let names = (try row[7] as JSON).elements ?? []
        let dialects = names.compactMap { $0.string.flatMap { Dialect(rawValue: $0) } }
        guard dialects.count == names.count else { throw row.unreadable(7) }
        return Set(dialects)
    }

    private static func resources(_ row: borrowing Row) throws -> ResourceSettings {
        guard let settings = try? ResourceSettings(stored: try row[8] as JSON) else { throw row.unreadable(8) }
        return settings
    }

    fileprivate var resourcesJSON: JSON {
        resources == ResourceSettings() ? .object([JSON.Member]()) : resources.json
    }

    private static func permissions(_ row: borrowing Row) throws -> PagePermissions? {
        guard let json: JSON = try row[9] else { return nil }
        let apis = (json["apis"]?.elements ?? []).compactMap(\.string)
        let origins = (json["origins"]?.elements ?? []).compactMap { $0.string.flatMap { try? PageOrigin($0) } }
        guard let permissions = PagePermissions(apis: apis, origins: origins) else {
            throw row.unreadable(9)
        }
        return permissions
    }

    fileprivate var dialectsJSON: JSON { .array(dialects.sorted().map { .string($0.rawValue) }) }
}

package import Domain
import Ground

extension SQLStore {
    package func pageGrants(of app: AppID) throws(PlatformError) -> [PageGrant] {
        try transaction { database in
            try database.rows("SELECT \(PageGrant.columns) FROM page_grants WHERE app = \(app) ORDER BY name") {
                try PageGrant($0)
            }
        }
    }

    package func pageGrants(of app: AppID, about page: PageURL) throws(PlatformError) -> [PageGrant] {
        let paths = JSON.array(page.path.prefixes.map { .string($0.text) })
        return try transaction { database in
            try database.rows(
                """
                SELECT \(PageGrant.columns) FROM page_grants
                WHERE app = \(app) AND origin = \(page.origin) AND path IN \(database.dialect.texts(in: paths))
                ORDER BY name
                """
            ) { try PageGrant($0) }
        }
    }

    package func putPageGrant(
        _ grant: PageGrant, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let known = try database.row(
                "SELECT \(PageGrant.columns) FROM page_grants WHERE app = \(app) AND name = \(grant.name)"
            ) { try PageGrant($0) }
            if known == grant { return false }
            try database.requireCapacity(for: grant, isNew: known == nil, of: app)
            try database.execute(
                """
                INSERT INTO page_grants (app, name, origin, path, apis, expires_at)
                VALUES (
                    \(app), \(grant.name), \(grant.origin), \(grant.path), \(grant.apisJSON), \(grant.expiresAt)
                )
                ON CONFLICT (app, name) DO UPDATE SET
                    origin = excluded.origin, path = excluded.path, apis = excluded.apis,
                    expires_at = excluded.expires_at
                """)
            try database.append(audit)
            return known == nil
        }
    }

    package func removePageGrant(
        _ name: GrantName, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> PageGrant? {
        try transaction { database in
            let removed = try database.row(
                """
                DELETE FROM page_grants WHERE app = \(app) AND name = \(name) RETURNING \(PageGrant.columns)
                """
            ) { try PageGrant($0) }
            if removed != nil { try database.append(audit) }
            return removed
        }
    }
}

extension Database {
    fileprivate func requireCapacity(for grant: PageGrant, isNew: Bool, of app: AppID) throws {
        let other: GrantName? = try value(
            """
            SELECT name FROM page_grants
            WHERE app = \(app) AND origin = \(grant.origin) AND path = \(grant.path) AND name <> \(grant.name)
            """)
        if let other {
            throw PlatformError(
                .conflict,
                "The grant '\(other)' is for \(grant.origin)\(grant.path) already. Change that one, or delete it first."
            )
        }
        guard isNew else { return }
        let count: Int = try value("SELECT count(*) FROM page_grants WHERE app = \(app)") ?? 0
        guard count < PageGrant.maximumCount else {
            throw PlatformError(
                .conflict,
                "The app '\(app)' has \(count) page grants, which is the limit. Delete one that has expired or is no longer needed."
            )
        }
    }
}

extension PageGrant {
    fileprivate static let columns: SQL = "name, origin, path, apis, expires_at"

    fileprivate var apisJSON: JSON { .array(apis.map { .string($0) }) }

    fileprivate init(_ row: borrowing Row) throws {
        let apis: JSON = try row[3]
        self.init(
            name: try row[0], origin: try row[1], path: try row[2],
            apis: (apis.elements ?? []).compactMap(\.string), expiresAt: try row[4])
    }
}

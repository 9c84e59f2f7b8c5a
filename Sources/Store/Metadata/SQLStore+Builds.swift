package import Domain
import Ground

extension SQLStore {
    package func builds(of app: AppID) throws(PlatformError) -> [RegisteredBuild] {
        try transaction { database in
            try database.rows(
                "SELECT app_version, apis, changed_at FROM builds WHERE app = \(app) ORDER BY app_version"
            ) { row in
                let apis: JSON = try row[1]
                guard let build = HostBuild(appVersion: try row[0], apis: (apis.elements ?? []).compactMap(\.string))
                else { throw row.unreadable(1) }
                return RegisteredBuild(build, changedAt: try row[2])
            }
        }
    }

    package func putBuild(_ build: HostBuild, of app: AppID, audit: AuditEntry) throws(PlatformError) {
        try transaction { database in
            try database.execute(
                """
                INSERT INTO builds (app, app_version, apis, changed_at)
                VALUES (\(app), \(build.appVersion), \(JSON.array(build.apis.map { .string($0) })), \(audit.time))
                ON CONFLICT (app, app_version) DO UPDATE SET apis = excluded.apis, changed_at = excluded.changed_at
                """)
            try database.append(.audiencesChanged, of: app, at: audit.time)
            try database.change(app, at: audit.time, audit: audit)
        }
    }

    package func deleteBuild(_ appVersion: String, of app: AppID, audit: AuditEntry) throws(PlatformError) {
        try transaction { database in
            try database.execute("DELETE FROM builds WHERE app = \(app) AND app_version = \(appVersion)")
            try database.append(.audiencesChanged, of: app, at: audit.time)
            try database.change(app, at: audit.time, audit: audit)
        }
    }
}

extension Database {
    /// Returns the native APIs of each host build by `appVersion`.
    func builds(of app: AppID) throws -> [String: Set<String>] {
        let builds = try rows("SELECT app_version, apis FROM builds WHERE app = \(app)") { row in
            (version: try row[0] as String, apis: try row[1] as JSON)
        }
        // Older servers stored two Unicode forms of one name as two builds: such a build has the APIs that both have.
        return Dictionary(
            builds.map { ($0.version, Set(($0.apis.elements ?? []).compactMap(\.string))) },
            uniquingKeysWith: { $0.intersection($1) })
    }
}

package import Domain
import Ground

extension SQLiteStore {
    package func deviceLists(of app: AppID) throws(PlatformError) -> [DeviceListSummary] {
        try transaction { try $0.deviceLists(of: app) }
    }

    package func devices(on list: DeviceListName, of app: AppID) throws(PlatformError) -> DeviceSet? {
        try transaction { database in
            let bytes: [UInt8]? = try database.value(
                "SELECT devices FROM device_lists WHERE app = \(app) AND name = \(list)")
            guard let bytes else { return nil }
            guard let devices = DeviceSet(bytes: bytes) else {
                throw SQLiteError.unreadable("column devices", statement: "SELECT devices")
            }
            return devices
        }
    }

    package func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let known: Int? = try database.value(
                "SELECT 1 FROM device_lists WHERE app = \(app) AND name = \(list)")
            let count: Int = try database.value("SELECT count(*) FROM device_lists WHERE app = \(app)") ?? 0
            guard known != nil || count < DeviceListSummary.maximumCount else {
                throw PlatformError(
                    .conflict,
                    "The app '\(app)' has \(count) device lists, which is the limit. Use an existing one.")
            }
            try database.execute(
                """
                INSERT INTO device_lists (app, name, devices, changed_at)
                VALUES (\(app), \(list), \(devices.bytes), \(audit.time))
                ON CONFLICT (app, name) DO UPDATE SET
                    devices = excluded.devices, changed_at = excluded.changed_at, revision = revision + 1
                """)
            if known != nil { try database.append(.audiencesChanged, of: app, at: audit.time) }
            try database.change(app, at: audit.time, audit: audit)
            return known == nil
        }
    }

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
    /// Returns the app's device lists by name.
    func deviceLists(of app: AppID) throws -> [DeviceListSummary] {
        try rows(
            """
            SELECT name, length(devices), revision, changed_at FROM device_lists WHERE app = \(app) ORDER BY name
            """
        ) { row in
            let bytes: Int = try row[1]
            return DeviceListSummary(
                name: try row[0], count: bytes / DeviceSet.bytesPerDevice, revision: try row[2],
                changedAt: try row[3])
        }
    }

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

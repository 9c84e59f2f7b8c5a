package import Domain
import Ground

extension SQLStore {
    package func deviceLists(of app: AppID) throws(PlatformError) -> [DeviceListSummary] {
        try transaction { try $0.deviceLists(of: app) }
    }

    package func devices(on list: DeviceListName, of app: AppID) throws(PlatformError) -> DeviceSet? {
        try transaction { database in
            let bytes: [UInt8]? = try database.value(
                "SELECT devices FROM device_lists WHERE app = \(app) AND name = \(list)")
            guard let bytes else { return nil }
            guard let devices = DeviceSet(bytes: bytes) else {
                throw DatabaseError.unreadable("column devices", statement: "SELECT devices")
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
                    devices = excluded.devices, changed_at = excluded.changed_at,
                    revision = device_lists.revision + 1
                """)
            if known != nil { try database.append(.audiencesChanged, of: app, at: audit.time) }
            try database.change(app, at: audit.time, audit: audit)
            return known == nil
        }
    }

    package func removeDeviceList(
        _ list: DeviceListName, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let number: Int64? = try database.value(
                "SELECT number FROM device_lists WHERE app = \(app) AND name = \(list)")
            guard let number else { return false }
            let user = try database.row(
                """
                SELECT releases.id, packages.id FROM releases JOIN packages ON packages.number = releases.package
                WHERE whitelist = \(number) OR excluded = \(number) ORDER BY releases.id DESC LIMIT 1
                """
            ) { row in (release: try row[0] as ReleaseID, package: try row[1] as PackageID) }
            if let user {
                throw PlatformError(
                    .conflict,
                    "Release \(user.release) of '\(user.package)' names the device list '\(list)'. Only a list that no release "
                        + "has named can be deleted. Upload another list instead.")
            }
            try database.execute("DELETE FROM device_lists WHERE number = \(number)")
            try database.change(app, at: audit.time, audit: audit)
            return true
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
}

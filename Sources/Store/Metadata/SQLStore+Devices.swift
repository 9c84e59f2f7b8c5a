package import Domain
import Ground

extension SQLStore {
    package func deviceSecret() throws(PlatformError) -> [UInt8] {
        try transaction { try $0.deviceKey() }
    }

    package func settleDeviceSecret(
        _ rule: @escaping @Sendable (DeviceSecretRecord?) throws(PlatformError) -> DeviceSecretRecord?
    ) throws(PlatformError) -> DeviceSecretRecord? {
        try transaction { database in
            let old = try database.row(
                """
                SELECT device_secret_fingerprint, device_secret_replaced_at FROM meta WHERE device_secret_fingerprint IS NOT NULL
                """
            ) { row in DeviceSecretRecord(fingerprint: try row[0], replacedAt: try row[1]) }
            let new = try rule(old)
            if let new, new != old {
                try database.execute(
                    """
                    UPDATE meta SET device_secret_fingerprint = \(new.fingerprint), device_secret_replaced_at = \(new.replacedAt)
                    """)
            }
            return new
        }
    }

    package func device(_ names: DeviceNames, in app: AppID) throws(PlatformError) -> DeviceRecord {
        try transaction { database in
            let seen = try database.rows(
                """
                SELECT channel, device, coalesce(facts.text, \(SeenTexts.noFacts)), have.text, cut, seen_at
                FROM seen_places JOIN seen_devices ON seen_devices.place = seen_places.number
                LEFT JOIN seen_texts AS facts ON facts.number = seen_devices.facts
                LEFT JOIN seen_texts AS have ON have.number = seen_devices.have
                WHERE app = \(app) AND device IN (\(names.plain.key), \(names.hashed.key))
                """
            ) { row in
                (
                    try row[0] as ChannelName,
                    SeenDevice(
                        key: try row[1], facts: try row[2], have: try row[3], isCut: try row[4], seenAt: try row[5])
                )
            }
            let count = try database.reportCount(of: names, in: app, upTo: DeviceRecord.maximumExamined + 1)
            return DeviceRecord(
                // Two rows of a channel are from before and after a change of the form.
                seen: Dictionary(seen) { $0.seenAt > $1.seenAt ? $0 : $1 },
                events: try database.events(of: names, in: app),
                installed: try database.installations(of: names, in: app),
                isTruncated: count > DeviceRecord.maximumExamined)
        }
    }

    package func eraseDevice(
        _ names: DeviceNames, in app: AppID, audit: @escaping @Sendable (DeviceErasure) -> AuditEntry
    ) throws(PlatformError) -> DeviceErasure {
        // The remembered texts may be removed.
        seenTexts = nil
        return try transaction { database in
            let channels = try database.eraseSeen(names, in: app)
            // Each change of what a device sends has left a text behind, until the next sweep.
            let texts = try database.removeUnusedTexts().count
            let reports = try database.eraseReports(of: names, in: app)
            let lists = try database.listsNaming(names.plain.key, of: app)
            let erasure = DeviceErasure(
                channels: channels, reports: reports, lists: lists,
                isComplete: try texts < SeenTexts.removedAtOnce
                    && database.reportCount(of: names, in: app, upTo: 1) == 0)
            let entry = audit(erasure)
            guard !lists.isEmpty else {
                try database.append(entry)
                return erasure
            }
            for list in lists { try database.erase(names.plain.key, from: list, of: app, at: entry.time) }
            try database.append(.audiencesChanged, of: app, at: entry.time)
            try database.change(app, at: entry.time, audit: entry)
            return erasure
        }
    }
}

extension Database {
    fileprivate func reportCount(of device: DeviceNames, in app: AppID, upTo count: Int) throws -> Int {
        try value(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM reports WHERE \(dialect.isReport(of: device, in: app)) LIMIT \(count)) AS own
            """) ?? 0
    }

    /// Returns the latest reports of a device, newest first.
    fileprivate func events(of device: DeviceNames, in app: AppID) throws -> [DeviceRecord.Event] {
        try events(
            """
            SELECT number FROM (\(examined(of: device, in: app))) AS own
            ORDER BY number DESC LIMIT \(DeviceRecord.maximumEvents)
            """)
    }

    /// Returns the latest report of each package that shows an installation, among the examined ones.
    fileprivate func installations(of device: DeviceNames, in app: AppID) throws -> [PackageID: DeviceRecord.Event] {
        let own = try rows(
            """
            SELECT package, event, max(own.number) FROM (\(examined(of: device, in: app))) AS own
            JOIN versions ON versions.number = own.version GROUP BY package, event
            """
        ) { row in (package: try row[0] as Int64, event: try row[1] as String, number: try row[2] as Int64) }
        var latest: [Int64: Int64] = [:]
        for report in own where InstallationEvent(report.event) == .installed {
            latest[report.package] = max(latest[report.package] ?? 0, report.number)
        }
        return try latest.values.reduce(into: [:]) { installed, number in
            for event in try events("\(number)") { installed[event.package] = event }
        }
    }

    /// Returns the examined reports of a device: a bounded number of them, by their index.
    private func examined(of device: DeviceNames, in app: AppID) -> SQL {
        """
        SELECT number, version, event FROM reports
        WHERE \(dialect.isReport(of: device, in: app)) \(dialect.newestSegmentsFirst)
        LIMIT \(DeviceRecord.maximumExamined)
        """
    }

    /// Returns the reports with the selected numbers, newest first.
    private func events(_ numbers: SQL) throws -> [DeviceRecord.Event] {
        try rows(
            """
            SELECT event_id, packages.id, versions.version, event, time, received_at, details FROM reports
            JOIN versions ON versions.number = reports.version JOIN packages ON packages.number = versions.package
            WHERE reports.number IN (\(numbers)) ORDER BY reports.number DESC
            """
        ) { row in
            DeviceRecord.Event(
                eventID: try row[0], package: try row[1], version: try row[2], event: try row[3], time: try row[4],
                receivedAt: try row[5], details: try row[6])
        }
    }

    /// Removes a device from the seen devices; returns the number of channels.
    fileprivate func eraseSeen(_ names: DeviceNames, in app: AppID) throws -> Int {
        let channels: [Int64] = try values(
            """
            DELETE FROM seen_devices
            WHERE device IN (\(names.plain.key), \(names.hashed.key))
                AND place IN (SELECT number FROM seen_places WHERE app = \(app))
            RETURNING place
            """)
        return Set(channels).count
    }

    fileprivate func eraseReports(of device: DeviceNames, in app: AppID) throws -> Int {
        try execute(
            """
            DELETE FROM reports WHERE number IN (
                SELECT number FROM reports WHERE \(dialect.isReport(of: device, in: app))
                LIMIT \(DeviceErasure.maximumReports))
            """)
    }

    /// Returns the device lists with a device.
    fileprivate func listsNaming(_ key: DeviceKey, of app: AppID) throws -> [DeviceListName] {
        // The bytes may also be found across two keys.
        let names: [DeviceListName] = try values(
            """
            SELECT name FROM device_lists
            WHERE app = \(app) AND \(dialect.position(of: "\(key)", in: "devices")) > 0 ORDER BY name
            """)
        return try names.filter { try devices(on: $0, of: app).contains(key) }
    }

    private func devices(on list: DeviceListName, of app: AppID) throws -> DeviceSet {
        let bytes: [UInt8]? = try value("SELECT devices FROM device_lists WHERE app = \(app) AND name = \(list)")
        guard let devices = DeviceSet(bytes: bytes ?? []) else {
            throw DatabaseError.unreadable("column devices", statement: "SELECT devices")
        }
        return devices
    }

    fileprivate func erase(_ key: DeviceKey, from list: DeviceListName, of app: AppID, at instant: Timestamp) throws {
        let left = try devices(on: list, of: app).removing(key)
        try execute(
            """
            UPDATE device_lists SET devices = \(left.bytes), changed_at = \(instant), revision = revision + 1
            WHERE app = \(app) AND name = \(list)
            """)
    }
}

package import Domain
import Ground

extension SQLStore {
    package func defaultHealth(of app: AppID) throws(PlatformError) -> HealthPolicy? {
        let json: JSON? = try transaction { database in
            try database.value("SELECT health FROM apps WHERE id = \(app) AND health IS NOT NULL")
        }
        return try json.flatMap { json throws(PlatformError) in try HealthPolicy.read(json) }
    }

    package func setDefaultHealth(
        _ policy: HealthPolicy?, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            try database.requireApp(app)
            try database.execute("UPDATE apps SET health = \(policy?.json) WHERE id = \(app)")
            try database.append(audit)
        }
    }

    package func healthWatches(of releases: [ReleaseID]) throws(PlatformError) -> [ReleaseID: HealthWatch] {
        let ids = JSON.array(releases.map { .integer($0.value) })
        return try transaction { database in
            let watches = try database.rows(
                """
                SELECT release, number, since, tripped_action, was_stopped, verdict FROM release_health
                WHERE release IN \(database.dialect.integers(in: ids))
                """
            ) { row in
                let (action, wasStopped): (HealthAction?, Bool) = (try row[3], try row[4])
                let watch = HealthWatch(
                    number: try row[1], since: try row[2],
                    trip: action.map { HealthWatch.Trip(action: $0, wasStopped: wasStopped) }, verdict: try row[5])
                return (try row[0] as ReleaseID, watch)
            }
            return Dictionary(uniqueKeysWithValues: watches)
        }
    }

    package func healthStep(of release: ReleaseID) throws(PlatformError) -> HealthStep? {
        try transaction { database in
            try database.row("SELECT device_count, devices FROM health_steps WHERE release = \(release)") { row in
                let bytes: [UInt8]? = try row[1]
                return HealthStep(count: try row[0], devices: bytes.flatMap(DeviceSketch.init(bytes:)))
            }
        }
    }

    package func setHealthWatch(
        _ watch: HealthWatch, of release: ReleaseID, audit: AuditEntry?
    ) throws(PlatformError) {
        try transaction { database in
            let changed = try database.execute(
                """
                INSERT INTO release_health (release, number, since, tripped_action, was_stopped, verdict)
                VALUES (
                    \(release), \(watch.number), \(watch.since), \(watch.trip?.action),
                    \(watch.trip?.wasStopped ?? false), \(watch.verdict)
                )
                ON CONFLICT (release) DO UPDATE SET
                    number = excluded.number, since = excluded.since, tripped_action = excluded.tripped_action,
                    was_stopped = excluded.was_stopped, verdict = excluded.verdict
                WHERE release_health.number < excluded.number
                    OR release_health.number = excluded.number AND (
                        release_health.tripped_action IS NULL
                        OR \(SQL.strength(of: "excluded")) > \(SQL.strength(of: "release_health")))
                """)
            guard changed == 1 else {
                throw PlatformError(.conflict, "Another server has judged release \(release).")
            }
            if let audit { try database.append(audit) }
        }
    }
}

extension Database {
    /// Replaces the devices at the latest plan step of a release.
    func write(_ step: HealthStep, of release: ReleaseID) throws {
        try execute(
            """
            INSERT INTO health_steps (release, device_count, devices)
            VALUES (\(release), \(step.count), \(step.devices?.bytes))
            ON CONFLICT (release) DO UPDATE SET device_count = excluded.device_count, devices = excluded.devices
            """)
    }

    /// Writes what a change of a release, which is not written yet, does to a trip whose action is due.
    func changeTrip(with changed: Release) throws {
        let action: HealthAction? = try value(
            """
            SELECT tripped_action FROM release_health
            WHERE release = \(changed.id) AND tripped_action IS NOT NULL AND was_stopped = 0
            """)
        guard let action, let release = try releases(where: "releases.id = \(changed.id)").first else { return }
        let trip = HealthWatch.Trip(action: action).after(release, became: changed)
        try execute(
            """
            UPDATE release_health SET tripped_action = \(trip?.action), was_stopped = \(trip?.wasStopped ?? false)
            WHERE release = \(changed.id)
            """)
    }
}

extension SQL {
    /// Returns the expression of the strength of a watch's tripped action.
    fileprivate static func strength(of watch: SQL) -> SQL {
        "CASE \(watch).tripped_action WHEN 'pause' THEN 1 WHEN 'halt' THEN 2 WHEN 'rollback' THEN 3 ELSE 0 END"
    }
}

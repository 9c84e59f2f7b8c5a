package import Domain

extension SQLiteStore {
    package func noteSeenDevices(_ devices: [SeenPlace: [SeenDevice]]) throws(PlatformError) {
        try transaction { database in
            for (place, devices) in devices {
                guard let first = devices.map(\.seenAt).min() else { continue }
                let number = try database.number(ofSeen: place, since: first)
                // In the order of the table, so that each of its pages is written once. Of two of a device, the later wins.
                let ordered = devices.enumerated().sorted {
                    ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
                }
                for (_, device) in ordered { try database.note(device, at: number) }
            }
        }
    }

    package func seenPlaces() throws(PlatformError) -> [SeenPlace: Timestamp] {
        let places = try transaction { database in
            try database.rows("SELECT app, channel, since FROM seen_places") { row in
                (SeenPlace(app: try row[0], channel: try row[1]), since: try row[2] as Timestamp)
            }
        }
        return Dictionary(uniqueKeysWithValues: places)
    }

    package func seenDevices(
        at place: SeenPlace, after last: DeviceKey?, upTo count: Int
    ) throws(PlatformError) -> [SeenDevice] {
        try transaction { database in
            try database.rows(
                """
                SELECT device, facts, have, cut, seen_at FROM seen_devices
                WHERE place = (\(SQL.number(ofSeen: place))) AND device > \(last?.bytes ?? [])
                ORDER BY device LIMIT \(count)
                """
            ) { row in
                SeenDevice(key: try row[0], facts: try row[1], have: try row[2], isCut: try row[3], seenAt: try row[4])
            }
        }
    }

    package func removeSeenDevices(
        at place: SeenPlace, notWithin kept: Range<Timestamp>, after last: DeviceKey?, upTo count: Int
    ) throws(PlatformError) -> DeviceKey? {
        try transaction { database in
            let first = last?.bytes ?? []
            let end: DeviceKey? = try database.value(
                """
                SELECT device FROM (
                    SELECT device FROM seen_devices
                    WHERE place = (\(SQL.number(ofSeen: place))) AND device > \(first) ORDER BY device LIMIT \(count))
                ORDER BY device DESC LIMIT 1
                """)
            guard let end else { return nil }
            try database.execute(
                """
                DELETE FROM seen_devices
                WHERE place = (\(SQL.number(ofSeen: place))) AND device > \(first) AND device <= \(end.bytes)
                    AND (seen_at < \(kept.lowerBound) OR seen_at >= \(kept.upperBound))
                """)
            return end
        }
    }

    package func removeAllSeenDevices() throws(PlatformError) {
        try transaction { database in
            try database.execute("DELETE FROM seen_devices")
            try database.execute("DELETE FROM seen_places")
        }
    }
}

extension SQL {
    fileprivate static func number(ofSeen place: SeenPlace) -> SQL {
        "SELECT number FROM seen_places WHERE app = \(place.app) AND channel = \(place.channel)"
    }
}

extension Database {
    /// The number of a place, which is there from now on.
    fileprivate func number(ofSeen place: SeenPlace, since first: Timestamp) throws -> Int64 {
        if let known: Int64 = try value(SQL.number(ofSeen: place)) { return known }
        return try inserted(
            """
            INSERT INTO seen_places (app, channel, since) VALUES (\(place.app), \(place.channel), \(first))
            RETURNING number
            """)
    }

    fileprivate func note(_ device: SeenDevice, at place: Int64) throws {
        try execute(
            """
            INSERT INTO seen_devices (place, device, seen_at, facts, have, cut)
            VALUES (\(place), \(device.key), \(device.seenAt), \(device.facts), \(device.have), \(device.isCut))
            ON CONFLICT (place, device) DO UPDATE SET
                seen_at = excluded.seen_at, facts = excluded.facts, have = excluded.have, cut = excluded.cut
            """)
    }
}

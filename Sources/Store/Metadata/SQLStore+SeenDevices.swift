package import Domain
package import Ground

extension SQLStore {
    package func noteSeenDevices(_ devices: [SeenChannel: [SeenDevice]]) throws(PlatformError) {
        if database.isShared, seenTexts?.beginSharedBatch() == false { seenTexts = nil }
        let known = seenTexts
        // Read again if the transaction is rolled back.
        seenTexts = nil
        seenTexts = try transaction { database in
            var texts = try known ?? database.readSeenTexts()
            for (channel, devices) in devices {
                guard let first = devices.map(\.seenAt).min() else { continue }
                let number = try database.number(ofSeen: channel, since: first)
                // In the order of the table, so that each of its pages is written once. The later entry of a device
                // wins.
                let ordered = devices.enumerated().sorted {
                    ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
                }
                for (_, device) in ordered { try database.note(device, in: number, &texts) }
            }
            return texts
        }
    }

    package func seenChannels() throws(PlatformError) -> [SeenChannel: Timestamp] {
        let channels = try transaction { database in
            try database.rows("SELECT app, channel, since FROM seen_places") { row in
                (SeenChannel(app: try row[0], channel: try row[1]), since: try row[2] as Timestamp)
            }
        }
        return Dictionary(uniqueKeysWithValues: channels)
    }

    package func seenDevices(
        in channel: SeenChannel, after last: DeviceKey?, upTo count: Int
    ) throws(PlatformError) -> [SeenDevice] {
        try transaction { database in
            try database.rows(
                """
                SELECT device, coalesce(facts.text, \(SeenTexts.noFacts)), have.text, cut, seen_at FROM seen_devices
                LEFT JOIN seen_texts AS facts ON facts.number = seen_devices.facts
                LEFT JOIN seen_texts AS have ON have.number = seen_devices.have
                WHERE place = (\(SQL.number(ofSeen: channel))) AND device > \(last?.bytes ?? [])
                ORDER BY device LIMIT \(count)
                """
            ) { row in
                SeenDevice(key: try row[0], facts: try row[1], have: try row[2], isCut: try row[3], seenAt: try row[4])
            }
        }
    }

    package func removeSeenDevices(
        in channel: SeenChannel, notWithin kept: Range<Timestamp>, after last: DeviceKey?, upTo count: Int
    ) throws(PlatformError) -> DeviceKey? {
        let known = seenTexts
        seenTexts = nil
        let (end, devices) = try transaction { database in
            let first = last?.bytes ?? []
            let end: DeviceKey? = try database.value(
                """
                SELECT device FROM (
                    SELECT device FROM seen_devices
                    WHERE place = (\(SQL.number(ofSeen: channel))) AND device > \(first) ORDER BY device LIMIT \(count))
                    AS seen
                ORDER BY device DESC LIMIT 1
                """)
            guard let end else { return (nil as DeviceKey?, 0) }
            let devices = try database.execute(
                """
                DELETE FROM seen_devices
                WHERE place = (\(SQL.number(ofSeen: channel))) AND device > \(first) AND device <= \(end.bytes)
                    AND (seen_at < \(kept.lowerBound) OR seen_at >= \(kept.upperBound))
                """)
            return (end, devices)
        }
        seenTexts = known
        seenTexts?.devices -= devices
        return end
    }

    package func removeUnusedTexts() throws(PlatformError) -> Int {
        let known = seenTexts
        seenTexts = nil
        let lengths = try transaction { try $0.removeUnusedTexts() }
        seenTexts = known
        seenTexts?.forget(lengths)
        return lengths.count
    }

    package func removeAllSeenDevices() throws(PlatformError) {
        seenTexts = nil
        try transaction { database in
            try database.execute("DELETE FROM seen_devices")
            try database.execute("DELETE FROM seen_texts")
            try database.execute("DELETE FROM seen_places")
        }
    }
}

extension SQL {
    fileprivate static func number(ofSeen channel: SeenChannel) -> SQL {
        "SELECT number FROM seen_places WHERE app = \(channel.app) AND channel = \(channel.channel)"
    }
}

extension Database {
    /// Returns the number of an app and channel, and adds their row if it is missing.
    fileprivate func number(ofSeen channel: SeenChannel, since first: Timestamp) throws -> Int64 {
        if let known: Int64 = try value(SQL.number(ofSeen: channel)) { return known }
        return try inserted(
            """
            INSERT INTO seen_places (app, channel, since) VALUES (\(channel.app), \(channel.channel), \(first))
            RETURNING number
            """)
    }

    fileprivate func readSeenTexts() throws -> SeenTexts {
        let devices: Int = try value("SELECT count(*) FROM seen_devices") ?? 0
        // A sum over no rows is null.
        let length = dialect.byteCount(of: "text")
        let bytes: Int = try value("SELECT coalesce(sum(\(length) * 4 / 3 + 60), 0) FROM seen_texts") ?? 0
        return SeenTexts(devices: devices, bytes: bytes)
    }

    fileprivate func note(_ device: SeenDevice, in channelNumber: Int64, _ texts: inout SeenTexts) throws {
        let day = device.seenAt.milliseconds / 86_400_000
        let key: SQL = "place = \(channelNumber) AND device = \(device.key)"
        let row: Int? = try value("SELECT 1 FROM seen_devices WHERE \(key)")
        // A new device brings its share of the room.
        if row == nil { texts.devices += 1 }
        let facts = try number(of: device.facts, on: day, &texts)
        let have = try device.have.flatMap { try number(of: $0, on: day, &texts) }
        let isCut = device.isCut || facts == nil || (have == nil && device.have != nil)
        let noFacts = try facts ?? number(of: SeenTexts.noFacts, on: day, &texts)
        if row == nil {
            try execute(
                """
                INSERT INTO seen_devices (place, device, seen_at, facts, have, cut)
                VALUES (\(channelNumber), \(device.key), \(device.seenAt), \(noFacts), \(have), \(isCut))
                """)
        } else {
            try execute(
                """
                UPDATE seen_devices SET seen_at = \(device.seenAt), facts = \(noFacts), have = \(have), cut = \(isCut)
                WHERE \(key)
                """)
        }
    }

    /// Returns the number of a text, and adds its row if it is missing; returns `nil` if there is no room for it.
    private func number(of text: String, on day: Int64, _ texts: inout SeenTexts) throws -> Int64? {
        if let entry = texts[text] { return try use(entry, of: text, on: day, &texts) }
        let hash = SeenTexts.hash(text)
        // Texts whose hashes collide are stored again, so that forged collisions do not slow lookups.
        let found = try rows("SELECT number, used_on, text FROM seen_texts WHERE hash = \(hash) LIMIT 4") { row in
            (entry: SeenTexts.Known(number: try row[0], day: try row[1]), text: try row[2] as String)
        }
        if let known = found.first(where: { $0.text.utf8.elementsEqual(text.utf8) }) {
            return try use(known.entry, of: text, on: day, &texts)
        }
        guard texts.hasRoom(for: text) else { return nil }
        let number = try inserted(
            "INSERT INTO seen_texts (hash, text, used_on) VALUES (\(hash), \(text), \(day)) RETURNING number")
        texts.bytes += SeenTexts.cost(ofBytes: text.utf8.count)
        texts.remember(text, SeenTexts.Known(number: number, day: day))
        return number
    }

    private func use(
        _ entry: SeenTexts.Known, of text: String, on day: Int64, _ texts: inout SeenTexts
    ) throws -> Int64 {
        var entry = entry
        if day > entry.day {
            try execute("UPDATE seen_texts SET used_on = \(day) WHERE number = \(entry.number)")
            entry.day = day
        }
        texts.remember(text, entry)
        return entry.number
    }

    /// Removes at most ``SeenTexts/removedAtOnce`` texts that no device sends any more; returns their lengths in bytes.
    fileprivate func removeUnusedTexts() throws -> [Int] {
        try values(
            """
            DELETE FROM seen_texts WHERE number IN (
                SELECT number FROM seen_texts
                WHERE used_on < coalesce((SELECT min(seen_at) / 86400000 FROM seen_devices), 9223372036854775807)
                LIMIT \(SeenTexts.removedAtOnce))
            RETURNING \(dialect.byteCount(of: "text"))
            """)
    }
}

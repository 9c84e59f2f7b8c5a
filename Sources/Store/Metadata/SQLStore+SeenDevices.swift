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
                // A channel may be deleted after a device was seen on it.
                guard let number = try database.number(ofSeen: channel, since: first) else { continue }
                // In the order of the table, so that each of its pages is written once. The later entry of a device
                // wins.
                let ordered = devices.enumerated().sorted {
                    ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
                }.map(\.element)
                switch database.dialect {
                case .sqlite: for device in ordered { try database.note(device, in: number, &texts) }
                case .postgreSQL: try database.note(ordered, in: number, &texts)
                }
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
            let place = SQL.number(ofSeen: channel)
            let first = last?.bytes ?? []
            let seen = try database.rows(
                """
                SELECT device, facts, have, cut, seen_at FROM seen_devices
                WHERE place = (\(place)) AND device > \(first) ORDER BY device LIMIT \(count)
                """
            ) { row in
                (
                    key: try row[0] as DeviceKey, facts: try row[1] as Int64?, have: try row[2] as Int64?,
                    isCut: try row[3] as Bool, seenAt: try row[4] as Timestamp
                )
            }
            guard let end = seen.last?.key else { return [] }
            // Most devices share their texts, so each text is read once for the page.
            let range: SQL = "place = (\(place)) AND device > \(first) AND device <= \(end.bytes)"
            let texts = Dictionary(
                uniqueKeysWithValues: try database.rows(
                    """
                    SELECT number, text FROM seen_texts WHERE number IN (
                        SELECT facts FROM seen_devices WHERE \(range) UNION SELECT have FROM seen_devices WHERE \(range))
                    """
                ) { row in (try row[0] as Int64, try row[1] as String) })
            return seen.map { device in
                SeenDevice(
                    key: device.key, facts: device.facts.flatMap { texts[$0] } ?? SeenTexts.noFacts,
                    have: device.have.flatMap { texts[$0] }, isCut: device.isCut, seenAt: device.seenAt)
            }
        }
    }

    package func removeSeenDevices(
        in channel: SeenChannel, notWithin kept: Range<Timestamp>, at now: Timestamp, after last: DeviceKey?,
        upTo count: Int
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
                    AND seen_at < \(kept.lowerBound)
                """)
            try database.execute(
                """
                UPDATE seen_devices SET seen_at = \(now)
                WHERE place = (\(SQL.number(ofSeen: channel))) AND device > \(first) AND device <= \(end.bytes)
                    AND seen_at >= \(kept.upperBound)
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
    /// Returns the number of an app and channel, and adds their row if it is missing; `nil` if there is no such channel.
    fileprivate func number(ofSeen channel: SeenChannel, since first: Timestamp) throws -> Int64? {
        if let known: Int64 = try value(SQL.number(ofSeen: channel)) { return known }
        return try value(
            """
            INSERT INTO seen_places (app, channel, since)
            SELECT app, name, \(first) FROM channels WHERE app = \(channel.app) AND name = \(channel.channel)
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

    /// Writes the row of a device.
    fileprivate func note(_ device: SeenDevice, in channelNumber: Int64, _ texts: inout SeenTexts) throws {
        let numbers = try numbers(of: device, &texts)
        let values: [SQLValue] = [
            .integer(device.seenAt.milliseconds), numbers.facts?.sqlValue ?? .null, numbers.have?.sqlValue ?? .null,
            .integer(numbers.isCut ? 1 : 0), .integer(channelNumber), device.key.sqlValue,
        ]
        // Most devices are known. Interpolation would build the same texts for each device.
        guard try execute(SQL(text: Self.update, values: values)) == 0 else { return }
        try execute(SQL(text: Self.insertion, values: values))
        texts.devices += 1
    }

    /// A clock that is far behind must not make a device look as if it had not been seen for long: the next sweep by the
    /// right clock would remove it.
    private static let update =
        "UPDATE seen_devices SET seen_at = max(seen_at, ?), facts = ?, have = ?, cut = ? WHERE place = ? AND device = ?"
    private static let insertion =
        "INSERT INTO seen_devices (seen_at, facts, have, cut, place, device) VALUES (?, ?, ?, ?, ?, ?)"

    /// Writes the rows of devices by one statement, since each statement waits for the server.
    ///
    /// - Parameter ordered: The devices by their keys, the later entries of a device last.
    fileprivate func note(_ ordered: [SeenDevice], in channelNumber: Int64, _ texts: inout SeenTexts) throws {
        var rows: [NotedDevice] = []
        for device in ordered {
            var row = NotedDevice(key: device.key, seenAt: device.seenAt, numbers: try numbers(of: device, &texts))
            if let last = rows.last, last.key == row.key {
                row.seenAt = max(row.seenAt, last.seenAt)
                rows.removeLast()
            }
            rows.append(row)
        }
        func column(_ value: (NotedDevice) -> JSON) -> JSON { .array(rows.map(value)) }
        let added: [Bool] = try values(
            """
            INSERT INTO seen_devices (place, device, seen_at, facts, have, cut)
            SELECT \(channelNumber), decode(device, 'hex'), seen_at::bigint, facts::bigint, have::bigint, cut::bigint
            FROM ROWS FROM (
                json_array_elements_text(\(column { .string(Hex.encode($0.key.bytes)) })::json),
                json_array_elements_text(\(column { .integer($0.seenAt.milliseconds) })::json),
                json_array_elements_text(\(column { $0.numbers.facts.map { .integer($0) } ?? .null })::json),
                json_array_elements_text(\(column { $0.numbers.have.map { .integer($0) } ?? .null })::json),
                json_array_elements_text(\(column { .integer($0.numbers.isCut ? 1 : 0) })::json)
            ) AS given (device, seen_at, facts, have, cut)
            ON CONFLICT (place, device) DO UPDATE SET
                seen_at = greatest(seen_devices.seen_at, excluded.seen_at),
                facts = excluded.facts, have = excluded.have, cut = excluded.cut
            RETURNING (xmax = 0)::int::bigint
            """)
        texts.devices += added.count { $0 }
    }

    /// The new row of a device.
    private struct NotedDevice {
        let key: DeviceKey
        var seenAt: Timestamp
        let numbers: TextNumbers
    }

    /// The numbers of the texts of a device.
    private struct TextNumbers {
        let facts: Int64?
        let have: Int64?
        let isCut: Bool
    }

    /// Returns the numbers of the texts of a device; texts for which there is no room are left out.
    private func numbers(of device: SeenDevice, _ texts: inout SeenTexts) throws -> TextNumbers {
        let facts = try number(of: device.facts, &texts)
        let have = try device.have.flatMap { try number(of: $0, &texts) }
        let isCut = device.isCut || facts == nil || (have == nil && device.have != nil)
        return TextNumbers(
            facts: try facts ?? number(of: SeenTexts.noFacts, &texts), have: have, isCut: isCut)
    }

    /// Returns the number of a text, and adds its row if it is missing; returns `nil` if there is no room for it.
    private func number(of text: String, _ texts: inout SeenTexts) throws -> Int64? {
        if let number = texts[text] { return number }
        let hash = SeenTexts.hash(text)
        // Texts whose hashes collide are stored again, so that forged collisions do not slow lookups.
        let found = try rows("SELECT number, text FROM seen_texts WHERE hash = \(hash) LIMIT 4") { row in
            (number: try row[0] as Int64, text: try row[1] as String)
        }
        if let known = found.first(where: { $0.text.utf8.elementsEqual(text.utf8) }) {
            texts.remember(text, known.number)
            return known.number
        }
        guard texts.hasRoom(for: text) else { return nil }
        let number = try inserted("INSERT INTO seen_texts (hash, text) VALUES (\(hash), \(text)) RETURNING number")
        texts.bytes += SeenTexts.cost(ofBytes: text.utf8.count)
        texts.remember(text, number)
        return number
    }

    /// Removes at most ``SeenTexts/removedAtOnce`` texts that no device refers to; returns their lengths in bytes.
    func removeUnusedTexts() throws -> [Int] {
        // EXCEPT reads each table once; there is no index of the columns that refer to texts.
        try values(
            """
            DELETE FROM seen_texts WHERE number IN (
                SELECT number FROM seen_texts
                EXCEPT SELECT facts FROM seen_devices
                EXCEPT SELECT have FROM seen_devices
                LIMIT \(SeenTexts.removedAtOnce))
            RETURNING \(dialect.byteCount(of: "text"))
            """)
    }
}

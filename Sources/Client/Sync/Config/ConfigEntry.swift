import Domain

/// One entry of `/config`, as it came.
struct ConfigEntry: Sendable, Equatable {
    let package: PackageID
    let json: JSON

    /// What has no priority comes after what has one above 0.
    var priority: Double {
        switch json["priority"] {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: 0
        }
    }

    /// The version that takes effect later, and from when by the server's time.
    var next: (json: JSON, activeTime: Timestamp)? {
        guard let next = json["next"], let time = next["activeTime"]?.string.flatMap(Timestamp.init(rfc3339:)) else {
            return nil
        }
        return (next, time)
    }

    /// What the entry offers at an instant: `next` once its time has come, which no later answer is needed for.
    func offer(at now: Timestamp) -> JSON {
        guard let next, next.activeTime <= now else { return json }
        return next.json
    }

    /// What comes after that instant, if anything does.
    func upcoming(at now: Timestamp) -> (json: JSON, activeTime: Timestamp)? {
        guard let next, next.activeTime > now else { return nil }
        return next
    }
}

/// The body of `/config`.
struct ConfigBody: Sendable, Equatable {
    /// In the order in which seed 000's client starts them: by falling priority (clients.md K7), then by id.
    let entries: [ConfigEntry]

    /// `nil` where the bytes are not a JSON object (clients.md K1); entries whose key is no package id are left out.
    init?(_ bytes: [UInt8]) {
        guard let members = JSON(parsing: bytes)?.members else { return nil }
        let entries = members.compactMap { member in
            PackageID(member.key).map { ConfigEntry(package: $0, json: member.value) }
        }
        self.entries = entries.sorted { left, right in
            (right.priority, left.package) < (left.priority, right.package)
        }
    }

    /// The next instant at which what the entries offer changes by itself.
    func boundary(after now: Timestamp) -> Timestamp? {
        entries.compactMap { $0.upcoming(at: now)?.activeTime }.min()
    }
}

import Domain

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

    /// The next instant at which what the entries offer changes by itself, or is to be downloaded.
    func boundary(after now: Timestamp) -> Timestamp? {
        entries.flatMap(\.moments).filter { $0 > now }.min()
    }
}

import Domain
import Ground

/// The body of `/config`.
struct ConfigBody: Sendable, Equatable {
    /// The entries in the order of seed 000's client: by falling priority (clients.md K7), then by id.
    let entries: [ConfigEntry]

    /// Fails if the bytes are not a JSON object (clients.md K1); omits entries whose key is not a package id.
    init?(_ bytes: [UInt8]) {
        guard let members = JSON(parsing: bytes)?.members else { return nil }
        let entries = members.compactMap { member in
            PackageID(member.key).map { ConfigEntry(package: $0, json: member.value) }
        }
        self.entries = entries.sorted { left, right in
            (right.priority, left.package) < (left.priority, right.package)
        }
    }

    /// Returns the next instant at which an offer takes effect or is due for download.
    func boundary(after now: Timestamp) -> Timestamp? {
        entries.flatMap(\.moments).filter { $0 > now }.min()
    }
}

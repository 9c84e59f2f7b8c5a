package import Ground

extension Package {
    /// The settings, by their names in the operators' API.
    package var settings: [JSON.Member] {
        [
            .init("name", .string(name)), .init("entry", entry.map { .string($0.text) } ?? .null),
            .init("urlPrefix", .string(urlPrefix.text)), .init("enable", .bool(isEnabled)),
            .init("priority", .integer(priority)),
            .init("dialects", .array(dialects.sorted().map { .string($0.rawValue) })),
            .init("resources", resources.json), .init("permissions", permissions?.json ?? .null),
        ]
    }

    /// Returns the entity tag of the package; equal settings have equal tags.
    package func tag(by cryptography: any Cryptography) -> String {
        let online = JSON.Member("onlineUntil", onlineUntil.map { .string($0.rfc3339) } ?? .null)
        return String(tagOf: .object(settings + [online]), by: cryptography)
    }
}

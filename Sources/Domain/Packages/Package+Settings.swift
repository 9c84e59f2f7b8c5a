extension Package {
    /// The settings by the names that the operators' API gives them.
    package var settings: [JSON.Member] {
        [
            .init("name", .string(name)), .init("entry", entry.map { .string($0.text) } ?? .null),
            .init("urlPrefix", .string(urlPrefix.text)), .init("enable", .bool(isEnabled)),
            .init("priority", .integer(priority)),
            .init("dialects", .array(dialects.sorted().map { .string($0.rawValue) })),
            .init("resources", resources.json), .init("permissions", permissions?.json ?? .null),
        ]
    }

    /// The entity tag of the package: the same for the same settings.
    package func tag(by cryptography: any Cryptography) -> String {
        let online = JSON.Member("onlineUntil", onlineUntil.map { .string($0.rfc3339) } ?? .null)
        return String(tagOf: .object(settings + [online]), by: cryptography)
    }
}

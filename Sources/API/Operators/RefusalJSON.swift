import Domain
import Ground

extension JSON {
    /// Creates the description of a refusal: its code, and the facts that its sentence names.
    init(_ refusal: Refusal) {
        let facts: [JSON.Member] =
            switch refusal {
            case .halted, .neverBegan, .noFiles, .disabled: []
            case .notYet(let moment): [.init("activeTime", .string(moment.rfc3339))]
            case .excluded(let list), .unknownDevice(let list): [.init("list", .string(list.text))]
            case .percentage(let percent, let position, let whitelist):
                [.init("percent", percent.json)] + Self.member("position", position.map { .integer(Int64($0)) })
                    + Self.member("list", whitelist.map { .string($0.text) })
            case .rule(let rule, let has):
                [.init("rule", rule.json)] + Self.member("has", has.map { .string($0) })
            case .appVersion(let range, let has):
                [.init("range", .string(range.description))] + Self.member("has", has.map { .string($0) })
            case .apis(let apis, let build, let isKnown):
                [.init("apis", .array(apis.map { .string($0) })), .init("known", .bool(isKnown))]
                    + Self.member("build", build.map { .string($0) })
            case .floor(let floor, let has):
                [.init("floor", floor.json)] + Self.member("has", has.map { .string($0.text) })
            case .dependency(let needed, let offered):
                [
                    .init("package", .string(needed.package.text)), .init("range", .string(needed.range.description)),
                ] + Self.member("has", offered.map { .string($0.text) })
            case .set(let set, let package, let version, let refusal):
                [
                    .init("releaseSet", .integer(set.value)), .init("package", .string(package.text)),
                    .init("version", .string(version.text)), .init("because", JSON(refusal)),
                ]
            }
        self = .object([.init("code", .string(refusal.code.rawValue))] + facts)
    }

    private static func member(_ name: String, _ value: JSON?) -> [JSON.Member] {
        value.map { [.init(name, $0)] } ?? []
    }
}

extension Schema {
    /// The reason why a release is not offered to a device.
    static let refusal = Schema.object(
        ["code": .choice(Refusal.Code.self)],
        optional: [
            "activeTime": .time, "list": .name, "percent": .percent, "position": .integer(0...9_999),
            "rule": .named("AudienceRule"),
            "range": .text, "has": .text, "apis": .array(.text), "known": .boolean, "build": .text, "version": .version,
            "floor": .named("Floor"), "package": .packageID, "releaseSet": .id, "because": .named("Refusal"),
        ])
}

import Domain
import Ground

extension JSON {
    /// Creates the description of a refusal: its code, and the facts that its sentence names.
    ///
    /// - Parameter isOfDevice: Whether it is of one device; what this device does not send or get is then `null`.
    init(_ refusal: Refusal, isOfDevice: Bool) {
        func own(_ name: String, _ value: JSON?) -> [JSON.Member] {
            (value ?? (isOfDevice ? .null : nil)).map { [.init(name, $0)] } ?? []
        }
        let facts: [JSON.Member] =
            switch refusal {
            case .halted, .neverBegan, .noFiles, .disabled: []
            case .notYet(let moment): [.init("activeTime", .string(moment.rfc3339))]
            case .excluded(let list), .unknownDevice(let list): [.init("list", .string(list.text))]
            case .percentage(let percent, let position, let whitelist):
                [.init("percent", percent.json)] + own("position", position.map { .integer(Int64($0)) })
                    + (whitelist.map { [.init("list", .string($0.text))] } ?? [])
            case .rule(let rule, let has):
                [.init("rule", rule.json)] + own("has", has.map { .string($0) })
            case .appVersion(let range, let has):
                [.init("range", .string(range.description))] + own("has", has.map { .string($0) })
            case .apis(let apis, let build, let isKnown):
                (apis.isEmpty ? [] : [.init("apis", .array(apis.map { .string($0) }))])
                    + own("build", build.map { .string($0) }) + (build == nil ? [] : [.init("known", .bool(isKnown))])
            case .floor(let floor, let has):
                [.init("floor", floor.json)] + own("has", has.map { .string($0.text) })
            case .dependency(let needed, let offered):
                [
                    .init("package", .string(needed.package.text)), .init("range", .string(needed.range.description)),
                ] + own("has", offered.map { .string($0.text) })
            case .set(let set, let package, let version, let refusal):
                [
                    .init("releaseSet", .integer(set.value)), .init("package", .string(package.text)),
                    .init("version", .string(version.text)), .init("because", JSON(refusal, isOfDevice: isOfDevice)),
                ]
            }
        self = .object([.init("code", .string(refusal.code.rawValue))] + facts)
    }
}

extension Schema {
    /// The reason why a release is not offered to a device.
    static let refusal = Schema.object(
        ["code": .choice(Refusal.Code.self)],
        optional: [
            "activeTime": .time, "list": .name, "percent": .percent, "position": Schema.integer(0...9_999).orNull,
            "rule": .named("AudienceRule"),
            "range": .text, "has": Schema.text.orNull, "apis": .array(.text), "known": .boolean,
            "build": Schema.text.orNull, "version": .version,
            "floor": .named("Floor"), "package": .packageID, "releaseSet": .id, "because": .named("Refusal"),
        ])
}

package import Ground

extension AudienceRule {
    /// The rule as JSON, in the operators' API and the store: `{"fact": "region", "in": ["CN"]}`.
    ///
    /// Instead of `in`, the test may be `notIn`, `range` or `prefix`.
    package var json: JSON {
        let test: JSON.Member =
            switch test {
            case .isIn(let values): .init("in", .array(values.map { .string($0) }))
            case .notIn(let values): .init("notIn", .array(values.map { .string($0) }))
            case .prefix(let values): .init("prefix", .array(values.map { .string($0) }))
            case .range(let range): .init("range", .string(range.text))
            }
        return .object([.init("fact", .string(fact.description)), test])
    }

    /// Parses the output of ``json``; throws `invalidRequest` with an explanation.
    package convenience init(_ json: JSON) throws(PlatformError) {
        guard let members = json.members, members.count == 2, let name = json["fact"]?.string else {
            throw Self.wrong(
                "must have the member 'fact' and one of 'in', 'notIn', 'range' and 'prefix', such as "
                    + "{\"fact\": \"region\", \"in\": [\"CN\"]}")
        }
        guard let fact = Fact(name) else { throw Self.wrong("must have as 'fact' \(Fact.shape)") }
        if let text = json["range"]?.string {
            guard [.appVersion, .osVersion].contains(fact) || fact.isAttribute else {
                throw Self.wrong("with 'range' must have as 'fact' appVersion, osVersion or an attribute")
            }
            guard let range = VersionRange(text) else { throw Self.wrong("must have as 'range' \(VersionRange.shape)") }
            self.init(fact, .range(range))
        } else if let values = json["in"] {
            self.init(fact, .isIn(try Self.values(values)))
        } else if let values = json["notIn"] {
            self.init(fact, .notIn(try Self.values(values)))
        } else if let values = json["prefix"] {
            self.init(fact, .prefix(try Self.values(values)))
        } else {
            throw Self.wrong("must have an array of strings as 'in', 'notIn' or 'prefix', or a string as 'range'")
        }
    }

    private static func values(_ json: JSON) throws(PlatformError) -> [String] {
        let texts = json.elements?.map(\.string) ?? []
        let values = texts.compactMap { $0 }
        guard values.count == texts.count, (1...maximumValues).contains(values.count),
            values.allSatisfy({ (1...DeviceFacts.maximumLength).contains($0.utf8.count) })
        else {
            throw wrong(
                "must compare with 1 to \(maximumValues) strings of 1 to \(DeviceFacts.maximumLength) bytes each")
        }
        return values
    }

    private static func wrong(_ shape: String) -> PlatformError {
        PlatformError(.invalidRequest, "A rule \(shape).")
    }
}

extension Rollout.Step {
    /// The step as the store keeps it: basis points, milliseconds, whether it is held, whether it is without rules.
    ///
    /// Trailing `false` values are left out, as earlier servers did not write them.
    package var json: JSON {
        let flags: [JSON] = isWithoutRules ? [.bool(isHeld), .bool(true)] : isHeld ? [.bool(true)] : []
        return .array([.integer(Int64(percent.value)), .integer(after)] + flags)
    }

    /// Parses the output of ``json``.
    package init?(_ json: JSON) {
        guard let parts = json.elements, (2...4).contains(parts.count), let value = parts[0].integer,
            let after = parts[1].integer, let percent = BasisPoints(Int(clamping: value))
        else { return nil }
        let flags = parts.dropFirst(2).compactMap(\.bool)
        guard flags.count == parts.count - 2 else { return nil }
        self.init(
            percent: percent, after: after, isHeld: flags.first ?? false,
            isWithoutRules: flags.dropFirst().first ?? false)
        guard self.json == json else { return nil }
    }
}

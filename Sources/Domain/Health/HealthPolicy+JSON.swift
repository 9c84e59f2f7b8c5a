package import Ground

extension HealthPolicy {
    /// The JSON name of the policy among the attributes of a release.
    package static let name = "health"

    private enum Name {
        static let devices = "devices"
        static let window = "window"
        static let coolDown = "coolDown"
        static let rules = "rules"
    }

    /// Parses the output of ``json``; returns `nil` for no rules.
    ///
    /// Absent members except the rules get their defaults. Throws `invalidRequest`.
    package static func read(_ json: JSON) throws(PlatformError) -> HealthPolicy? {
        guard json.members != nil else {
            throw JSONReader.wrong(name, "an object with 'rules' and optionally 'devices', 'window' and 'coolDown'")
        }
        var reader = try JSONReader(json)
        let devices = try reader.integer(Name.devices, in: devicesRange).map { Int($0) } ?? defaultDevices
        let window = try reader.duration(Name.window, in: windowRange) ?? defaultWindow
        let coolDown = try reader.duration(Name.coolDown, in: coolDownRange) ?? defaultCoolDown
        guard let elements = reader.takeValue(Name.rules)?.elements, elements.count <= maximumRules else {
            throw JSONReader.wrong("\(name).\(Name.rules)", "an array of at most \(maximumRules) rules")
        }
        try reader.finish()
        var rules: [HealthRule] = []
        for element in elements { rules.append(try HealthRule(element)) }
        guard !rules.isEmpty else { return nil }
        return HealthPolicy(devices: devices, window: window, coolDown: coolDown, rules: rules)
    }

    /// Parses the bytes of a policy; see ``read(_:)``.
    package static func read(_ bytes: [UInt8]) throws(PlatformError) -> HealthPolicy? {
        guard let json = JSON(parsing: bytes) else {
            throw PlatformError(.invalidRequest, "The body is not a JSON object.")
        }
        return try read(json)
    }

    /// The policy in the operators' format, which the store keeps as well.
    package var json: JSON {
        .object([
            Name.devices: .integer(Int64(devices)), Name.window: .string(PlanDuration.text(window)),
            Name.coolDown: .string(PlanDuration.text(coolDown)), Name.rules: .array(rules.map(\.json)),
        ])
    }
}

extension HealthRule {
    private enum Name {
        static let metric = "metric"
        static let ceiling = "ceiling"
        static let aboveControl = "aboveControl"
        static let action = "action"
        static let slowerThan = "slowerThan"
    }

    /// Parses the output of ``json``; throws `invalidRequest`.
    package init(_ json: JSON) throws(PlatformError) {
        guard json.members != nil else { throw JSONReader.wrong("health.rules", "an array of objects") }
        var reader = try JSONReader(json)
        guard let metric = try reader.string(Name.metric).flatMap(HealthMetric.init) else {
            throw JSONReader.wrong(
                Name.metric, "one of " + HealthMetric.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let ceiling = try reader.percent(Name.ceiling)
        guard ceiling.map({ $0 > .none && $0 < .all }) ?? true else {
            throw JSONReader.wrong(Name.ceiling, "more than 0 and less than 100, the percentage of affected devices")
        }
        let aboveControl = try reader.integer(Name.aboveControl, in: Self.aboveControlRange).map { Int($0) }
        guard ceiling != nil || aboveControl != nil else {
            throw PlatformError(
                .invalidRequest, "The rule for \(metric.rawValue) has no limit. Give 'ceiling', 'aboveControl' or both."
            )
        }
        guard metric.hasControl || aboveControl == nil else {
            throw PlatformError(
                .invalidRequest,
                "The rule for \(metric.rawValue) cannot have 'aboveControl', since devices without the release download "
                    + "nothing. Give 'ceiling'.")
        }
        let defaultAction = metric == .loadTime ? HealthAction.pause : .halt
        guard let action = HealthAction(rawValue: try reader.string(Name.action) ?? defaultAction.rawValue) else {
            throw JSONReader.wrong(
                Name.action, HealthAction.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
        }
        let slowerThan = try reader.integer(Name.slowerThan, in: Self.slowerThanRange).map { Int($0) }
        guard (metric == .loadTime) == (slowerThan != nil) else {
            throw PlatformError(
                .invalidRequest,
                "'slowerThan', the milliseconds that a page load may take, is required for the metric loadTime and not "
                    + "allowed for others.")
        }
        guard metric != .loadTime || action == .pause else {
            throw PlatformError(
                .invalidRequest,
                "A rule for loadTime can only pause a release: page loads are not counted by device, so one device can "
                    + "trip it. Leave 'action' out, or give \"pause\".")
        }
        try reader.finish()
        self.init(metric: metric, ceiling: ceiling, aboveControl: aboveControl, action: action, slowerThan: slowerThan)
    }

    /// Parses the rule of a check in the operators' format, which has further members.
    init?(ofCheck json: JSON) {
        let names = [Name.metric, Name.ceiling, Name.aboveControl, Name.action, Name.slowerThan]
        let members = (json.members ?? []).filter { names.contains($0.key) }
        guard let rule = try? HealthRule(.object(members)) else { return nil }
        self = rule
    }

    /// The rule in the operators' format.
    package var json: JSON {
        .object([
            Name.metric: .string(metric.rawValue), Name.ceiling: ceiling?.json,
            Name.aboveControl: aboveControl.map { .integer(Int64($0)) }, Name.action: .string(action.rawValue),
            Name.slowerThan: slowerThan.map { .integer(Int64($0)) },
        ])
    }
}

extension JSONReader {
    /// Takes a duration in milliseconds, written like those of plans.
    fileprivate mutating func duration(
        _ key: String, in range: ClosedRange<Int64>
    ) throws(PlatformError) -> Int64? {
        guard let text = try string(key) else { return nil }
        guard let duration = PlanDuration.milliseconds(text), range.contains(duration) else {
            throw Self.wrong(
                key,
                "a duration such as \"90m\" or \"2h\", from \(PlanDuration.text(range.lowerBound)) to "
                    + PlanDuration.text(range.upperBound))
        }
        return duration
    }
}

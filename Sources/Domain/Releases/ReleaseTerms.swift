package import Ground

/// The attributes of a release that an operator decides.
package struct ReleaseTerms: Sendable, Hashable {
    package var audience: Audience
    package var rollout: Rollout
    /// The seed of the order in which the buckets of devices get the release.
    package private(set) var salt: Salt
    package var isMandatory: Bool
    package var updateMode: UpdateMode
    package var isWifiOnly: Bool
    package var floor: Floor?
    /// The schedule of downloads before the activeTime; `nil` if devices download as soon as they know the release.
    package var downloads: DownloadWindow?
    /// The rules by which the server judges the release; `nil` for none.
    package var health: HealthPolicy?

    package init(
        audience: Audience = .everyone, rollout: Rollout = .toEveryone, salt: Salt, isMandatory: Bool = false,
        updateMode: UpdateMode = .silent, isWifiOnly: Bool = false, floor: Floor? = nil,
        downloads: DownloadWindow? = nil, health: HealthPolicy? = nil
    ) {
        self.audience = audience
        self.rollout = rollout
        self.salt = salt
        self.isMandatory = isMandatory
        self.updateMode = updateMode
        self.isWifiOnly = isWifiOnly
        self.floor = floor
        self.downloads = downloads
        self.health = health
    }

    /// Replaces the plan by its end: its final percentage, without the rules if they do not apply there.
    package mutating func finishPlan() {
        if rollout.dropsRules { audience.rules = [] }
        rollout = Rollout(percent: rollout.final)
    }

    /// Returns whether an operator would write both terms alike.
    ///
    /// Ignores the salt, the pauses and the computed parts of the download window.
    func isWritten(like other: ReleaseTerms) -> Bool { written(with: salt) == other.written(with: salt) }

    private func written(with salt: Salt) -> ReleaseTerms {
        var written = self
        written.salt = salt
        written.rollout = Rollout(
            percent: rollout.percent,
            steps: rollout.steps.map {
                Rollout.Step(percent: $0.percent, after: $0.after, isWithoutRules: $0.isWithoutRules)
            })
        written.downloads = downloads.map { window in
            DownloadWindow(
                opensAt: Timestamp(milliseconds: 0), bytesPerSecond: window.bytesPerSecond, devices: window.devices,
                round: 0)
        }
        return written
    }
}

// MARK: JSON

/// The only codec of the terms: for requests and responses of the operators' API, the store and the command line.
extension ReleaseTerms {
    /// The JSON names of the attributes.
    package enum Name {
        package static let percent = "percent"
        package static let plan = "plan"
        package static let withoutRules = "withoutRules"
        package static let whitelist = "whitelist"
        package static let excluded = "excluded"
        package static let rules = "rules"
        package static let updateMode = "updateMode"
        package static let mandatory = "mandatory"
        package static let wifiOnly = "wifiOnly"
        package static let floor = "floor"
        package static let downloads = "downloads"
        package static let health = HealthPolicy.name
    }

    /// Parses all terms except the downloads, which depend on the version; absent attributes get their defaults.
    ///
    /// Throws `invalidRequest`.
    ///
    /// - Parameter defaultHealth: The health rules if none are given.
    package init(
        _ reader: inout JSONReader, salt: Salt, defaultHealth: HealthPolicy? = nil
    ) throws(PlatformError) {
        let whitelist = try reader.list(Name.whitelist)
        let percent = try reader.percent(Name.percent)
        let plan = try reader.plan(Name.plan)
        guard plan == nil || percent == nil else {
            throw PlatformError(
                .invalidRequest,
                "'percent' and 'plan' cannot be given together. The first step of a plan sets the initial percentage.")
        }
        let audience = Audience(
            whitelist: whitelist, excluded: try reader.list(Name.excluded), rules: try reader.rules(Name.rules))
        guard !audience.rules.isEmpty || !(plan ?? []).contains(where: \.isWithoutRules) else {
            throw PlatformError(
                .invalidRequest,
                "A step of the plan drops the audience rules, but the release has none. Give rules, or let no step drop them."
            )
        }
        // A list is only useful without everyone, so the percentage defaults to zero.
        let first = percent ?? (plan != nil || whitelist != nil ? .none : .all)
        self.init(
            audience: audience, rollout: Rollout(percent: first, steps: plan ?? []), salt: salt,
            updateMode: try reader.updateMode(Name.updateMode) ?? .silent)
        isMandatory = try reader.bool(Name.mandatory) ?? false
        isWifiOnly = try reader.bool(Name.wifiOnly) ?? false
        floor = try reader.floor(Name.floor)
        if let json = reader.takeValue(Name.health) {
            health = try HealthPolicy.read(json)
        } else {
            health = defaultHealth
        }
        if health != nil { rollout.holdSteps(after: 0) }
    }

    /// The members of the attributes that every release has.
    package var commonMembers: [JSON.Member] {
        [
            .init(Name.mandatory, .bool(isMandatory)), .init(Name.updateMode, .string(updateMode.rawValue)),
            .init(Name.wifiOnly, .bool(isWifiOnly)),
        ]
    }

    /// The members of the plan; empty if there is none.
    package var planMembers: [JSON.Member] {
        rollout.steps.isEmpty ? [] : [.init(Name.plan, .array(rollout.steps.map(\.shown)))]
    }

    /// The members of the conditions that the release has.
    package var conditionMembers: [JSON.Member] {
        var members: [JSON.Member] = []
        if let list = audience.whitelist { members.append(.init(Name.whitelist, .string(list.text))) }
        if let list = audience.excluded { members.append(.init(Name.excluded, .string(list.text))) }
        members += optionalMembers
        if let window = downloads { members.append(.init(Name.downloads, window.shown)) }
        return members
    }

    private var optionalMembers: [JSON.Member] {
        var members: [JSON.Member] = []
        if !audience.rules.isEmpty { members.append(.init(Name.rules, .array(audience.rules.map(\.json)))) }
        if let floor { members.append(.init(Name.floor, floor.json)) }
        if let health { members.append(.init(Name.health, health.json)) }
        return members
    }

    /// Parses the output of ``stored``; the terms have neither device lists nor a rollout.
    ///
    /// - Parameter salt: The salt until ``completed(whitelist:excluded:rollout:salt:)`` replaces it.
    ///
    /// See ``completed(whitelist:excluded:rollout:salt:)``.
    package init(stored json: JSON, salt: Salt) throws(PlatformError) {
        var reader = try JSONReader(json)
        try self.init(&reader, salt: salt)
        downloads = try reader.window(Name.downloads)
        // An unknown attribute of a newer server may narrow the audience, so it is rejected.
        try reader.finish()
    }

    /// Returns stored terms with the parts that a store keeps as columns.
    ///
    /// The device lists are columns because constraints reference them, the rollout because it changes.
    package func completed(
        whitelist: DeviceListName?, excluded: DeviceListName?, rollout: Rollout, salt: Salt
    ) -> ReleaseTerms {
        var terms = self
        terms.audience.whitelist = whitelist
        terms.audience.excluded = excluded
        terms.rollout = rollout
        terms.salt = salt
        return terms
    }

    /// The terms as the store keeps them, without the device lists, the rollout and the salt.
    package var stored: JSON {
        .object(commonMembers + optionalMembers + (downloads.map { [.init(Name.downloads, $0.stored)] } ?? []))
    }
}

extension Rollout.Step {
    /// The step in the operators' format.
    fileprivate var shown: JSON {
        .object([
            "percent": percent.json, "after": .string(PlanDuration.text(after)),
            ReleaseTerms.Name.withoutRules: isWithoutRules ? true : nil,
        ])
    }
}

extension Floor {
    package var json: JSON {
        .object([
            "version": .string(version.text), "reason": .string(reason), "withoutHave": .string(withoutHave.rawValue),
        ])
    }
}

extension DownloadWindow {
    fileprivate var shown: JSON {
        .object([
            "from": .string(opensAt.rfc3339), "bytesPerSecond": .integer(bytesPerSecond), "devices": .integer(devices),
            "roundSeconds": .integer((round + 999) / 1000),
        ])
    }

    /// The window with the exact length of a round in milliseconds.
    fileprivate var stored: JSON {
        .object([
            "from": .string(opensAt.rfc3339), "bytesPerSecond": .integer(bytesPerSecond), "devices": .integer(devices),
            "round": .integer(round),
        ])
    }
}

extension JSONReader {
    /// Takes the name of a device list.
    fileprivate mutating func list(_ key: String) throws(PlatformError) -> DeviceListName? {
        guard let text = try string(key) else { return nil }
        guard let name = DeviceListName(text) else {
            throw Self.wrong(key, "the name of a device list: \(DeviceListName.shape)")
        }
        return name
    }

    fileprivate mutating func updateMode(_ key: String) throws(PlatformError) -> UpdateMode? {
        guard let text = try string(key) else { return nil }
        guard let mode = UpdateMode(rawValue: text) else {
            throw Self.wrong(key, UpdateMode.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
        }
        return mode
    }

    fileprivate mutating func rules(_ key: String) throws(PlatformError) -> [AudienceRule] {
        guard let value = takeValue(key) else { return [] }
        guard let elements = value.elements, elements.count <= AudienceRule.maximumCount else {
            throw Self.wrong(key, "an array of at most \(AudienceRule.maximumCount) rules")
        }
        var rules: [AudienceRule] = []
        for element in elements { rules.append(try AudienceRule(element)) }
        return rules
    }

    fileprivate mutating func plan(_ key: String) throws(PlatformError) -> [Rollout.Step]? {
        guard let value = takeValue(key) else { return nil }
        let steps = (value.elements ?? []).map { element -> Rollout.Step? in
            let flag = element[ReleaseTerms.Name.withoutRules]
            guard let members = element.members, members.count == (flag == nil ? 2 : 3),
                let percent = element["percent"].flatMap({ BasisPoints(json: $0) }),
                let after = element["after"]?.string.flatMap(PlanDuration.milliseconds),
                let isWithoutRules = flag == nil ? false : flag?.bool
            else { return nil }
            return Rollout.Step(percent: percent, after: after, isWithoutRules: isWithoutRules)
        }
        let known = steps.compactMap { $0 }
        guard known.count == steps.count, Rollout.isPlan(known) else {
            throw Self.wrong(
                key,
                "1 to \(Rollout.maximumSteps) steps such as {\"percent\": 10, \"after\": \"2h\"}, each with a later time "
                    + "and a higher percentage than the previous one; 'after' is \(PlanDuration.shape). One step after the "
                    + "first may drop the audience rules, also at the percentage of the previous one")
        }
        return known
    }

    fileprivate mutating func floor(_ key: String) throws(PlatformError) -> Floor? {
        guard let value = takeValue(key) else { return nil }
        guard let members = value.members, members.count == 3, let text = value["version"]?.string,
            let version = VersionString(text), let reason = value["reason"]?.string,
            PlainText.isFit(reason, upTo: Floor.maximumReasonLength),
            let withoutHave = value["withoutHave"]?.string.flatMap({ Floor.Behavior(rawValue: $0) }),
            let floor = Floor(version: version, reason: reason, withoutHave: withoutHave)
        else {
            throw Self.wrong(
                key,
                "an object with 'version' (\(OrderedVersion.shape)), 'reason' (at most \(Floor.maximumReasonLength) bytes) "
                    + "and 'withoutHave' (\"offer\" or \"withhold\"), which applies to devices that do not send 'have'")
        }
        return floor
    }

    /// Takes a stored download window.
    fileprivate mutating func window(_ key: String) throws(PlatformError) -> DownloadWindow? {
        guard let value = takeValue(key) else { return nil }
        guard let opensAt = value["from"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let rate = value["bytesPerSecond"]?.integer, let devices = value["devices"]?.integer,
            let round = value["round"]?.integer
        else { throw Self.wrong(key, "a download window") }
        return DownloadWindow(opensAt: opensAt, bytesPerSecond: rate, devices: devices, round: round)
    }

    /// Takes a download budget: the limits within which downloads of a scheduled version are to be spread.
    package mutating func downloads() throws(PlatformError) -> DownloadBudget? {
        let key = ReleaseTerms.Name.downloads
        guard let value = takeValue(key) else { return nil }
        let (rates, counts) = (DownloadWindow.bytesPerSecondRange, DownloadWindow.devicesRange)
        let opening = value["from"]?.string.flatMap(Timestamp.init(rfc3339:))
        guard let members = value.members, members.count == (value["from"] == nil ? 2 : 3),
            let rate = value["bytesPerSecond"]?.integer, rates.contains(rate),
            let devices = value["devices"]?.integer, counts.contains(devices), value["from"] == nil || opening != nil
        else {
            throw Self.wrong(
                key,
                "an object with 'bytesPerSecond' (\(rates.lowerBound) to \(rates.upperBound)), 'devices' "
                    + "(\(counts.lowerBound) to \(counts.upperBound)) and optionally 'from', the time at which downloads "
                    + "begin, in the format of RFC 3339")
        }
        return DownloadBudget(opensAt: opening, bytesPerSecond: rate, devices: devices)
    }
}

import Domain
import Ground
import Platform

extension JSONReader {
    /// A percentage with two digits after the point at most.
    mutating func percent(_ key: String) throws(PlatformError) -> BasisPoints? {
        switch take(key) {
        case nil, .null: return nil
        case let value?:
            guard let percent = BasisPoints(value) else { throw Self.wrong(key, BasisPoints.shape) }
            return percent
        }
    }

    mutating func time(_ key: String) throws(PlatformError) -> Timestamp? {
        guard let text = try string(key) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw Self.wrong(key, "a time by RFC 3339, such as \"2026-12-01T00:00:00Z\"")
        }
        return time
    }

    /// The moment of a release that is to be made; one that has passed needs `now`.
    mutating func activeTime(at instant: Timestamp) throws(PlatformError) -> Timestamp? {
        let activeTime = try time("activeTime")
        try ReleaseDraft.requireMoment(activeTime, beginsNow: try bool("now") ?? false, at: instant)
        return activeTime
    }

    /// The name of a list of devices.
    fileprivate mutating func list(_ key: String) throws(PlatformError) -> DeviceListName? {
        guard let text = try string(key) else { return nil }
        guard let name = DeviceListName(text) else {
            throw Self.wrong(key, "the name of a list of devices: \(DeviceListName.shape)")
        }
        return name
    }

    /// The version to offer; throws where there is none.
    mutating func version(_ key: String) throws(PlatformError) -> VersionString? {
        guard let text = try string(key) else { return nil }
        guard let version = VersionString(text) else {
            throw Self.wrong(key, "a version string: \(VersionString.shape)")
        }
        return version
    }

    fileprivate mutating func rules(_ key: String) throws(PlatformError) -> [AudienceRule] {
        guard let value = take(key), value != .null else { return [] }
        guard let elements = value.elements, elements.count <= AudienceRule.maximumCount else {
            throw Self.wrong(key, "a list of \(AudienceRule.maximumCount) rules at most")
        }
        var rules: [AudienceRule] = []
        for element in elements { rules.append(try AudienceRule(element)) }
        return rules
    }

    fileprivate mutating func plan(_ key: String) throws(PlatformError) -> [Rollout.Step]? {
        guard let value = take(key), value != .null else { return nil }
        let steps = (value.elements ?? []).map { element -> Rollout.Step? in
            guard let members = element.members, members.count == 2,
                let percent = element["percent"].flatMap({ BasisPoints($0) }),
                let after = element["after"]?.string.flatMap(PlanDuration.milliseconds)
            else { return nil }
            return Rollout.Step(percent: percent, after: after)
        }
        let known = steps.compactMap { $0 }
        guard known.count == steps.count, Rollout.isPlan(known) else {
            throw Self.wrong(
                key,
                "1 to \(Rollout.maximumSteps) steps such as {\"percent\": 10, \"after\": \"2h\"}, of which each has a later "
                    + "time and a higher percentage than the one before; 'after' is \(PlanDuration.shape)")
        }
        return known
    }

    fileprivate mutating func floor(_ key: String) throws(PlatformError) -> Floor? {
        guard let value = take(key), value != .null else { return nil }
        guard let members = value.members, members.count == 3, let text = value["version"]?.string,
            let version = VersionString(text), let reason = value["reason"]?.string,
            PlainText.isFit(reason, upTo: Floor.maximumReasonLength),
            let answer = value["withoutHave"]?.string.flatMap({ Floor.Answer(rawValue: $0) }),
            let floor = Floor(version: version, reason: reason, withoutHave: answer)
        else {
            throw Self.wrong(
                key,
                "a 'version' (\(OrderedVersion.shape)), a 'reason' of \(Floor.maximumReasonLength) bytes at most, and "
                    + "'withoutHave', which is \"offer\" or \"withhold\" and says what devices get that do not say what "
                    + "they have")
        }
        return floor
    }

    /// How the downloads of a coming version are spread.
    mutating func downloads(_ key: String) throws(PlatformError) -> DownloadWish? {
        guard let value = take(key), value != .null else { return nil }
        let (rates, counts) = (DownloadWindow.bytesPerSecondRange, DownloadWindow.devicesRange)
        let opening = value["from"]?.string.flatMap(Timestamp.init(rfc3339:))
        guard let members = value.members, members.count == (value["from"] == nil ? 2 : 3),
            let rate = value["bytesPerSecond"]?.integer, rates.contains(rate),
            let devices = value["devices"]?.integer, counts.contains(devices), value["from"] == nil || opening != nil
        else {
            throw Self.wrong(
                key,
                "'bytesPerSecond', \(rates.lowerBound) to \(rates.upperBound), 'devices', \(counts.lowerBound) to "
                    + "\(counts.upperBound), and, if they are not to begin at once, 'from', a time by RFC 3339")
        }
        return DownloadWish(opensAt: opening, bytesPerSecond: rate, devices: devices)
    }

    /// What operators decide about a release.
    ///
    /// - Parameter salt: What a release of its own gets.
    mutating func terms(salt: Salt) throws(PlatformError) -> ReleaseTerms {
        let whitelist = try list("whitelist")
        let percent = try percent("percent")
        let plan = try plan("plan")
        guard plan == nil || percent == nil else {
            throw PlatformError(
                .invalidRequest, "Give 'percent' or a 'plan', not both: a plan says itself where it begins.")
        }
        let audience = Audience(whitelist: whitelist, excluded: try list("excluded"), rules: try rules("rules"))
        // A list beside everyone would say nothing.
        let first = percent ?? (plan != nil || whitelist != nil ? .none : .all)
        var updateMode = UpdateMode.silent
        if let text = try string("updateMode") {
            guard let mode = UpdateMode(rawValue: text) else {
                throw Self.wrong(
                    "updateMode", UpdateMode.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
            }
            updateMode = mode
        }
        return ReleaseTerms(
            audience: audience, rollout: Rollout(percent: first, steps: plan ?? []), salt: salt,
            isMandatory: try bool("mandatory") ?? false, updateMode: updateMode,
            isWifiOnly: try bool("wifiOnly") ?? false, floor: try floor("floor"))
    }
}

extension BasisPoints {
    /// Reads a JSON number.
    fileprivate init?(_ json: JSON) {
        switch json {
        case .integer(let value): self.init(percent: String(value))
        case .number(let text): self.init(percent: text)
        default: return nil
        }
    }
}

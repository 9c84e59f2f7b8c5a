import Domain
import Ground
import Testing

/// A release in the format of the cases.
struct FixtureRelease {
    static let keys: Set<String> = [
        "id", "package", "version", "made", "active", "rank", "percent", "plan", "pausedFor", "paused", "halted",
        "completed", "rolledBack", "whitelist", "excluded", "rules", "floor", "mandatory", "minAppVersion",
        "maxAppVersion", "apis", "needs", "salt", "files", "set",
    ]

    let json: JSON

    init(_ json: JSON) { self.json = json }

    /// - Parameters:
    ///   - others: The releases before it in the file.
    ///   - sets: The release sets of the file.
    func release(among others: [Release], sets: [ReleaseSetID: SetMembership] = [:]) throws -> Release {
        guard let id = json["id"]?.integer, let version = json["version"]?.string else {
            throw FixtureError("a release has no 'id' or no 'version'")
        }
        let package = try Sample.package(json["package"]?.string ?? "news")
        let made = try json["made"].map { try FixtureTime.read($0) } ?? Sample.start
        let active = try json["active"].map { try FixtureTime.read($0) } ?? made
        let taken = Set(others.filter { $0.package == package }.map(\.rank))
        return Release(
            id: ReleaseID(id), app: .default, package: package, channel: .production,
            version: try Sample.version(version), set: set.flatMap { sets[$0] }, requirements: try requirements(),
            terms: try terms(),
            activeTime: active, createdAt: made,
            rank: json["rank"]?.integer.map { Rank($0) }
                ?? Rank.assigned(createdAt: made, activeTime: active, taken: taken),
            course: try course())
    }

    var set: ReleaseSetID? { json["set"]?.integer.map { ReleaseSetID($0) } }

    /// Whether its version has no requirements and its files exist.
    var isPlain: Bool {
        ["minAppVersion", "maxAppVersion", "apis", "needs", "floor"].allSatisfy { json[$0] == nil }
            && json["files"]?.bool != false
    }

    private func terms() throws -> ReleaseTerms {
        let byte = UInt8(clamping: json["salt"]?.integer ?? 7)
        return ReleaseTerms(
            audience: Audience(
                whitelist: try list("whitelist"), excluded: try list("excluded"),
                rules: try (json["rules"]?.elements ?? []).map { try AudienceRule($0) }),
            rollout: try rollout(), salt: try #require(Salt(bytes: Array(repeating: byte, count: Salt.length))),
            isMandatory: json["mandatory"]?.bool ?? false, floor: try floor())
    }

    private func rollout() throws -> Rollout {
        let steps = try (json["plan"]?.elements ?? []).map { step in
            guard let after = step["after"]?.string.flatMap(PlanDuration.milliseconds) else {
                throw FixtureError("a step has no 'after'")
            }
            return Rollout.Step(
                percent: try percent(step["percent"]), after: after, isWithoutRules: step["withoutRules"]?.bool ?? false
            )
        }
        guard steps.isEmpty || Rollout.isPlan(steps) else { throw FixtureError("'plan' does not rise") }
        let byHand = try json["percent"].map { try percent($0) } ?? (steps.isEmpty ? .all : .none)
        let pausedFor = json["pausedFor"]?.string.flatMap(PlanDuration.milliseconds) ?? 0
        return Rollout(percent: byHand, steps: steps, pausedFor: pausedFor)
    }

    private func percent(_ json: JSON?) throws -> BasisPoints {
        let text: String? =
            switch json {
            case .integer(let whole): String(whole)
            case .number(let text): text
            default: nil
            }
        guard let percent = text.flatMap({ BasisPoints(percent: $0) }) else { throw FixtureError("a wrong percentage") }
        return percent
    }

    private func course() throws -> ReleaseCourse {
        if let since = json["paused"] { return .paused(since: try FixtureTime.read(since)) }
        if let since = json["halted"] { return .halted(since: try FixtureTime.read(since)) }
        if let moment = json["completed"] { return .completed(at: try FixtureTime.read(moment)) }
        if let moment = json["rolledBack"] { return .rolledBack(at: try FixtureTime.read(moment)) }
        return .running
    }

    private func list(_ key: String) throws -> DeviceListName? {
        try json[key].map { try #require(DeviceListName($0.string ?? "")) }
    }

    private func floor() throws -> Floor? {
        guard let json = json["floor"] else { return nil }
        return try #require(
            Floor(
                version: try Sample.version(json["version"]?.string ?? ""), reason: json["reason"]?.string ?? "",
                withoutHave: try #require(Floor.Behavior(rawValue: json["withoutHave"]?.string ?? ""))))
    }

    private func requirements() throws -> VersionRequirements {
        VersionRequirements(
            minAppVersion: json["minAppVersion"]?.string, maxAppVersion: json["maxAppVersion"]?.string,
            apis: (json["apis"]?.elements ?? []).compactMap(\.string),
            dependencies: try (json["needs"]?.members ?? []).map { member in
                VersionRequirements.Dependency(
                    package: try Sample.package(member.key),
                    range: try #require(VersionRange(member.value.string ?? "")))
            })
    }
}

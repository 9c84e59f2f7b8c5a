import Domain
import Ground
import Testing
import WorldKit

/// A reader of one group of cases, which share their releases, lists and builds.
///
/// `Tests/Fixtures/resolution/README.md` describes the format; an unknown key is rejected.
struct FixtureReader {
    let file: String
    let group: JSON

    func read(_ json: JSON) throws -> ResolutionCase {
        try check(group, ["about", "releases", "lists", "builds", "disabled", "cases"])
        try check(json, ["name", "at", "device", "expect"])
        guard let name = json["name"]?.string else { throw FixtureError("\(file): a case has no name") }
        do {
            let lists = try lists()
            let (releases, withoutFiles) = try releases()
            let instant = try json["at"].map { try FixtureTime.read($0) } ?? Sample.start
            var expectations: [PackageID: ResolutionCase.Expectation] = [:]
            for member in try members(json["expect"] ?? .null) {
                expectations[try Sample.package(member.key)] = try expectation(member.value)
            }
            return ResolutionCase(
                file: file, name: name, releases: releases, withoutFiles: withoutFiles, lists: lists,
                builds: try builds(), disabled: Set(try texts(group["disabled"]).map { try Sample.package($0) }),
                facts: try facts(json["device"] ?? .object([])), instant: instant, expectations: expectations)
        } catch let error as FixtureError {
            throw FixtureError("\(file): \(name): \(error)")
        }
    }

    private func check(_ json: JSON, _ known: Set<String>) throws {
        for member in try members(json) where !known.contains(member.key) {
            throw FixtureError("\(file): '\(member.key)' is none of \(known.sorted())")
        }
    }

    private func members(_ json: JSON) throws -> [JSON.Member] {
        guard let members = json.members else { throw FixtureError("an object is missing") }
        return members
    }

    private func texts(_ json: JSON?) throws -> [String] {
        try (json?.elements ?? []).map { element in
            guard let text = element.string, !text.isEmpty else {
                throw FixtureError("a list holds something else than texts that say something")
            }
            return text
        }
    }

    private func lists() throws -> [DeviceListName: DeviceSet] {
        var lists: [DeviceListName: DeviceSet] = [:]
        for member in try members(group["lists"] ?? .object([])) {
            lists[try #require(DeviceListName(member.key))] = BucketOrders.devices(try texts(member.value))
        }
        return lists
    }

    private func builds() throws -> [String: Set<String>] {
        var builds: [String: Set<String>] = [:]
        for member in try members(group["builds"] ?? .object([])) { builds[member.key] = Set(try texts(member.value)) }
        return builds
    }

    private func releases() throws -> ([Release], Set<ReleaseID>) {
        let sets = try sets()
        var releases: [Release] = []
        var withoutFiles: Set<ReleaseID> = []
        for json in group["releases"]?.elements ?? [] {
            try check(json, FixtureRelease.keys)
            let release = try FixtureRelease(json).release(among: releases, sets: sets)
            if json["files"]?.bool == false { withoutFiles.insert(release.id) }
            releases.append(release)
        }
        return (releases, withoutFiles)
    }

    private func sets() throws -> [ReleaseSetID: SetMembership] {
        let releases = (group["releases"]?.elements ?? []).map { FixtureRelease($0) }.filter { $0.set != nil }
        let disabled = Set(try texts(group["disabled"]))
        var sets: [ReleaseSetID: SetMembership] = [:]
        for (id, members) in Dictionary(grouping: releases, by: \.set) {
            guard let id else { continue }
            let names = members.map { $0.json["package"]?.string ?? "news" }
            var versions: [PackageID: VersionString] = [:]
            for (name, member) in zip(names, members) {
                versions[try Sample.package(name)] = try Sample.version(member.json["version"]?.string ?? "")
            }
            sets[id] = SetMembership(
                id: id, versions: versions,
                isPlain: members.allSatisfy(\.isPlain) && disabled.isDisjoint(with: names))
        }
        return sets
    }

    // MARK: A case

    private func facts(_ json: JSON) throws -> DeviceFacts {
        var facts = DeviceFacts()
        for member in try members(json) {
            switch member.key {
            case "deviceId": facts.identity = BucketOrders.identity(member.value.string ?? "")
            case "bucket": facts.sentBucket = Bucket(Int(member.value.integer ?? -1))
            case "place":
                facts.sentBucket = BucketOrders.bucket(at: Int(member.value.integer ?? -1), of: try Sample.salt())
            case "have": facts.holdings = Holdings(member.value.string ?? "")
            default:
                guard let fact = Fact(member.key) else { throw FixtureError("'\(member.key)' is no fact") }
                facts[fact] = member.value.string
            }
        }
        return facts
    }

    private func expectation(_ json: JSON) throws -> ResolutionCase.Expectation {
        try check(json, ["now", "next", "why", "mandatoryAfter", "mandatory", "nextMandatoryAfter"])
        guard let now = json["now"]?.string, json["why"]?.elements != nil else {
            throw FixtureError("'now' or 'why' is missing")
        }
        return ResolutionCase.Expectation(
            now: now, next: json["next"]?.string ?? "-", why: try texts(json["why"]),
            mandatoryAfter: json["mandatoryAfter"]?.string,
            mandatory: json["mandatory"]?.string, nextMandatoryAfter: json["nextMandatoryAfter"]?.string)
    }
}

/// Times in the format of the files: parts such as `2h`, `30m`, `-1ms`, added to ``Sample/start``.
enum FixtureTime {
    static func read(_ json: JSON) throws -> Timestamp {
        guard let text = json.string else { throw FixtureError("a time is no text") }
        return try text.split(separator: " ").reduce(Sample.start) { instant, part in
            let isNegative = part.hasPrefix("-")
            let size = isNegative ? part.dropFirst() : part
            let plain = size.hasSuffix("ms") ? Int64(size.dropLast(2)) : PlanDuration.milliseconds(String(size))
            guard let plain else { throw FixtureError("'\(text)' is no time") }
            return instant.adding(milliseconds: isNegative ? -plain : plain)
        }
    }
}

import Domain
import Testing

/// Releases of a few packages over time, made and changed as operators do, at random.
struct ReleaseWorld {
    static let common = known("common")
    static let packages = [common, known("news"), known("shop")]
    static let versionCount = 9
    static let whitelist = DeviceListName("beta")
    static let excluded = DeviceListName("qa")
    static let builds: [String: Set<String>] = [
        "8.1": ["log"], "8.2": ["scan"], "8.3": ["scan", "log"], "8.4": ["pay", "scan"],
    ]
    private static let lists: [DeviceListName: DeviceSet] = {
        let all = 0..<WorldDevice.population
        var lists: [DeviceListName: DeviceSet] = [:]
        if let whitelist {
            lists[whitelist] = Places.devices(all.filter(WorldDevice.isOnWhitelist).map { "device-\($0)" })
        }
        if let excluded { lists[excluded] = Places.devices(all.filter(WorldDevice.isExcluded).map { "device-\($0)" }) }
        return lists
    }()

    private(set) var now = Sample.start
    private(set) var releases: [WorldRelease] = []
    var random: SeededRandom
    private var needs: [PackageID: [Int: WorldRelease.Needs]] = [:]

    init(_ random: SeededRandom) { self.random = random }

    private static func known(_ text: String) -> PackageID {
        guard let package = PackageID(text) else { preconditionFailure("'\(text)' is a package id") }
        return package
    }

    func own(_ package: PackageID) -> [Release] { releases.map(\.release).filter { $0.package == package } }

    func find(_ id: ReleaseID?) -> WorldRelease? { releases.first { $0.release.id == id } }

    /// What decides at an instant, made from the releases in an order.
    func snapshot(at instant: Timestamp, in order: ([Release]) -> [Release] = { $0 }) -> ReleaseSnapshot {
        var packages: [PackageID: PackageReleases] = [:]
        for package in Self.packages {
            packages[package] = PackageReleases(order(own(package)), at: instant) { Candidate($0, lists: Self.lists) }
        }
        return ReleaseSnapshot(packages: packages, builds: Self.builds)
    }

    /// The next instant at which something changes by itself.
    var boundary: Timestamp? {
        Self.packages.compactMap { own($0).boundary(at: now) }.min()
    }

    // MARK: Time

    mutating func letTimePass() {
        if random.chance(30), let boundary {
            now = random.chance(50) ? boundary : max(now, boundary.adding(milliseconds: -1))
        } else if random.chance(80) {
            now = now.adding(milliseconds: Int64.random(in: 0...3 * Sample.hour, using: &random))
        }
    }

    mutating func move(to instant: Timestamp) { now = instant }

    // MARK: What operators do

    /// Makes a release, or changes one; returns what was done.
    mutating func operate() throws -> String {
        while true {
            if releases.isEmpty || random.chance(30) { return try make() }
            // Seldom there, and soon past.
            let ahead = releases.indices.filter { !releases[$0].hasEnded && releases[$0].release.activeTime > now }
            if random.chance(20), let index = random.pick(ahead), let done = try apply(.reschedule, to: index) {
                return done
            }
            let recent = releases.indices.suffix(30).filter { !releases[$0].hasEnded }
            guard let index = random.pick(recent), let kind = random.pick(ReleaseAction.Kind.allCases) else { continue }
            if let done = try apply(kind, to: index) { return done }
        }
    }

    private mutating func needs(of version: Int, of package: PackageID) -> WorldRelease.Needs {
        if let known = needs[package]?[version] { return known }
        let drawn = WorldRelease.Needs.random(by: &random, of: package)
        needs[package, default: [:]][version] = drawn
        return drawn
    }

    private mutating func make() throws -> String {
        let package = random.pick(Self.packages) ?? Self.common
        let version = Int.random(in: 1...Self.versionCount, using: &random)
        var terms = WorldRelease.Terms.random(by: &random, version: version)
        var share = random.pick([10_000, 10_000, 0, 1, 500, 9999, Int.random(in: 0...10_000, using: &random)]) ?? 0
        if !terms.steps.isEmpty { share = 0 }
        // Now and then one for everyone, which hides what is below.
        if random.chance(10) { (terms, share) = (WorldRelease.Terms(isMandatory: terms.isMandatory), 10_000) }
        let delay = random.chance(40) ? Int64.random(in: 1...12 * Sample.hour, using: &random) : 0
        let activeTime = now.adding(milliseconds: delay)
        let rank = Rank.assigned(createdAt: now, activeTime: activeTime, taken: Set(own(package).map(\.rank)))
        let salt = UInt8.random(in: 1...6, using: &random)
        try add(package, version, terms, share: share, salt: salt, activeTime: activeTime, rank: rank)
        return "make \(package) \(version) at \(share) from \(activeTime)"
    }

    private mutating func add(
        _ package: PackageID, _ version: Int, _ terms: WorldRelease.Terms, share: Int, salt: UInt8,
        activeTime: Timestamp, rank: Rank
    ) throws {
        let steps = try terms.steps.map {
            Rollout.Step(percent: try #require(BasisPoints($0.basisPoints)), after: $0.after)
        }
        let needs = needs(of: version, of: package)
        let release = Release(
            id: ReleaseID(Int64(releases.count + 1)), app: .default, package: package, channel: .production,
            version: try Sample.version("\(version).0"), requirements: needs.requirements,
            terms: ReleaseTerms(
                audience: terms.audience, rollout: Rollout(percent: try #require(BasisPoints(share)), steps: steps),
                salt: try #require(Salt(bytes: Array(repeating: salt, count: Salt.length))),
                isMandatory: terms.isMandatory,
                floor: try terms.floor.map { floor in
                    try #require(
                        Floor(
                            version: try Sample.version("\(floor.version)"), reason: "random",
                            withoutHave: floor.offersToSilent ? .offer : .withhold))
                }), activeTime: activeTime, createdAt: now, rank: rank)
        releases.append(WorldRelease(release: release, terms: terms, needs: needs, version: version, byHand: share))
    }

    /// Does something to a release; `nil` where its state or the numbers do not allow it.
    mutating func apply(_ kind: ReleaseAction.Kind, to index: Int) throws -> String? {
        let old = releases[index]
        let others = own(old.release.package)
        let state = old.release.state(among: others, at: now)
        let action: ReleaseAction
        switch kind {
        case .pause: action = .pause
        case .resume: action = .resume
        case .halt: action = .halt
        case .complete: action = .complete
        case .widen: action = .widen(BasisPoints(Int.random(in: 0...10_000, using: &random)) ?? .all)
        case .reschedule:
            action = .reschedule(now.adding(milliseconds: Int64.random(in: 0...8 * Sample.hour, using: &random)))
        case .rollBack: return try rollBack(index, in: state)
        }
        guard state.allowed.contains(kind) else {
            #expect(throws: PlatformError.self) { try old.release.applying(action, in: state, at: now) }
            return nil
        }
        guard let changed = try? old.release.applying(action, in: state, at: now) else { return nil }
        releases[index].release = changed
        switch action {
        case .pause: releases[index].stoppedSince = now.milliseconds
        case .resume: resume(index)
        case .halt:
            releases[index].stoppedSince = old.stoppedSince ?? now.milliseconds
            releases[index].isHalted = true
        case .complete:
            resume(index)
            releases[index].byHand = 10_000
        case .widen(let share): releases[index].byHand = share.value
        case .reschedule:
            let taken = Set(others.filter { $0.id != changed.id }.map(\.rank))
            releases[index].release.rank = Rank.assigned(
                createdAt: changed.createdAt, activeTime: changed.activeTime, taken: taken)
        case .rollBack: break
        }
        return "\(kind.rawValue) \(changed.id) of \(changed.package)"
    }

    private mutating func resume(_ index: Int) {
        if let since = releases[index].stoppedSince { releases[index].stops.append(since..<now.milliseconds) }
        releases[index].stoppedSince = nil
        releases[index].isHalted = false
    }

    /// As the server does it: to the version of a lower release, for the same devices, right above; one whose moment has not
    /// come just ends.
    private mutating func rollBack(_ index: Int, in state: ReleaseState) throws -> String? {
        let old = releases[index]
        let release = old.release
        guard state.allowed.contains(.rollBack) else { return nil }
        guard release.isActive(at: now), release.keepsDevices else {
            // Not always, or none would be left to be moved.
            guard random.chance(30) else { return nil }
            releases[index].release = try release.applying(.rollBack, in: state, at: now)
            releases[index].hasEnded = true
            return "rollback \(release.id) of \(release.package) before its moment"
        }
        let lower = releases.filter {
            $0.release.package == release.package && $0.release.rank < release.rank && $0.version != old.version
                && !$0.hasEnded && !$0.isHalted && $0.release.isActive(at: now)
        }.max { $0.release.rank < $1.release.rank }
        guard let lower else { return nil }
        releases[index].release = try release.applying(.rollBack, in: state, at: now)
        releases[index].hasEnded = true
        var terms = old.terms
        terms.steps = []
        terms.floor = nil
        terms.isMandatory = random.chance(30)
        let taken = Set(own(release.package).map(\.rank))
        try add(
            release.package, lower.version, terms, share: release.percent(at: now).value,
            salt: release.terms.salt.bytes[0], activeTime: now, rank: release.rank.lowestFreeAbove(taken))
        return "rollback \(release.id) of \(release.package) to \(lower.version)"
    }
}

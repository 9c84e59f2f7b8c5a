package import Domain
package import Ground
import Testing

/// Releases of a few packages over time, created and changed by random operations.
package struct ReleaseWorld {
    package static let common = known("common")
    package static let packages = [common, known("news"), known("shop")]
    package static let versionCount = 9
    private static let start = Timestamp(milliseconds: 1_767_225_600_000)
    private static let hour: Int64 = 3_600_000
    static let whitelist = DeviceListName("beta")
    static let excluded = DeviceListName("qa")
    package static let builds: [String: Set<String>] = [
        "8.1": ["log"], "8.2": ["scan"], "8.3": ["scan", "log"], "8.4": ["pay", "scan"],
    ]
    package static let lists: [DeviceListName: DeviceSet] = {
        let all = 0..<WorldDevice.population
        var lists: [DeviceListName: DeviceSet] = [:]
        if let whitelist {
            lists[whitelist] = BucketOrders.devices(all.filter(WorldDevice.isOnWhitelist).map { "device-\($0)" })
        }
        if let excluded {
            lists[excluded] = BucketOrders.devices(all.filter(WorldDevice.isExcluded).map { "device-\($0)" })
        }
        return lists
    }()

    package private(set) var now = Self.start
    package private(set) var releases: [WorldRelease] = []
    /// The number of operations that were rejected because devices would lose a release of another package.
    package private(set) var refusals = 0
    package var random: SeededRandom
    private var setCount: Int64 = 0
    private var needs: [PackageID: [Int: WorldRelease.Needs]] = [:]

    package init(_ random: SeededRandom) { self.random = random }

    private static func version(_ text: String) throws -> VersionString { try #require(VersionString(text)) }

    private static func known(_ text: String) -> PackageID {
        guard let package = PackageID(text) else { preconditionFailure("'\(text)' is a package id") }
        return package
    }

    private func own(_ package: PackageID) -> [Release] { releases.map(\.release).filter { $0.package == package } }

    package func find(_ id: ReleaseID?) -> WorldRelease? { releases.first { $0.release.id == id } }

    /// Returns the snapshot at an instant, from the releases in an order.
    package func snapshot(at instant: Timestamp, in order: ([Release]) -> [Release] = { $0 }) -> ReleaseSnapshot {
        var packages: [PackageID: PackageReleases] = [:]
        for package in Self.packages {
            packages[package] = PackageReleases(order(own(package)), at: instant) { Candidate($0, lists: Self.lists) }
        }
        return ReleaseSnapshot(packages: packages, builds: Self.builds)
    }

    /// The next instant at which something changes by itself.
    private var boundary: Timestamp? {
        Self.packages.compactMap { package in
            PackageReleases(own(package), at: now) { Candidate($0, lists: [:]) }.boundary
        }.min()
    }

    // MARK: Time

    package mutating func letTimePass() {
        if random.chance(30), let boundary {
            now = random.chance(50) ? boundary : max(now, boundary.adding(milliseconds: -1))
        } else if random.chance(80) {
            now = now.adding(milliseconds: Int64.random(in: 0...3 * Self.hour, using: &random))
        }
    }

    // MARK: What operators do

    /// Creates or changes a release without a loss in other packages, and returns the operation; counts rejected
    /// operations.
    package mutating func operateWithoutLoss() throws -> WorldOperation {
        while true {
            var changed = self
            let done = try changed.operate()
            let losses = DependencyReview.losses(
                from: releases.map(\.release), to: changed.releases.map(\.release), at: now)
            guard losses.isEmpty else {
                random = changed.random
                refusals += 1
                continue
            }
            changed.refusals = refusals
            self = changed
            return done
        }
    }

    /// Creates or changes a release, and returns the operation.
    package mutating func operate() throws -> WorldOperation {
        while true {
            if releases.isEmpty || random.chance(30) { return try make() }
            // Scheduled releases are rare and soon active.
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

    private mutating func make() throws -> WorldOperation {
        if random.chance(30) { return try makeSet() }
        let package = random.pick(Self.packages) ?? Self.common
        let version = Int.random(in: 1...Self.versionCount, using: &random)
        let draft = draft(of: version)
        return try made(add([package: version], draft), isSet: false)
    }

    /// Creates a release of each of several packages, for the same devices from one instant on.
    private mutating func makeSet() throws -> WorldOperation {
        let packages = Self.packages.shuffled(using: &random).prefix(random.chance(50) ? 2 : 3)
        var versions: [PackageID: Int] = [:]
        for package in packages { versions[package] = Int.random(in: 1...Self.versionCount, using: &random) }
        var draft = draft(of: 1)
        draft.terms.floor = nil
        draft.isSet = true
        return try made(add(versions, draft), isSet: true)
    }

    /// Returns the operation that made some releases at this instant.
    private func made(_ releases: [Release], isSet: Bool) -> WorldOperation {
        let drafts = releases.map { release in
            ReleaseDraft(
                app: release.app, package: release.package, channel: release.channel, version: release.version,
                terms: release.terms, activeTime: release.activeTime > now ? release.activeTime : nil)
        }
        return .make(ReleaseRequest(drafts: drafts, isSet: isSet, takingBack: []), as: releases.map(\.id))
    }

    /// The common values of releases that are created together.
    private struct Draft {
        var terms: WorldRelease.Terms
        var share: Int
        var salt: UInt8
        var activeTime: Timestamp
        var isSet = false
        /// The release above which they are placed.
        var above: Rank?
    }

    private mutating func draft(of version: Int) -> Draft {
        var terms = WorldRelease.Terms.random(by: &random, version: version)
        var share = random.pick([10_000, 10_000, 0, 1, 500, 9999, Int.random(in: 0...10_000, using: &random)]) ?? 0
        if !terms.steps.isEmpty { share = 0 }
        // Sometimes a release for all devices, which hides those below.
        if random.chance(10) { (terms, share) = (WorldRelease.Terms(isMandatory: terms.isMandatory), 10_000) }
        let delay = random.chance(40) ? Int64.random(in: 1...12 * Self.hour, using: &random) : 0
        return Draft(
            terms: terms, share: share, salt: UInt8.random(in: 1...6, using: &random),
            activeTime: now.adding(milliseconds: delay))
    }

    /// Adds a release of each package under one rank, and returns the releases by package.
    private mutating func add(_ versions: [PackageID: Int], _ draft: Draft) throws -> [Release] {
        let terms = draft.terms
        let steps = try terms.steps.enumerated().map { index, step in
            Rollout.Step(
                percent: try #require(BasisPoints(step.basisPoints)), after: step.after,
                isWithoutRules: index == terms.firstStepWithoutRules)
        }
        #expect(steps.isEmpty || Rollout.isPlan(steps))
        let packages = versions.keys.sorted()
        let taken = Set(packages.flatMap(own).map(\.rank))
        let rank =
            draft.above?.lowestFreeAbove(taken)
            ?? Rank.assigned(createdAt: now, activeTime: draft.activeTime, taken: taken)
        var needs: [PackageID: WorldRelease.Needs] = [:]
        for package in packages { needs[package] = self.needs(of: versions[package] ?? 0, of: package) }
        if draft.isSet { setCount += 1 }
        let set = SetMembership(
            id: ReleaseSetID(setCount), versions: try versions.mapValues { try Self.version("\($0).0") },
            isPlain: needs.values.allSatisfy { $0.requirements == .none })
        var added: [Release] = []
        for package in packages {
            let (version, needs) = (versions[package] ?? 0, needs[package] ?? WorldRelease.Needs())
            let release = Release(
                id: ReleaseID(Int64(releases.count + 1)), app: .default, package: package, channel: .production,
                version: try Self.version("\(version).0"), set: draft.isSet ? set : nil,
                requirements: needs.requirements,
                terms: ReleaseTerms(
                    audience: terms.audience,
                    rollout: Rollout(percent: try #require(BasisPoints(draft.share)), steps: steps),
                    salt: try #require(Salt(bytes: Array(repeating: draft.salt, count: Salt.length))),
                    isMandatory: terms.isMandatory,
                    floor: try terms.floor.map { floor in
                        try #require(
                            Floor(
                                version: try Self.version("\(floor.version)"), reason: "random",
                                withoutHave: floor.offersToSilent ? .offer : .withhold))
                    }), activeTime: draft.activeTime, createdAt: now, rank: rank)
            releases.append(
                WorldRelease(release: release, terms: terms, needs: needs, version: version, byHand: draft.share))
            added.append(release)
        }
        return added
    }

    /// Returns the indices of a release and of those that are changed with it.
    private func together(_ index: Int) -> [Int] {
        guard let set = releases[index].release.set?.id else { return [index] }
        return releases.indices.filter { releases[$0].release.set?.id == set }
    }

    /// Returns the name by which an operator changes a release or its set.
    private func name(of index: Int) -> ReleaseGroup.ID {
        let release = releases[index].release
        return release.set.map { .set($0.id) } ?? .release(release.id, of: release.package)
    }

    private func state(of indices: [Int]) -> ReleaseState {
        let states = indices.map { index in
            let release = releases[index].release
            return release.state(among: own(release.package), at: now)
        }
        return states.first { $0 != .superseded } ?? .superseded
    }

    /// Applies an action to a release or its set; returns `nil` if the state or the numbers do not permit it.
    package mutating func apply(_ kind: ReleaseAction.Kind, to index: Int) throws -> WorldOperation? {
        let indices = together(index)
        let state = state(of: indices)
        let action: ReleaseAction
        switch kind {
        case .pause: action = .pause
        case .resume: action = .resume
        case .halt: action = .halt
        case .complete: action = .complete
        case .widen:
            action = .widen(
                random.chance(80) ? BasisPoints(Int.random(in: 0...10_000, using: &random)) : nil,
                withoutRules: random.chance(40))
        case .reschedule:
            action = .reschedule(now.adding(milliseconds: Int64.random(in: 0...8 * Self.hour, using: &random)))
        case .rollBack: return try rollBack(indices, in: state)
        }
        guard releases[index].release.allowed(in: state, at: now).contains(kind) else {
            #expect(throws: PlatformError.self) { try releases[index].release.applying(action, in: state, at: now) }
            return nil
        }
        guard (try? releases[index].release.applying(action, in: state, at: now)) != nil else { return nil }
        for index in indices {
            let release = try releases[index].release.applying(action, in: state, at: now)
            releases[index] = noting(action, releases[index].with(release: release))
        }
        if case .reschedule = action { rank(indices) }
        return .change(name(of: index), action)
    }

    private func noting(_ action: ReleaseAction, _ release: WorldRelease) -> WorldRelease {
        switch action {
        case .pause: release.paused(at: now)
        case .resume: release.resumed(at: now)
        case .halt: release.halted(at: now)
        case .complete:
            release.resumed(at: now).with(byHand: 10_000, droppingRules: release.terms.firstStepWithoutRules != nil)
        case .widen(let share, let isWithoutRules):
            release.with(
                byHand: share?.value ?? release.share(at: max(now, release.release.activeTime).milliseconds),
                droppingRules: isWithoutRules)
        case .reschedule, .rollBack: release
        }
    }

    /// Gives releases the rank of their activation time.
    private mutating func rank(_ indices: [Int]) {
        let moved = indices.map { releases[$0].release }
        let ids = Set(moved.map(\.id))
        let others = moved.flatMap { own($0.package) }.filter { !ids.contains($0.id) }
        for index in indices {
            var release = releases[index].release
            release.rank = Rank.assigned(
                createdAt: release.createdAt, activeTime: release.activeTime, taken: Set(others.map(\.rank)))
            releases[index] = releases[index].with(release: release)
        }
    }

    /// Rolls back like the server: to the version of a lower release, for the same devices, right above; a scheduled
    /// release just ends.
    private mutating func rollBack(_ indices: [Int], in state: ReleaseState) throws -> WorldOperation? {
        let old = indices.map { releases[$0] }
        guard state.allowed.contains(.rollBack), let first = old.first else { return nil }
        let name = name(of: indices[0])
        guard first.release.isActive(at: now), first.release.keepsDevices else {
            // Not always, or no scheduled release would be left.
            guard random.chance(30) else { return nil }
            try end(indices, in: state)
            return .takeBack(name, to: [:], isMandatory: false)
        }
        var versions: [PackageID: Int] = [:]
        for ended in old {
            let lower = releases.filter {
                $0.release.package == ended.release.package && $0.release.rank < ended.release.rank
                    && $0.version != ended.version && !$0.hasEnded && !$0.isHalted && $0.release.isActive(at: now)
            }.max { $0.release.rank < $1.release.rank }
            guard let lower else { return nil }
            versions[ended.release.package] = lower.version
        }
        try end(indices, in: state)
        var terms = first.hasRules(at: now.milliseconds) ? first.terms : first.terms.withoutRules
        terms.steps = []
        terms.firstStepWithoutRules = nil
        terms.floor = nil
        terms.isMandatory = random.chance(30)
        let begun = try add(
            versions,
            Draft(
                terms: terms, share: first.release.percent(at: now).value, salt: first.release.terms.salt.bytes[0],
                activeTime: now, isSet: first.release.set != nil, above: first.release.rank))
        let targets = begun.map { ($0.package, $0.version) }
        return .takeBack(name, to: Dictionary(uniqueKeysWithValues: targets), isMandatory: terms.isMandatory)
    }

    private mutating func end(_ indices: [Int], in state: ReleaseState) throws {
        for index in indices {
            let release = try releases[index].release.applying(.rollBack, in: state, at: now)
            releases[index] = releases[index].ended(as: release)
        }
    }
}

import Domain
import Ground
import Testing

struct RetentionTests {
    private static let day: Int64 = 86_400_000

    @Test func `a grace below a day is refused, a day is not`() throws {
        #expect(RetentionPolicy(graceHours: RetentionPolicy.minimumGraceHours - 1) == nil)
        #expect(RetentionPolicy(graceHours: RetentionPolicy.minimumGraceHours) != nil)
        #expect(RetentionPolicy.minimumGraceHours == 24)
        #expect(RetentionPolicy.standard.graceHours == 30 * 24)
        #expect(RetentionPolicy(keepVersions: -1) == nil && RetentionPolicy(keepDays: -1) == nil)
    }

    /// Returns versions 1 … 9, published a day apart; 5 to 8 were released, 8 is current, 9 is not released.
    private func facts(unnamedFor days: Int64? = 31) throws -> RetentionFacts {
        var world = RetentionWorld()
        for number in 1...9 {
            world.publish("\(number)")
            if (5...8).contains(number) { world.release("\(number)") }
            world.advance(by: Self.day)
        }
        world.advance(by: 40 * Self.day)
        world.noteAllUnnamed(at: days.map { world.now.adding(milliseconds: -$0 * Self.day) })
        return world.facts
    }

    private var now: Timestamp { RetentionWorld.start.adding(milliseconds: 49 * Self.day) }

    private func judge(_ facts: RetentionFacts, _ policy: RetentionPolicy?) throws -> [String: Retention.Ruling] {
        let retention = Retention(try #require(policy))
        let verdict = retention.judge(facts, named: RetentionWorld.named(facts, at: now), at: now, standingAt: now)
        return Dictionary(uniqueKeysWithValues: verdict.versions.map { ($0.version.version.text, $0.ruling) })
    }

    @Test func `without a limit no version is removed`() throws {
        let rulings = try judge(facts(), .standard)
        #expect(rulings.count == 9 && rulings.values.allSatisfy { $0 == .stays(.unlimited) })
    }

    @Test func `a version past the newest is removed, unless it is offered or the base of a patch`() throws {
        let rulings = try judge(facts(), RetentionPolicy(keepVersions: 1))
        for number in 1...4 { #expect(rulings["\(number)"] == .goes(.outdated)) }
        for number in 5...6 { #expect(rulings["\(number)"] == .stays(.base)) }
        // Devices would go back to 7 if 8 were halted.
        for number in 7...8 { #expect(rulings["\(number)"] == .stays(.offered)) }
        #expect(rulings["9"] == .stays(.newest))
    }

    @Test func `the newest stay, by when they were published and not by their names`() throws {
        let rulings = try judge(facts(), RetentionPolicy(keepVersions: 7))
        #expect(rulings.filter(\.value.goes).keys.sorted() == ["1", "2"])
        #expect(rulings["3"] == .stays(.newest))
    }

    @Test func `versions stay for their days, to the millisecond`() throws {
        // 1 is 49 days old, 2 is 48.
        #expect(try judge(facts(), RetentionPolicy(keepDays: 48)).filter(\.value.goes).keys.sorted() == ["1", "2"])
        #expect(try judge(facts(), RetentionPolicy(keepDays: 49)).filter(\.value.goes).keys.sorted() == ["1"])
        #expect(try judge(facts(), RetentionPolicy(keepDays: 50)).filter(\.value.goes).isEmpty)
        #expect(try judge(facts(), RetentionPolicy(keepDays: 50))["1"] == .stays(.young))
    }

    @Test func `either of two limits keeps a version`() throws {
        let rulings = try judge(facts(), RetentionPolicy(keepVersions: 8, keepDays: 46))
        #expect(rulings.filter(\.value.goes).keys.sorted() == ["1"])
        let others = try judge(facts(), RetentionPolicy(keepVersions: 1, keepDays: 48))
        #expect(others.filter(\.value.goes).keys.sorted() == ["1", "2"])
    }

    @Test(arguments: [(nil, .unseen), (0, .grace), (29, .grace), (30, nil), (31, nil)] as [(Int64?, Retention.Stay?)])
    func `an unreferenced version stays for the grace period`(
        _ days: Int64?, _ reason: Retention.Stay?
    ) throws {
        let rulings = try judge(facts(unnamedFor: days), RetentionPolicy(keepVersions: 1))
        #expect(rulings["1"] == reason.map { .stays($0) } ?? .goes(.outdated))
    }

    @Test func `a version with a patch from it that may still be used stays`() throws {
        var world = RetentionWorld()
        for number in 1...6 {
            world.publish("\(number)")
            world.release("\(number)")
            world.advance(by: Self.day)
        }
        world.advance(by: 50 * Self.day)
        world.noteAllUnnamed(at: world.now.adding(milliseconds: -31 * Self.day))
        let late = try #require(world.facts.artifacts.first { $0.base?.text == "1" && $0.version.text == "2" })
        world.note(late.number, at: world.now)
        let retention = Retention(try #require(RetentionPolicy(keepVersions: 1)))
        let verdict = retention.judge(
            world.facts, named: RetentionWorld.named(world.facts, at: world.now), at: world.now,
            standingAt: world.now)
        // The patch belongs to 2, and 1 is its base.
        #expect(verdict.versions.prefix(2).map(\.ruling) == [.stays(.grace), .stays(.grace)])
    }

    @Test func `a patch is removed once a smaller one is on offer, and the smaller one stays`() throws {
        var world = RetentionWorld()
        for version in ["1", "2"] {
            world.publish(version)
            world.release(version)
            world.advance(by: Self.day)
        }
        world.improve(base: "1", target: "2")
        world.advance(by: 50 * Self.day)
        world.noteAllUnnamed(at: world.now.adding(milliseconds: -31 * Self.day))
        let verdict = Retention(.standard).judge(
            world.facts, named: RetentionWorld.named(world.facts, at: world.now), at: world.now,
            standingAt: world.now)
        let patches = verdict.artifacts.filter { $0.artifact.base != nil }
        #expect(patches.map(\.ruling) == [.goes(.superseded), .stays(.named)])
        // Before it is recorded as named as well, because the plan needs it.
        let unseen = Retention(.standard).judge(world.facts, named: [], at: world.now, standingAt: world.now)
        #expect(unseen.artifacts.map(\.ruling).suffix(1) == [.stays(.planned)])
    }

    @Test func `patches of a release that was superseded go, its archive stays with it`() throws {
        let verdict = Retention(.standard).judge(
            try facts(), named: RetentionWorld.named(try facts(), at: now), at: now, standingAt: now)
        let going = verdict.artifacts.filter(\.ruling.goes)
        #expect(Set(going.map(\.artifact.version.text)) == ["6", "7"])
        #expect(going.allSatisfy { $0.artifact.base != nil && $0.ruling == .goes(.unreferenced) })
        #expect(verdict.artifacts.first?.ruling == .stays(.whole))
    }

    @Test func `a version that a scheduled release needs stays`() throws {
        var world = RetentionWorld()
        for version in ["1", "2", "3", "4", "5"] { world.publish(version) }
        world.release("1")
        world.advance(by: Self.day)
        world.release("2")
        world.release("3", in: 200 * Self.day)
        world.release("4", in: 300 * Self.day)
        world.advance(by: 100 * Self.day)
        world.noteAllUnnamed(at: world.now.adding(milliseconds: -31 * Self.day))
        let retention = Retention(try #require(RetentionPolicy(keepDays: 1)))
        let verdict = retention.judge(
            world.facts, named: RetentionWorld.named(world.facts, at: world.now), at: world.now,
            standingAt: world.now)
        #expect(
            verdict.versions.map(\.ruling) == [
                .stays(.offered), .stays(.offered), .stays(.offered), .stays(.offered), .goes(.outdated),
            ])
        // 4 is not yet named as the next version.
        #expect(verdict.artifacts.filter { $0.artifact.version.text == "4" }.allSatisfy { !$0.ruling.goes })
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `no version or archive that was named within the grace period is ever removed`(seed: UInt64) throws {
        var random = RetentionWorld.Random(state: seed)
        var world = RetentionWorld()
        let policy = try #require(
            RetentionPolicy(
                keepVersions: Int.random(in: 1...3, using: &random),
                keepDays: Bool.random(using: &random) ? Int.random(in: 1...20, using: &random) : nil,
                graceHours: Int.random(in: 24...720, using: &random)))
        var gone = 0
        for step in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: world.publish("\(step)")
            case 2, 3:
                guard let version = world.facts.versions.randomElement(using: &random) else { continue }
                let delay = Bool.random(using: &random) ? Int64.random(in: 1...(40 * Self.day), using: &random) : 0
                world.release(version.version.text, in: delay)
            case 4: world.improveAny(using: &random)
            case 5, 6: gone += try world.prune(by: policy)
            default: world.advance(by: Int64.random(in: 1...(15 * Self.day), using: &random))
            }
        }
        #expect(gone > 0)
    }
}

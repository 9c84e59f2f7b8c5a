import Domain
import Ground
import Testing

struct ReleaseActionsTests {
    private static let steps = [(100, 0), (1000, 2), (10_000, 24)].compactMap { value, hours in
        BasisPoints(value).map { Rollout.Step(percent: $0, after: Int64(hours) * Sample.hour) }
    }

    /// Returns a release made at the start and active from hour 10, with a plan of 1 % at once, 10 % after 2 h and all
    /// after a day.
    private func release(_ id: Int64 = 1) throws -> Release {
        var release = try Sample.release(id, "1.0.0", activeAt: 10)
        release.terms.rollout = Rollout(percent: .none, steps: Self.steps)
        return release
    }

    private func share(_ value: Int) throws -> BasisPoints { try #require(BasisPoints(value)) }

    /// Returns a release that has the state at hour 11 among the returned others.
    private func sample(_ state: ReleaseState) throws -> (Release, [Release]) {
        var release = try release()
        switch state {
        case .scheduled: release.activeTime = Sample.instant(20)
        case .active: break
        case .paused: release.course = .paused(since: Sample.instant(11))
        case .halted: release.course = .halted(since: Sample.instant(11))
        case .completed:
            release.course = .completed(at: Sample.instant(11))
            release.terms.rollout = .toEveryone
        case .superseded: return (release, [try Sample.release(2, "2.0.0", madeAt: 11)])
        case .rolledBack: release.course = .rolledBack(at: Sample.instant(11))
        }
        return (release, [])
    }

    private func action(_ kind: ReleaseAction.Kind) throws -> ReleaseAction {
        switch kind {
        case .pause: .pause
        case .resume: .resume
        case .halt: .halt
        case .complete: .complete
        case .widen: .widen(try share(5000))
        case .reschedule: .reschedule(Sample.instant(30))
        case .rollBack: .rollBack
        }
    }

    /// The state of a release at hour 12 after an action; every other pair is rejected.
    private static let outcomes: [ReleaseState: [ReleaseAction.Kind: ReleaseState]] = [
        .scheduled: [.widen: .scheduled, .reschedule: .scheduled, .halt: .halted, .rollBack: .rolledBack],
        .active: [.widen: .active, .pause: .paused, .complete: .completed, .halt: .halted, .rollBack: .rolledBack],
        .paused: [.resume: .active, .complete: .completed, .halt: .halted, .rollBack: .rolledBack],
        .completed: [.halt: .halted, .rollBack: .rolledBack],
        .superseded: [.halt: .halted, .rollBack: .rolledBack],
        .halted: [.resume: .active, .rollBack: .rolledBack],
        .rolledBack: [:],
    ]

    @Test(arguments: ReleaseState.allCases, ReleaseAction.Kind.allCases)
    func `each state allows exactly the actions that are listed for it`(
        state: ReleaseState, kind: ReleaseAction.Kind
    ) throws {
        let (release, others) = try sample(state)
        let now = Sample.instant(12)
        #expect(release.state(among: others + [release], at: now) == state)
        let action = try action(kind)
        #expect(action.kind == kind)
        guard let outcome = Self.outcomes[state]?[kind] else {
            let error = #expect(throws: PlatformError.self) { try release.applying(action, in: state, at: now) }
            #expect(error?.code == .conflict)
            let message = error?.message ?? ""
            #expect(message.contains("is \(state.rawValue), which does not allow '\(kind.rawValue)'"))
            for allowed in Self.outcomes[state]?.keys.map({ $0 }) ?? [] {
                #expect(message.contains("'\(allowed.rawValue)'"))
            }
            if state == .rolledBack { #expect(message.contains("It cannot be changed any more")) }
            return
        }
        let changed = try release.applying(action, in: state, at: now)
        #expect(changed.revision == release.revision + 1)
        #expect(changed.state(among: others + [changed], at: now) == outcome)
        #expect(changed.rank == release.rank && changed.id == release.id && changed.version == release.version)
    }

    // MARK: Plans

    @Test func `a plan runs from the activation time`() throws {
        let release = try release()
        let shares = [9, 10, 11, 12, 33, 34].map { release.percent(at: Sample.instant($0)).value }
        #expect(shares == [0, 100, 100, 1000, 1000, 10_000])
        #expect(release.percent(at: Sample.instant(12).adding(milliseconds: -1)).value == 100)
        #expect([9, 10, 12, 34].map { release.stepsReached(at: Sample.instant($0)) } == [0, 1, 2, 3])
        let next = [9, 10, 12, 33].map { release.nextStep(after: Sample.instant($0)) }
        #expect(next == [10, 12, 34, 34].map { Sample.instant($0) })
        #expect(release.nextStep(after: Sample.instant(34)) == nil)
    }

    @Test func `paused time does not advance a plan, over several pauses`() throws {
        var release = try release()
        for (pause, resume) in [(11, 15), (15, 15), (16, 20)] as [(Int64, Int64)] {
            let before = release.percent(at: Sample.instant(pause))
            release = try release.applying(.pause, in: .active, at: Sample.instant(pause))
            #expect(release.nextStep(after: Sample.instant(pause)) == nil)
            #expect(release.percent(at: Sample.instant(pause + 1000)) == before)
            release = try release.applying(.resume, in: .paused, at: Sample.instant(resume))
            #expect(release.percent(at: Sample.instant(resume)) == before)
        }
        // It ran from 10 to 11, from 15 to 16, when it reached the step, and from 20 on.
        #expect(release.terms.rollout.pausedFor == 8 * Sample.hour)
        #expect(release.percent(at: Sample.instant(20)).value == 1000)
        #expect(release.nextStep(after: Sample.instant(20)) == Sample.instant(42))
        #expect(release.percent(at: Sample.instant(42).adding(milliseconds: -1)).value == 1000)
        #expect(release.percent(at: Sample.instant(42)).value == 10_000)
    }

    @Test func `a pause a millisecond before a step keeps it off, and one at the step does not`() throws {
        let step = Sample.instant(12)
        let before = try release().applying(.pause, in: .active, at: step.adding(milliseconds: -1))
        #expect(before.percent(at: Sample.instant(99)).value == 100)
        let resumed = try before.applying(.resume, in: .paused, at: Sample.instant(20))
        #expect(resumed.percent(at: Sample.instant(20)).value == 100)
        #expect(resumed.percent(at: Sample.instant(20).adding(milliseconds: 1)).value == 1000)
        let at = try release().applying(.pause, in: .active, at: step)
        #expect(at.percent(at: Sample.instant(99)).value == 1000)
    }

    @Test func `a held step has a time from which it follows, which pauses and waiting move`() throws {
        var release = try release()
        #expect(release.nextHeldStep(after: Sample.instant(10)) == nil)
        release.terms.rollout.holdSteps(after: 2)
        #expect(release.nextHeldStep(after: Sample.instant(11)) == nil)
        #expect(release.nextHeldStep(after: Sample.instant(12)) == Sample.instant(34))
        #expect(release.nextHeldStep(after: Sample.instant(40)) == Sample.instant(34))
        let paused = try release.applying(.pause, in: .active, at: Sample.instant(13))
        #expect(paused.nextHeldStep(after: Sample.instant(13)) == nil)
        let resumed = try paused.applying(.resume, in: .paused, at: Sample.instant(15))
        #expect(resumed.nextHeldStep(after: Sample.instant(15)) == Sample.instant(36))
        let advanced = try #require(resumed.advanced(at: Sample.instant(40)))
        #expect(advanced.nextHeldStep(after: Sample.instant(40)) == nil)
        #expect(advanced.percent(at: Sample.instant(40)) == .all)
    }

    @Test func `halting a paused release keeps the time since which its plan stands still`() throws {
        let paused = try release().applying(.pause, in: .active, at: Sample.instant(11))
        let halted = try paused.applying(.halt, in: .paused, at: Sample.instant(15))
        #expect(halted.course == .halted(since: Sample.instant(11)))
        let resumed = try halted.applying(.resume, in: .halted, at: Sample.instant(20))
        #expect(resumed.terms.rollout.pausedFor == 9 * Sample.hour && resumed.course == .running)
        #expect(resumed.nextStep(after: Sample.instant(20)) == Sample.instant(21))
    }

    @Test func `a halt before the activation time delays a plan only from that time on`() throws {
        let halted = try release().applying(.halt, in: .scheduled, at: Sample.instant(5))
        #expect(halted.state(among: [], at: Sample.instant(5)) == .halted)
        #expect(halted.percent(at: Sample.instant(50)).value == 0)
        let early = try halted.applying(.resume, in: .halted, at: Sample.instant(8))
        #expect(early.terms.rollout.pausedFor == 0 && early.state(among: [], at: Sample.instant(8)) == .scheduled)
        let atMoment = try halted.applying(.resume, in: .halted, at: Sample.instant(10))
        #expect(atMoment.terms.rollout.pausedFor == 0 && atMoment.percent(at: Sample.instant(10)).value == 100)
        let late = try halted.applying(.resume, in: .halted, at: Sample.instant(13))
        #expect(late.terms.rollout.pausedFor == 3 * Sample.hour)
        #expect(late.percent(at: Sample.instant(13)).value == 100)
        #expect(late.nextStep(after: Sample.instant(13)) == Sample.instant(15))
    }

    @Test(arguments: [ReleaseAction.pause, .halt])
    func `a release that stood still when it was rolled back keeps its reach`(stop: ReleaseAction) throws {
        let stopped = try release().applying(stop, in: .active, at: Sample.instant(11))
        let state = stopped.state(among: [], at: Sample.instant(20))
        let ended = try stopped.applying(.rollBack, in: state, at: Sample.instant(20))
        #expect(ended.percent(at: Sample.instant(50)).value == 100 && ended.stepsReached(at: Sample.instant(50)) == 1)
        let running = try release().applying(.rollBack, in: .active, at: Sample.instant(20))
        #expect(running.percent(at: Sample.instant(50)).value == 1000)
    }

    @Test func `a release never began if it was stopped before its activation time, also if it ends later`() throws {
        let (early, late) = (Sample.instant(9), Sample.instant(11))
        for (instant, neverBegan) in [(early, true), (late, false)] {
            let state: ReleaseState = neverBegan ? .scheduled : .active
            let halted = try release().applying(.halt, in: state, at: instant)
            let ended = try release().applying(.rollBack, in: state, at: instant)
            let endedLater = try halted.applying(.rollBack, in: .halted, at: Sample.instant(20))
            #expect([halted, ended, endedLater].map(\.neverBegan) == Array(repeating: neverBegan, count: 3))
        }
        #expect(try !release().neverBegan)
        #expect(try !release().applying(.rollBack, in: .active, at: Sample.instant(10)).neverBegan)
        let resumed = try release().applying(.halt, in: .scheduled, at: early).applying(.resume, in: .halted, at: late)
        let ended = try resumed.applying(.rollBack, in: .active, at: Sample.instant(12))
        #expect(!resumed.neverBegan && !ended.neverBegan)
    }

    // MARK: Widening, completing, rescheduling

    @Test func `widening drops the steps of a plan that it reaches, and never narrows`() throws {
        let now = Sample.instant(11)
        let widened = try release().applying(.widen(share(500)), in: .active, at: now)
        #expect(widened.percent(at: now).value == 500)
        #expect(widened.terms.rollout.steps == Array(Self.steps.dropFirst()))
        #expect(widened.percent(at: Sample.instant(12)).value == 1000)
        for value in [0, 499, 500] {
            let error = #expect(throws: PlatformError.self) {
                try widened.applying(.widen(share(value)), in: .active, at: now)
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("is at 5 % already") == true)
        }
        #expect(try widened.applying(.widen(share(501)), in: .active, at: now).percent(at: now).value == 501)
        let error = #expect(throws: PlatformError.self) {
            // The step to 10 % has passed.
            try widened.applying(.widen(share(1000)), in: .active, at: Sample.instant(12))
        }
        #expect(error?.message.contains("is at 10 % already") == true)
    }

    @Test func `a step of the percentage that was set by hand is dropped, one above it stays`() throws {
        let widened = try release().applying(.widen(share(1000)), in: .active, at: Sample.instant(11))
        #expect(widened.terms.rollout.steps == [Self.steps[2]])
        let all = try release().applying(.widen(.all), in: .active, at: Sample.instant(11))
        #expect(all.terms.rollout.steps.isEmpty && all.percent(at: Sample.instant(11)) == .all)
    }

    @Test func `widening to every device completes a release, also after a pause, but not before its activation time`()
        throws
    {
        let now = Sample.instant(11)
        let paused = try release().applying(.pause, in: .active, at: now)
        let resumed = try paused.applying(.resume, in: .paused, at: Sample.instant(40))
        for (release, hour) in [(try release(), 11), (resumed, 41)] as [(Release, Int64)] {
            let instant = Sample.instant(hour)
            let most = try release.applying(.widen(share(9999)), in: .active, at: instant)
            #expect(most.state(among: [], at: instant) == .active)
            let all = try release.applying(.widen(.all), in: .active, at: instant)
            #expect(all.state(among: [], at: instant) == .completed && all.course == .completed(at: instant))
        }
        let coming = try release().applying(.widen(.all), in: .scheduled, at: Sample.instant(5))
        #expect(coming.state(among: [], at: Sample.instant(5)) == .scheduled)
        #expect(coming.state(among: [], at: Sample.instant(10)) == .active)
    }

    @Test func `a plan that was paused is completed at its last step`() throws {
        let paused = try release().applying(.pause, in: .active, at: Sample.instant(33))
        // It would have ended at 34.
        let resumed = try paused.applying(.resume, in: .paused, at: Sample.instant(50))
        #expect(resumed.state(among: [], at: Sample.instant(51).adding(milliseconds: -1)) == .active)
        #expect(resumed.state(among: [], at: Sample.instant(51)) == .completed)
    }

    @Test func `before the activation time widening exceeds the first step`() throws {
        let now = Sample.instant(5)
        #expect(throws: PlatformError.self) { try release().applying(.widen(share(100)), in: .scheduled, at: now) }
        let widened = try release().applying(.widen(share(101)), in: .scheduled, at: now)
        #expect(widened.percent(at: Sample.instant(10)).value == 101)
    }

    @Test func `completing a release reaches every device and ends the plan`() throws {
        let now = Sample.instant(11)
        let completed = try release().applying(.complete, in: .active, at: now)
        #expect(completed.percent(at: now) == .all && completed.terms.rollout.steps.isEmpty)
        #expect(completed.nextStep(after: now) == nil && completed.isForEveryone(at: now))
        #expect(completed.state(among: [], at: now) == .completed)
    }

    @Test func `the activation time is moved to any later than now, also to an earlier one than before`() throws {
        let now = Sample.instant(5)
        for passed in [now, now.adding(milliseconds: -1)] {
            let error = #expect(throws: PlatformError.self) {
                try release().applying(.reschedule(passed), in: .scheduled, at: now)
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("has passed") == true)
        }
        let next = now.adding(milliseconds: 1)
        #expect(try release().applying(.reschedule(next), in: .scheduled, at: now).activeTime == next)
        let later = try release().applying(.reschedule(Sample.instant(40)), in: .scheduled, at: now)
        #expect(later.percent(at: Sample.instant(39)).value == 0 && later.percent(at: Sample.instant(40)).value == 100)
    }

    // MARK: States that nobody sets

    @Test func `a release whose plan has reached everyone is completed`() throws {
        let release = try release()
        #expect(release.state(among: [], at: Sample.instant(34).adding(milliseconds: -1)) == .active)
        #expect(release.state(among: [], at: Sample.instant(34)) == .completed)
        #expect(try Sample.release(1, "1").state(among: [], at: Sample.instant(99)) == .active)
    }

    @Test func `a release is superseded while one of higher rank for every device hides it`() throws {
        let release = try release()
        let now = Sample.instant(12)
        func state(_ above: Release) -> ReleaseState { release.state(among: [above, release], at: now) }
        let above = try Sample.release(2, "2.0.0", madeAt: 11)
        #expect(state(above) == .superseded)
        func changed(_ change: (inout Release) throws -> Void) rethrows -> Release {
            var changed = above
            try change(&changed)
            return changed
        }
        #expect(state(changed { $0.course = .paused(since: now) }) == .superseded)
        #expect(state(changed { $0.course = .completed(at: now) }) == .superseded)
        #expect(state(changed { $0.terms.audience.whitelist = DeviceListName("beta") }) == .superseded)
        #expect(state(changed { $0.course = .halted(since: now) }) == .active)
        #expect(state(changed { $0.course = .rolledBack(at: now) }) == .active)
        #expect(state(changed { $0.activeTime = now.adding(milliseconds: 1) }) == .active)
        #expect(state(changed { $0.rank = Rank(release.rank.value - 1000) }) == .active)
        #expect(try state(changed { $0.terms.rollout.percent = try share(9999) }) == .active)
        #expect(state(changed { $0.terms.audience.excluded = DeviceListName("qa") }) == .active)
        #expect(state(changed { $0.terms.audience.rules = [AudienceRule(.region, .isIn(["CN"]))] }) == .active)
        #expect(
            try state(
                changed {
                    $0.terms.floor = Floor(version: try Sample.version("1"), reason: "", withoutHave: .offer)
                }) == .active)
        #expect(try state(Sample.release(2, "2.0.0", madeAt: 11, channel: "beta")) == .active)
    }

    @Test func `a release of a version with requirements supersedes no other`() throws {
        let release = try release()
        let range = try #require(VersionRange("*"))
        let asks: [VersionRequirements] = [
            .init(minAppVersion: "1"), .init(maxAppVersion: "9"), .init(apis: ["scan"]),
            .init(dependencies: [.init(package: try Sample.package("common"), range: range)]),
        ]
        for requirements in asks {
            let above = Release(
                id: ReleaseID(2), app: .default, package: release.package, channel: .production,
                version: try Sample.version("2"), requirements: requirements,
                terms: ReleaseTerms(salt: try Sample.salt()), activeTime: Sample.instant(11),
                createdAt: Sample.instant(11), rank: Rank(release.rank.value + 1000))
            #expect(release.state(among: [above], at: Sample.instant(12)) == .active)
            #expect(PackageReleases.live([release, above], at: Sample.instant(12)).count == 2)
        }
    }

    @Test func `a superseded release is not evaluated, and returns when the one above is halted or rolled back`() throws
    {
        let release = try release()
        let above = try Sample.release(2, "2.0.0", madeAt: 11)
        let now = Sample.instant(12)
        #expect(PackageReleases.live([release, above], at: now) == [above])
        for action in [ReleaseAction.halt, .rollBack] {
            let changed = try above.applying(action, in: .active, at: now)
            #expect(PackageReleases.live([release, changed], at: now).contains(release))
        }
    }
}

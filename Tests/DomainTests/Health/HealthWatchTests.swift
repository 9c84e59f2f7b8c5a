import Domain
import Ground
import Testing

/// The periods of a release that are judged, and the steps that wait for the verdict.
struct HealthWatchTests {
    private let policy = HealthPolicy(rules: [HealthRule(metric: .crashes, ceiling: BasisPoints(100))])

    private func minutes(_ count: Int64) -> Timestamp { Sample.start.adding(milliseconds: count * 60_000) }

    private func release(plan: Bool = false) throws -> Release {
        var release = try Sample.release(1, "1.1.0")
        release.terms.health = policy
        if plan {
            let steps = [(1, Int64(0)), (10, 1), (100, 2)].map { percent, hours in
                Rollout.Step(percent: BasisPoints(percent * 100) ?? .all, after: hours * Sample.hour)
            }
            release.terms.rollout = Rollout(percent: .none, steps: steps)
            release.terms.rollout.holdSteps(after: 0)
        }
        return release
    }

    private func next(_ old: HealthWatch?, _ release: Release, at now: Timestamp) -> HealthWatch {
        HealthWatch.current(after: old, of: release, under: policy, at: now)
    }

    @Test func `the first watch begins with the hour of the release, but not before the window`() throws {
        var release = try release()
        release.activeTime = minutes(37)
        #expect(next(nil, release, at: minutes(38)) == HealthWatch(number: 1, since: minutes(0)))
        // Rules were added to a release that began long ago.
        #expect(next(nil, release, at: minutes(100 * 60 + 5)) == HealthWatch(number: 1, since: minutes(77 * 60)))
    }

    @Test func `a watch ends with its window, and the next one begins with the present hour`() throws {
        let (release, watch) = (try release(), HealthWatch(number: 3, since: minutes(0)))
        #expect(next(watch, release, at: minutes(24 * 60).adding(milliseconds: -1)) == watch)
        #expect(next(watch, release, at: minutes(24 * 60)) == HealthWatch(number: 4, since: minutes(24 * 60)))
        #expect(next(watch, release, at: minutes(24 * 60 + 59)) == HealthWatch(number: 4, since: minutes(24 * 60)))
    }

    @Test func `a tripped watch ends when an operator resumes the release, and the next begins after the cool-down`()
        throws
    {
        var release = try release()
        var watch = HealthWatch(number: 1, since: minutes(0), trip: HealthWatch.Trip(action: .halt))
        #expect(next(watch, release, at: minutes(5)) == watch)
        watch.trip = HealthWatch.Trip(action: .halt, wasStopped: true)
        release.course = .paused(since: minutes(5))
        #expect(next(watch, release, at: minutes(5)) == watch)
        // Even past the window.
        #expect(next(watch, release, at: minutes(50 * 60)) == watch)
        release.course = .running
        #expect(next(watch, release, at: minutes(10)) == HealthWatch(number: 2, since: minutes(120)))
        #expect(next(watch, release, at: minutes(60)) == HealthWatch(number: 2, since: minutes(120)))
        #expect(next(watch, release, at: minutes(61)) == HealthWatch(number: 2, since: minutes(180)))
        release.course = .completed(at: minutes(10))
        #expect(next(watch, release, at: minutes(10)).number == 2)
    }

    @Test func `a change of a release that was not stopped is no resumption`() throws {
        let release = try release()
        let watch = HealthWatch(number: 1, since: minutes(0), trip: HealthWatch.Trip(action: .halt))
        for course in [ReleaseCourse.running, .completed(at: minutes(5))] {
            var changed = release
            changed.revision += 1
            changed.course = course
            #expect(watch.trip?.after(release, became: changed) == watch.trip)
            #expect(next(watch, changed, at: minutes(50 * 60)) == watch)
        }
    }

    @Test func `the action of a trip is due until somebody stops the release or gives it other rules`() throws {
        let release = try release()
        func after(_ trip: HealthWatch.Trip, _ change: (inout Release) -> Void) -> HealthWatch.Trip? {
            var changed = release
            change(&changed)
            return trip.after(release, became: changed)
        }
        let (due, stopped) = (HealthWatch.Trip(action: .halt), HealthWatch.Trip(action: .halt, wasStopped: true))
        let now = minutes(1)
        for course in [ReleaseCourse.paused(since: now), .halted(since: now), .rolledBack(at: now)] {
            #expect(after(due) { $0.course = course } == stopped)
        }
        #expect(after(due) { $0.terms.rollout.percent = .none } == due)
        #expect(after(due) { $0.terms.health = nil } == nil)
        #expect(after(due) { $0.terms.health?.rules[0].ceiling = BasisPoints(101) } == nil)
        #expect(after(stopped) { $0.terms.health = nil } == stopped)
        // An operator had paused the release before.
        var paused = release
        paused.course = .paused(since: minutes(1))
        #expect(due.after(paused, became: release) == due && due.after(paused, became: paused) == due)
        #expect(HealthWatch.Trip(.pause, of: paused).wasStopped && !HealthWatch.Trip(.halt, of: paused).wasStopped)
        #expect(!HealthWatch.Trip(.pause, of: release).wasStopped)
    }

    @Test func `a resumption holds for all releases of a group`() throws {
        var (one, other) = (try Sample.release(1, "1.1.0"), try Sample.release(2, "1.2.0"))
        (one.terms.health, other.terms.health) = (policy, policy)
        let trip = HealthWatch.Trip(action: .halt, wasStopped: true)
        let old = [
            one.id: HealthWatch(number: 1, since: minutes(0), trip: trip),
            other.id: HealthWatch(number: 1, since: minutes(0)),
        ]
        let next = HealthWatch.current(after: old, of: [one, other], under: policy, at: minutes(10))
        #expect(next == [HealthWatch(number: 2, since: minutes(120)), HealthWatch(number: 2, since: minutes(120))])
        let stored = Dictionary(uniqueKeysWithValues: zip([one.id, other.id], next))
        #expect(HealthWatch.current(after: stored, of: [one, other], under: policy, at: minutes(20)) == next)
    }

    @Test func `a clock that was set back does not suspend the judgement`() throws {
        let (release, watch) = (try release(), HealthWatch(number: 1, since: minutes(600)))
        #expect(next(watch, release, at: minutes(479)).number == 2)
        #expect(next(watch, release, at: minutes(481)) == watch)
    }

    @Test func `a clock that was set back ends a watch whose reports were judged`() throws {
        let release = try release()
        let counts = HealthCounts()
        var watch = HealthWatch(number: 1, since: minutes(600))
        watch.verdict = HealthVerdict(of: counts, in: watch, under: policy).json(hasHeldStep: false, at: minutes(610))
        #expect(next(watch, release, at: minutes(600)) == watch)
        #expect(next(watch, release, at: minutes(599)) == HealthWatch(number: 2, since: minutes(540)))
        // A cool-down goes on.
        watch.verdict = HealthVerdict(of: nil, in: watch, under: policy).json(hasHeldStep: false, at: minutes(590))
        #expect(next(watch, release, at: minutes(599)) == watch)
    }

    @Test func `other rules judge the same reports in a watch of their own`() throws {
        var (release, watch) = (try release(), HealthWatch(number: 1, since: minutes(0)))
        watch.verdict = HealthVerdict(of: HealthCounts(), in: watch, under: policy).json(
            hasHeldStep: false, at: minutes(1))
        #expect(next(watch, release, at: minutes(2)) == watch)
        var other = policy
        other.rules[0].ceiling = BasisPoints(101)
        release.terms.health = other
        #expect(
            HealthWatch.current(after: watch, of: release, under: other, at: minutes(2))
                == HealthWatch(number: 2, since: minutes(0)))
        other = policy
        other.devices += 1
        #expect(HealthWatch.current(after: watch, of: release, under: other, at: minutes(2)) == watch)
    }

    @Test func `only active releases that devices get are judged`() throws {
        var release = try release()
        #expect(release.isJudged(at: minutes(0)) && !release.isJudged(at: minutes(-1)))
        release.course = .paused(since: minutes(0))
        #expect(release.isJudged(at: minutes(0)))
        release.course = .halted(since: minutes(0))
        #expect(!release.isJudged(at: minutes(0)))
        release.course = .running
        release.terms.health = nil
        #expect(!release.isJudged(at: minutes(0)))
    }

    // MARK: Held steps

    @Test func `a plan stands still before a held step, and goes on from there`() throws {
        let release = try release(plan: true)
        #expect(release.percent(at: minutes(0)).percent == "1" && release.nextStep(after: minutes(0)) == nil)
        #expect(!release.isStepWaiting(at: minutes(59)) && release.advanced(at: minutes(59)) == nil)
        #expect(release.isStepWaiting(at: minutes(60)))
        #expect(release.percent(at: minutes(600)).percent == "1" && release.stepsReached(at: minutes(600)) == 1)
        let advanced = try #require(release.advanced(at: minutes(90)))
        #expect(advanced.revision == release.revision + 1)
        #expect(advanced.percent(at: minutes(90)).percent == "10")
        // The next step keeps its distance of an hour.
        #expect(!advanced.isStepWaiting(at: minutes(149)) && advanced.isStepWaiting(at: minutes(150)))
        let last = try #require(advanced.advanced(at: minutes(150)))
        #expect(last.percent(at: minutes(150)) == .all && last.terms.rollout.heldStep == nil)
        #expect(last.state(among: [], at: minutes(150)) == .completed)
    }

    @Test func `a held step that an operator passes leaves the later ones their distance`() throws {
        let tenth = try #require(BasisPoints(1000))
        let wide = try release(plan: true).applying(.widen(tenth), in: .active, at: minutes(600))
        #expect(!wide.isStepWaiting(at: minutes(659)) && wide.isStepWaiting(at: minutes(660)))
    }

    @Test func `a paused plan does not go on, and the time of a wait and a pause is counted once`() throws {
        var release = try release(plan: true)
        release = try release.applying(.pause, in: .active, at: minutes(70))
        #expect(!release.isStepWaiting(at: minutes(80)))
        release = try release.applying(.resume, in: .paused, at: minutes(100))
        #expect(release.isStepWaiting(at: minutes(100)))
        let advanced = try #require(release.advanced(at: minutes(110)))
        #expect(advanced.percent(at: minutes(110)).percent == "10")
        #expect(advanced.isStepWaiting(at: minutes(170)) && !advanced.isStepWaiting(at: minutes(169)))
    }

    @Test func `a release that stays healthy takes each step when it is due, and a waiting one at once`() throws {
        let release = try release(plan: true)
        let early = release.stayingHealthy(from: minutes(-600))
        #expect(early.percent(at: minutes(59)).percent == "1" && early.percent(at: minutes(60)).percent == "10")
        #expect(early.percent(at: minutes(119)).percent == "10" && early.percent(at: minutes(120)) == .all)
        let late = release.stayingHealthy(from: minutes(90))
        #expect(late.percent(at: minutes(90)).percent == "10" && late.percent(at: minutes(149)).percent == "10")
        #expect(late.percent(at: minutes(150)) == .all)
    }

    @Test(arguments: [ReleaseAction.pause, .halt])
    func `the plan of a paused or halted release stands still, however healthy it is`(action: ReleaseAction) throws {
        let stopped = try release(plan: true).applying(action, in: .active, at: minutes(30))
        #expect(stopped.stayingHealthy(from: minutes(40)) == stopped)
        #expect(stopped.stayingHealthy(from: minutes(40)).percent(at: minutes(900)).percent == "1")
    }

    @Test func `rules hold the steps that are not reached, and without rules the plan goes on`() throws {
        let held = try release(plan: true)
        let free = try held.judged(by: nil, at: minutes(90))
        #expect(free.terms.health == nil && free.percent(at: minutes(90)).percent == "10")
        #expect(free.nextStep(after: minutes(90)) == minutes(150))
        let again = try free.judged(by: policy, at: minutes(100))
        #expect(again.terms.rollout.steps.map(\.isHeld) == [false, false, true])
        #expect(try again.judged(by: policy, at: minutes(101)).terms.rollout == again.terms.rollout)
        var ended = held
        ended.course = .rolledBack(at: minutes(0))
        #expect(throws: PlatformError.self) { try ended.judged(by: nil, at: minutes(1)) }
    }

    @Test func `rules hold every step of a plan that was widened by hand, as devices have the release already`() throws
    {
        var free = try release(plan: true)
        free.terms.health = nil
        for index in free.terms.rollout.steps.indices { free.terms.rollout.steps[index].isHeld = false }
        // No device has the release yet.
        free.activeTime = minutes(60)
        #expect(try free.judged(by: policy, at: minutes(0)).terms.rollout.steps.map(\.isHeld) == [false, true, true])
        free.activeTime = minutes(0)
        for percent in [500, 1] {
            // The widened release is before its next step, of 10 %, or 1 %.
            var wide = free
            wide.activeTime = minutes(percent == 1 ? 10 : 0)
            wide.terms.rollout.percent = try #require(BasisPoints(percent))
            wide.terms.rollout.steps.removeAll { $0.percent.value <= percent }
            let judged = try wide.judged(by: policy, at: minutes(5))
            #expect(judged.terms.rollout.steps.allSatisfy { $0.isHeld })
            #expect(judged.percent(at: minutes(600)).value == percent)
        }
    }

    @Test func `a held step, and one without rules, is stored as such`() throws {
        for (isHeld, isWithoutRules) in [(false, false), (true, false), (false, true), (true, true)] {
            let step = Rollout.Step(percent: .all, after: 7, isHeld: isHeld, isWithoutRules: isWithoutRules)
            #expect(Rollout.Step(step.json) == step)
        }
        for flags: [JSON] in [[false], [true, false], [false, false], [true, true, true], [1]] {
            #expect(Rollout.Step(.array([.integer(1), .integer(2)] + flags)) == nil)
        }
    }
}

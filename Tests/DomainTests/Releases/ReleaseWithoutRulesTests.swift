import Domain
import Ground
import Testing

/// Releases whose rules do not apply from some step of the plan on, or until an operator drops them.
struct ReleaseWithoutRulesTests {
    private static let rule = AudienceRule(.region, .isIn(["CN"]))

    /// Returns a release active from hour 10, with a plan of 10 % of the devices in China at once, all of them after two
    /// hours, and every device after four.
    private func release() throws -> Release {
        var release = try Sample.release(2, "2.0.0", activeAt: 10)
        release.terms.audience.rules = [Self.rule]
        release.terms.rollout = Rollout(
            percent: .none,
            steps: [
                .init(percent: try share(1000), after: 0), .init(percent: .all, after: 2 * Sample.hour),
                .init(percent: .all, after: 4 * Sample.hour, isWithoutRules: true),
            ])
        return release
    }

    private func share(_ value: Int) throws -> BasisPoints { try #require(BasisPoints(value)) }

    private func hasRules(_ release: Release, at instant: Timestamp) -> Bool {
        !release.audience(at: instant).rules.isEmpty
    }

    // MARK: Plans

    @Test func `the rules apply until the step without them, which completes the release`() throws {
        let release = try release()
        let step = Sample.instant(14)
        let before = step.adding(milliseconds: -1)
        #expect(hasRules(release, at: before) && !release.isForEveryone(at: before))
        #expect(release.percent(at: before) == .all && release.state(among: [], at: before) == .active)
        #expect(release.nextStep(after: before) == step)
        #expect(!hasRules(release, at: step) && release.isForEveryone(at: step))
        #expect(release.state(among: [], at: step) == .completed)
    }

    @Test func `a release is in flight until the step that drops its rules, and hides lower releases afterwards`()
        throws
    {
        let releases = [try Sample.release(1, "1.0.0"), try release()]
        func offer(_ hour: Int64) throws -> OpenReleases.Offer {
            OpenReleases(releases, at: Sample.instant(hour)).offer(of: try Sample.package(), on: .production)
        }
        #expect(try offer(13).inFlight.map(\.id.value) == [2] && offer(13).everyone?.id.value == 1)
        #expect(try offer(14).inFlight.isEmpty && offer(14).everyone?.id.value == 2)
    }

    @Test func `a step without rules that is held at 100 percent keeps the release in flight`() throws {
        var held = try release()
        held.terms.rollout.holdSteps(after: 2)
        let now = Sample.instant(20)
        #expect(held.percent(at: now) == .all && hasRules(held, at: now) && held.nextStep(after: now) == nil)
        #expect(held.state(among: [], at: now) == .active)
        let offer = OpenReleases([held], at: now).offer(of: held.package, on: .production)
        #expect(offer.inFlight.map(\.id) == [held.id])
        let advanced = try #require(held.advanced(at: now))
        #expect(advanced.isForEveryone(at: now) && advanced.state(among: [], at: now) == .completed)
    }

    @Test func `a halted release does not get back rules that a step has dropped`() throws {
        let halted = try release().applying(.halt, in: .active, at: Sample.instant(15))
        #expect(!hasRules(halted, at: Sample.instant(99)))
        let early = try release().applying(.halt, in: .active, at: Sample.instant(13))
        #expect(hasRules(early, at: Sample.instant(99)))
    }

    @Test func `completing a release goes to the end of its plan`() throws {
        let now = Sample.instant(11)
        let completed = try release().applying(.complete, in: .active, at: now)
        #expect(completed.isForEveryone(at: now) && completed.terms.audience.rules.isEmpty)
        var ruled = try release()
        ruled.terms.rollout.steps.removeLast()
        let all = try ruled.applying(.complete, in: .active, at: now)
        #expect(all.percent(at: now) == .all && hasRules(all, at: now))
    }

    // MARK: Widening

    @Test func `dropping the rules keeps the percentage and the later steps`() throws {
        let now = Sample.instant(11)
        let widened = try release().applying(.widen(nil, withoutRules: true), in: .active, at: now)
        #expect(widened.percent(at: now).value == 1000 && !hasRules(widened, at: now))
        #expect(widened.terms.rollout.steps == [.init(percent: .all, after: 2 * Sample.hour)])
        #expect(widened.state(among: [], at: now) == .active)
        #expect(widened.isForEveryone(at: Sample.instant(12)))
    }

    @Test func `dropping the rules and widening to 100 percent completes the release`() throws {
        let now = Sample.instant(11)
        let widened = try release().applying(.widen(.all, withoutRules: true), in: .active, at: now)
        #expect(widened.course == .completed(at: now) && widened.isForEveryone(at: now))
        #expect(widened.terms.rollout.steps.isEmpty)
    }

    @Test func `widening to 100 percent keeps the step that drops the rules`() throws {
        let now = Sample.instant(11)
        let widened = try release().applying(.widen(.all), in: .active, at: now)
        #expect(widened.percent(at: now) == .all && hasRules(widened, at: now))
        #expect(widened.state(among: [], at: now) == .active && widened.nextStep(after: now) == Sample.instant(14))
        #expect(widened.isForEveryone(at: Sample.instant(14)))
    }

    @Test func `widening raises the percentage of a later step that drops the rules`() throws {
        var release = try release()
        release.terms.rollout.steps = [
            .init(percent: try share(100), after: 0),
            .init(percent: try share(500), after: Sample.hour, isWithoutRules: true),
            .init(percent: try share(8000), after: 2 * Sample.hour),
        ]
        let widened = try release.applying(.widen(share(6000)), in: .active, at: Sample.instant(10))
        #expect(widened.terms.rollout.steps.map(\.percent.value) == [6000, 8000])
        #expect(hasRules(widened, at: Sample.instant(10)) && !hasRules(widened, at: Sample.instant(11)))
        #expect(widened.percent(at: Sample.instant(11)).value == 6000)
    }

    @Test func `the rules of a completed release may be dropped, and nothing else is widened`() throws {
        var ruled = try release()
        ruled.terms.rollout.steps.removeLast()
        let now = Sample.instant(12)
        #expect(ruled.state(among: [], at: now) == .completed)
        #expect(ruled.allowed(in: .completed, at: now) == [.widen, .halt, .rollBack])
        let dropped = try ruled.applying(.widen(nil, withoutRules: true), in: .completed, at: now)
        #expect(dropped.isForEveryone(at: now) && dropped.state(among: [], at: now) == .completed)
        #expect(dropped.allowed(in: .completed, at: now) == [.halt, .rollBack])
        let error = #expect(throws: PlatformError.self) {
            try ruled.applying(.widen(.all), in: .completed, at: now)
        }
        #expect(error?.message.contains("is at 100 % already") == true)
    }

    @Test func `widening does not bring back rules that a step has dropped`() throws {
        var release = try release()
        release.terms.rollout.steps = [
            .init(percent: try share(1000), after: 0), .init(percent: try share(1000), after: 1, isWithoutRules: true),
            .init(percent: .all, after: 4 * Sample.hour),
        ]
        let now = Sample.instant(11)
        let widened = try release.applying(.widen(share(2000)), in: .active, at: now)
        #expect(!hasRules(widened, at: now) && widened.percent(at: now).value == 2000)
        #expect(widened.terms.rollout.steps == [.init(percent: .all, after: 4 * Sample.hour)])
    }

    @Test func `dropping rules fails if none apply, and widening to less fails as well`() throws {
        let free = try Sample.release(1, "1.0.0", activeAt: 10)
        let now = Sample.instant(15)
        for release in [free, try release()] {
            let error = #expect(throws: PlatformError.self) {
                try release.applying(.widen(nil, withoutRules: true), in: .active, at: now)
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("has no audience rules to drop") == true)
        }
        let error = #expect(throws: PlatformError.self) {
            try release().applying(.widen(share(999), withoutRules: true), in: .active, at: Sample.instant(11))
        }
        #expect(error?.message.contains("is at 10 % already") == true)
    }

    @Test func `dropping the rules past a held step counts the wait at it`() throws {
        var held = try release()
        held.terms.rollout.steps = [
            .init(percent: try share(1000), after: 0),
            .init(percent: try share(1000), after: Sample.hour, isHeld: true, isWithoutRules: true),
            .init(percent: .all, after: 3 * Sample.hour),
        ]
        // The step has waited for four hours.
        let now = Sample.instant(15)
        let widened = try held.applying(.widen(nil, withoutRules: true), in: .active, at: now)
        #expect(!hasRules(widened, at: now) && widened.percent(at: now).value == 1000)
        #expect(widened.nextStep(after: now) == Sample.instant(17))
    }

    // MARK: Other releases

    @Test func `a rollback is for the devices that have the release`() throws {
        let lower = try Sample.release(1, "1.0.0")
        for (hour, rules) in [(13, [Self.rule]), (14, [])] as [(Int64, [AudienceRule])] {
            let releases = ChannelReleases([lower, try release()], on: .production)
            guard
                case .replacement(let request) = try releases.takingBack(
                    ReleaseGroup(release()), to: [:], isMandatory: false, at: Sample.instant(hour))
            else {
                Issue.record("it is canceled")
                return
            }
            #expect(request.drafts[0].terms.audience.rules == rules)
            #expect(request.drafts[0].terms.rollout == .toEveryone)
        }
    }

    @Test func `a release goes back to a lower one whose rules have ended`() throws {
        var lower = try release()
        lower = Release(
            id: ReleaseID(1), app: lower.app, package: lower.package, channel: lower.channel,
            version: try Sample.version("1.0.0"), requirements: VersionRequirements(minAppVersion: "8"),
            terms: lower.terms, activeTime: Sample.instant(1), createdAt: Sample.instant(1), rank: Rank(1))
        let upper = try release()
        let now = Sample.instant(11)
        #expect(ChannelReleases([lower, upper], on: .production).lower(than: upper, at: now).map(\.id) == [lower.id])
        // Later the upper one is for more devices than a lower one with rules.
        var ruled = lower
        ruled.terms.rollout.steps.removeLast()
        let later = Sample.instant(14)
        #expect(ChannelReleases([ruled, upper], on: .production).lower(than: upper, at: later).isEmpty)
    }

    @Test func `an approval is outdated once a step has ended the rules that it was for`() throws {
        let group = ReleaseGroup(try release())
        let basis = ApprovalBasis(changing: group, at: Sample.instant(11))
        #expect(basis == ApprovalBasis(changing: group, at: Sample.instant(13)))
        let later = ApprovalBasis(changing: group, at: Sample.instant(14))
        #expect(basis.differences(to: later) == ["'rules' of the release differs from when the change was requested"])
        let stored = try #require(JSON(parsing: basis.json.bytes()))
        #expect(ApprovalBasis(stored)?.differences(to: basis) == [])
    }

    @Test func `releases that differ only in the step without rules are not duplicates`() throws {
        let release = try release()
        var other = release.terms
        other.rollout.steps.removeLast()
        let releases = ChannelReleases([release], on: .production)
        for (terms, isDuplicate) in [(release.terms, true), (other, false)] {
            let draft = ReleaseDraft(
                app: release.app, package: release.package, channel: .production, version: release.version,
                terms: terms, activeTime: release.activeTime, refusesDuplicate: true)
            let made = try? releases.making(ReleaseRequest(draft), at: Sample.instant(1))
            #expect((made == nil) == isDuplicate)
        }
    }

    @Test func `the summary of an approval says that the audience rules are dropped`() throws {
        let group = ReleaseGroup(try release())
        let made = ApprovalSummary.making(group, at: Sample.instant(1))
        #expect(made.hasSuffix(" at 10 %, with a plan of 3 steps, one of which drops the audience rules."))
        let now = Sample.instant(11)
        let dropped = try group.applying(.widen(nil, withoutRules: true), in: .active, at: now)
        #expect(
            ApprovalSummary.changing(group, to: dropped, .widen, at: now)
                == "Drop the audience rules of release 2 (news 2.0.0) on 'production'. It stays at 10 %.")
        let completed = try group.applying(.complete, in: .active, at: now)
        #expect(
            ApprovalSummary.changing(group, to: completed, .complete, at: now).hasSuffix(
                "from 10 % to 100 %, and drop its audience rules."))
    }
}

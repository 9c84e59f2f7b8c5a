import Domain
import Ground
import Testing

/// The rules by which operators and time change the releases of a channel.
struct ChannelReleasesTests {
    private func draft(
        _ version: String, of package: String = "news", activeAt hours: Int64? = nil, refusesDuplicate: Bool = false
    ) throws -> ReleaseDraft {
        ReleaseDraft(
            app: .default, package: try Sample.package(package), channel: .production,
            version: try Sample.version(version), terms: ReleaseTerms(salt: try Sample.salt()),
            activeTime: hours.map(Sample.instant), refusesDuplicate: refusesDuplicate)
    }

    /// A copy of a release in another package, or in a set.
    private func release(
        _ own: Release, of package: String, in set: SetMembership? = nil
    ) throws -> Release {
        Release(
            id: ReleaseID(own.id.value + 100), app: own.app, package: try Sample.package(package),
            channel: own.channel, version: own.version, set: set, terms: own.terms, activeTime: own.activeTime,
            createdAt: own.createdAt, rank: own.rank)
    }

    private func rank(_ hours: Int64) -> Int64 { Sample.instant(hours).milliseconds * 1000 }

    // MARK: Making

    @Test func `a release without an activation time begins at once, with its event and rank`() throws {
        let now = Sample.instant(3)
        let updates = try ChannelReleases([], on: .production).making(ReleaseRequest(draft("1")), at: now)
        let made = try #require(updates.first?.release)
        #expect(updates.count == 1 && updates[0].kind == .made && made.id == .unassigned)
        #expect(made.activeTime == now && made.createdAt == now && made.rank.value == rank(3))
        #expect(updates[0].event == .activated(made.package, .production, made.version))
    }

    @Test func `a release with a later activation time is scheduled, and one for the current time is active`() throws {
        let releases = ChannelReleases([], on: .production)
        let (package, version) = (try Sample.package(), try Sample.version("1"))
        let coming = try releases.making(ReleaseRequest(draft("1", activeAt: 4)), at: Sample.instant(3))
        #expect(coming.map(\.event) == [.scheduled(package, .production, version)])
        #expect(coming[0].release.rank.value == rank(4))
        let now = try releases.making(ReleaseRequest(draft("1", activeAt: 3)), at: Sample.instant(3))
        #expect(now.map(\.event) == [.activated(package, .production, version)])
    }

    @Test func `releases of a set get one rank, which is free in each of their packages`() throws {
        let news = try Sample.release(1, "1", madeAt: 3)
        let shop = try release(Sample.release(2, "1", madeAt: 3, rank: rank(3) + 1000), of: "shop")
        let other = try Sample.release(3, "1", madeAt: 3, channel: "beta", rank: rank(3) + 2000)
        let releases = ChannelReleases([news, shop, other], on: .production)
        let request = try ReleaseRequest(setOf: [draft("2", of: "shop"), draft("2")])
        let updates = try releases.making(request, at: Sample.instant(3))
        #expect(updates.map(\.release.package.text) == ["news", "shop"])
        #expect(updates.map(\.release.rank.value) == [rank(3) + 2000, rank(3) + 2000])
    }

    @Test(arguments: [1, 33])
    func `a set has neither too few nor too many packages`(count: Int) throws {
        let drafts = try (0..<count).map { try draft("1", of: "p\($0)") }
        let error = #expect(throws: PlatformError.self) { try ReleaseRequest(setOf: drafts) }
        #expect(error?.code == .invalidRequest && error?.message.contains("this one has \(count)") == true)
    }

    @Test func `a duplicate is refused only if the draft refuses it, and names the release`() throws {
        let releases = ChannelReleases([try Sample.release(7, "1")], on: .production)
        let now = Sample.instant(1)
        #expect(try releases.making(ReleaseRequest(draft("1")), at: now).count == 1)
        let request = ReleaseRequest(try draft("1", refusesDuplicate: true))
        let error = #expect(throws: PlatformError.self) { try releases.making(request, at: now) }
        #expect(error?.code == .releaseExists && error?.message.hasPrefix("Release 7 offers news 1") == true)
        #expect(try releases.making(request.allowingDuplicate, at: now).count == 1)
        #expect(throws: Never.self) {
            try releases.making(ReleaseRequest(draft("1", activeAt: 2, refusesDuplicate: true)), at: now)
        }
    }

    // MARK: Changing

    @Test func `a moved release gets the rank of its activation time, unique among the others`() throws {
        let moved = try Sample.release(1, "1", activeAt: 10)
        let other = try Sample.release(2, "2", activeAt: 20)
        let releases = ChannelReleases([moved, other], on: .production)
        let changed = try releases.changing(
            ReleaseGroup(moved), by: .reschedule(Sample.instant(20)), at: Sample.instant(1))
        #expect(changed.rank.value == rank(20) + 1000 && changed.activeTime == Sample.instant(20))
        let same = try releases.changing(
            ReleaseGroup(moved), by: .reschedule(Sample.instant(10)), at: Sample.instant(1))
        #expect(same.rank == moved.rank)
    }

    @Test func `devices fall back to the highest active release below a halted one`() throws {
        let own = [
            try Sample.release(1, "1"), try Sample.release(2, "2", madeAt: 1, activeAt: 30, rank: rank(2)),
            try Sample.release(3, "3", madeAt: 3),
        ]
        let releases = ChannelReleases(own, on: .production)
        let now = Sample.instant(4)
        let halted = try releases.changing(ReleaseGroup(own[2]), by: .halt, at: now)
        let after = releases.with(halted.members)
        #expect(after.fallback(of: halted.members[0], at: now)?.id == ReleaseID(1))
        #expect(ChannelReleases(halted.members, on: .production).fallback(of: halted.members[0], at: now) == nil)
    }

    // MARK: Taking back

    @Test func `a release that has begun is replaced by the next lower version, right above it`() throws {
        let lower = try Sample.release(1, "1")
        var upper = try Sample.release(2, "2", madeAt: 1)
        upper.terms.rollout = Rollout(percent: try #require(BasisPoints(500)))
        upper.terms.isMandatory = true
        let releases = ChannelReleases([lower, upper], on: .production)
        let now = Sample.instant(2)
        guard
            case .replacement(let request) = try releases.takingBack(
                ReleaseGroup(upper), to: [:], isMandatory: false, at: now)
        else {
            Issue.record("it is canceled")
            return
        }
        let updates = try releases.making(request, at: now)
        #expect(updates.map(\.kind) == [.changed, .made] && updates[0].release.hasEnded)
        let begun = updates[1].release
        #expect(begun.version.text == "1" && begun.rank.value == upper.rank.value + 1)
        #expect(begun.percent(at: now).value == 500 && !begun.isMandatory && begun.activeTime == now)
    }

    @Test func `a release before its activation time ends without a successor`() throws {
        let coming = try Sample.release(1, "1", activeAt: 9)
        let releases = ChannelReleases([coming], on: .production)
        let rollback = try releases.takingBack(ReleaseGroup(coming), to: [:], isMandatory: false, at: Sample.instant(1))
        guard case .cancellation(let ended) = rollback else {
            Issue.record("it is replaced")
            return
        }
        #expect(ended.members[0].hasEnded && ended.revision == coming.revision + 1)
    }

    @Test func `a rollback without an earlier release, or to the same version, is refused`() throws {
        let only = try Sample.release(1, "1")
        let releases = ChannelReleases([only], on: .production)
        for versions in [[:], [only.package: only.version]] {
            let error = #expect(throws: PlatformError.self) {
                try releases.takingBack(ReleaseGroup(only), to: versions, isMandatory: false, at: Sample.instant(1))
            }
            #expect(error?.code == .conflict)
        }
        let error = #expect(throws: PlatformError.self) {
            try releases.takingBack(
                ReleaseGroup(only), to: [Sample.package("shop"): only.version], isMandatory: false,
                at: Sample.instant(1))
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("has no release of 'shop'") == true)
    }

    @Test func `a set is one group: its state is superseded only if all of its releases are`() throws {
        let (news, shop) = (try Sample.package(), try Sample.package("shop"))
        let version = try Sample.version("1")
        let set = SetMembership(id: ReleaseSetID(5), versions: [news: version, shop: version], isPlain: true)
        let own = try release(Sample.release(1, "1"), of: "news", in: set)
        let other = try release(Sample.release(2, "1"), of: "shop", in: set)
        let group = try #require(ReleaseGroup(setOf: [other, own]))
        #expect(group.id == .set(ReleaseSetID(5)) && group.packages == [news, shop])
        let above = try Sample.release(9, "2", madeAt: 1)
        let now = Sample.instant(2)
        let releases = ChannelReleases([own, other, above], on: .production)
        #expect(releases.state(of: group, at: now) == .active)
        #expect(releases.with([try release(above, of: "shop")]).state(of: group, at: now) == .superseded)
        #expect(ReleaseGroup(setOf: [above]) == nil)
    }

    // MARK: Becoming due

    private func announced(
        _ release: Release, _ isActivationAnnounced: Bool = false, steps: Int = 0
    ) -> AnnouncedRelease {
        AnnouncedRelease(release, isActivationAnnounced: isActivationAnnounced, announcedSteps: steps)
    }

    @Test func `activations are due once, in the order of their times`() throws {
        let (late, early) = (try Sample.release(1, "2", activeAt: 5), try Sample.release(2, "1", activeAt: 4))
        #expect(AnnouncedRelease.due(among: [announced(late)], at: Sample.instant(5).adding(milliseconds: -1)).isEmpty)
        let due = AnnouncedRelease.due(
            among: [announced(late), announced(early), announced(try Sample.release(3, "3"), true)],
            at: Sample.instant(5))
        #expect(due.map(\.release.id.value) == [2, 1] && due.allSatisfy { $0.kind == .reached })
        #expect(due.map(\.event) == [early, late].map { .activated($0.package, $0.channel, $0.version) })
    }

    @Test func `a release that was rolled back, or halted before its activation time, is not due`() throws {
        var (ended, halted) = (try Sample.release(1, "1", activeAt: 4), try Sample.release(2, "2", activeAt: 4))
        ended.course = .rolledBack(at: Sample.instant(1))
        halted.course = .halted(since: Sample.instant(3))
        let now = Sample.instant(9)
        #expect(AnnouncedRelease.due(among: [announced(ended), announced(halted)], at: now).isEmpty)
        halted.course = .halted(since: Sample.instant(4))
        #expect(AnnouncedRelease.due(among: [announced(halted)], at: now).count == 1)
    }

    @Test func `steps of a running plan are due, with the activation if that is due as well`() throws {
        var release = try Sample.release(1, "1", activeAt: 1)
        let steps = [(100, 0), (1000, 2)].compactMap { value, hours in
            BasisPoints(value).map { Rollout.Step(percent: $0, after: Int64(hours) * Sample.hour) }
        }
        release.terms.rollout = Rollout(percent: .none, steps: steps)
        let changed = Event.Subject.changed(release.package, release.channel, release.version)
        let first = AnnouncedRelease.due(among: [announced(release)], at: Sample.instant(1))
        #expect(first.map(\.announcedSteps) == [1] && first[0].event != changed)
        #expect(AnnouncedRelease.due(among: [announced(release, true, steps: 1)], at: Sample.instant(2)).isEmpty)
        let second = AnnouncedRelease.due(among: [announced(release, true, steps: 1)], at: Sample.instant(3))
        #expect(second.map(\.announcedSteps) == [2] && second[0].event == changed)
        release.course = .paused(since: Sample.instant(2))
        #expect(AnnouncedRelease.due(among: [announced(release, true, steps: 1)], at: Sample.instant(9)).isEmpty)
    }
}

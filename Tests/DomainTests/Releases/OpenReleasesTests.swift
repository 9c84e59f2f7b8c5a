import Domain
import Ground
import Testing

struct OpenReleasesTests {
    private func open(_ releases: [Release], at hour: Int64) -> OpenReleases {
        OpenReleases(releases, at: Sample.instant(hour))
    }

    private func gray(_ id: Int64, _ version: String, madeAt hour: Int64) throws -> Release {
        var release = try Sample.release(id, version, madeAt: hour)
        release.terms.rollout = Rollout(percent: try #require(BasisPoints(1000)))
        return release
    }

    private func offer(_ releases: [Release], at hour: Int64) throws -> (everyone: Int64?, inFlight: [Int64]) {
        let offer = open(releases, at: hour).offer(of: try Sample.package(), on: try Sample.channel("production"))
        return (offer.everyone?.id.value, offer.inFlight.map(\.id.value))
    }

    @Test func `a release to a part of the devices is in flight above the one that everyone gets`() throws {
        let releases = [
            try Sample.release(1, "1"), try Sample.release(2, "2", madeAt: 1), try gray(3, "3", madeAt: 2),
            try Sample.release(4, "4", madeAt: 3, activeAt: 9),
        ]
        let offer = try offer(releases, at: 5)
        #expect(offer.everyone == 2 && offer.inFlight == [4, 3])
        let later = try self.offer(releases, at: 9)
        #expect(later.everyone == 4 && later.inFlight == [])
    }

    @Test func `a paused and a halted release are in flight until another one hides them from everyone`() throws {
        var paused = try gray(1, "1", madeAt: 0)
        paused.course = .paused(since: Sample.instant(1))
        var halted = try Sample.release(2, "2", madeAt: 1)
        halted.course = .halted(since: Sample.instant(1))
        #expect(try offer([paused, halted], at: 2) == (nil, [2, 1]))
        let hiding = try Sample.release(3, "3", madeAt: 3)
        #expect(try offer([paused, halted, hiding], at: 3) == (3, []))
        // Its state stays.
        #expect(open([paused, halted, hiding], at: 3).state(of: halted) == .halted)
    }

    @Test func `a plan is in flight until its last step`() throws {
        var release = try Sample.release(1, "1")
        let tenth = try #require(BasisPoints(1000))
        release.terms.rollout = Rollout(
            percent: .none,
            steps: [.init(percent: tenth, after: 0), .init(percent: .all, after: 2 * Sample.hour)])
        #expect(try offer([release], at: 1) == (nil, [1]))
        #expect(try offer([release], at: 2) == (1, []))
    }

    @Test func `a release of another channel or package changes nothing`() throws {
        let releases = [try Sample.release(1, "1", madeAt: 0), try Sample.release(2, "2", madeAt: 1, channel: "beta")]
        #expect(open(releases, at: 2).state(of: releases[0]) == .active)
        #expect(try offer(releases, at: 2) == (1, []))
        #expect(open(releases, at: 2).packagesInFlight(on: try Sample.channel("beta")) == [])
    }

    @Test func `the condition of states names open releases, and all others by their absence`() throws {
        var halted = try Sample.release(1, "1")
        halted.course = .halted(since: Sample.instant(0))
        var ended = try Sample.release(2, "2", madeAt: 1)
        ended.course = .rolledBack(at: Sample.instant(1))
        let releases = [
            halted, ended, try Sample.release(3, "3", madeAt: 2), try Sample.release(4, "4", madeAt: 3),
            try gray(5, "5", madeAt: 4),
        ]
        let open = open(releases, at: 5)
        #expect(
            open.condition(for: [.active, .rolledBack])
                == ReleaseStateCondition(open: [ReleaseID(4), ReleaseID(5)], isRolledBack: true, notSuperseded: nil))
        #expect(
            open.condition(for: [.superseded])
                == ReleaseStateCondition(
                    open: [], isRolledBack: false, notSuperseded: [ReleaseID(1), ReleaseID(4), ReleaseID(5)]))
        #expect(open.packagesInFlight(on: .production) == [try Sample.package()])
    }
}

import Domain
import Ground
import Testing

/// Tests which releases devices lose by a change of another package.
///
/// `news` 1.1 needs `common` 7, which `common` 7.0 meets; below them are `news` 1.0, which needs nothing, and `common`
/// 6.0.
struct DependencyReviewTests {
    private static let now = Sample.instant(10)

    /// Creates a release from a package, a version and members as in the fixtures.
    private func release(_ id: Int64, _ package: String, _ version: String, _ more: String = "{}") throws -> Release {
        let members = try #require(JSON(parsing: Array(more.utf8))?.members)
        let json = JSON.object(
            [
                .init("id", .integer(id)), .init("package", .string(package)), .init("version", .string(version)),
                .init("made", .string("\(id)h")),
            ] + members)
        return try FixtureRelease(json).release(among: [])
    }

    private func base(news: String = #"{"needs": {"common": "~7"}}"#) throws -> [Release] {
        [
            try release(1, "common", "6.0"), try release(2, "news", "1.0"), try release(3, "common", "7.0"),
            try release(4, "news", "1.1", news),
        ]
    }

    /// Returns the lost versions with their causes.
    private func lost(_ before: [Release], _ after: [Release]) -> [String] {
        DependencyReview.losses(from: before, to: after, at: Self.now).map {
            "\($0.release.package) \($0.release.version) by \($0.cause.package) \($0.cause.version) "
                + ($0.causeBegins
                    ? "from \(($0.from.milliseconds - Sample.start.milliseconds) / Sample.hour)h" : "ending")
        }
    }

    private func adding(_ releases: Release..., to before: [Release]? = nil) throws -> [String] {
        let before = try before ?? base()
        return lost(before, before + releases)
    }

    private func apply(_ action: ReleaseAction, to id: Int64, in releases: [Release]) throws -> [Release] {
        try releases.map { release in
            guard release.id == ReleaseID(id) else { return release }
            let own = releases.filter { $0.package == release.package }
            return try release.applying(action, in: release.state(among: own, at: Self.now), at: Self.now)
        }
    }

    @Test func `releasing a version outside the range loses the dependent release`() throws {
        #expect(try adding(release(9, "common", "8.0")) == ["news 1.1 by common 8.0 from 10h"])
        #expect(try adding(release(9, "common", "7.9.1")).isEmpty)
        #expect(try adding(release(9, "common", "winter-build")) == ["news 1.1 by common winter-build from 10h"])
        #expect(try adding(release(9, "common", "8.0", #"{"percent": 1}"#)) == ["news 1.1 by common 8.0 from 10h"])
        #expect(try adding(release(9, "shop", "8.0")).isEmpty)
    }

    @Test func `a release that reaches no device causes no loss`() throws {
        #expect(try adding(release(9, "common", "8.0", #"{"percent": 0}"#)).isEmpty)
        let other = #"{"percent": 0, "whitelist": "beta"}"#
        #expect(try adding(release(9, "common", "8.0", other)) == ["news 1.1 by common 8.0 from 10h"])
    }

    @Test func `a loss at a later time is reported when the change is made`() throws {
        #expect(try adding(release(9, "common", "8.0", #"{"active": "20h"}"#)) == ["news 1.1 by common 8.0 from 20h"])
        let plan = #"{"plan": [{"percent": 10, "after": "20h"}]}"#
        #expect(try adding(release(9, "common", "8.0", plan)) == ["news 1.1 by common 8.0 from 29h"])
        // A release whose devices would lose it later is rejected as well.
        let before = try [
            release(1, "common", "7.0"), release(2, "news", "1.0"),
            release(3, "common", "8.0", #"{"active": "20h"}"#),
        ]
        let needy = try release(9, "news", "1.1", #"{"needs": {"common": "~7"}}"#)
        #expect(try adding(needy, to: before) == ["news 1.1 by common 8.0 from 20h"])
    }

    @Test func `a loss that occurs without the change is not reported`() throws {
        let before = try base() + [release(8, "common", "8.0", #"{"active": "20h"}"#)]
        #expect(try adding(release(9, "news", "0.9"), to: before).isEmpty)
        #expect(try adding(release(9, "common", "7.2"), to: before).isEmpty)
    }

    @Test func `a release of higher rank that accepts the change replaces the lost one`() throws {
        let wide = try release(8, "news", "1.2", #"{"needs": {"common": ">=7"}}"#)
        #expect(try adding(release(9, "common", "8.0"), to: base() + [wide]).isEmpty)
        let partly = try release(8, "news", "1.2", #"{"needs": {"common": ">=7"}, "percent": 10}"#)
        #expect(try !adding(release(9, "common", "8.0"), to: base() + [partly]).isEmpty)
        // The audience is the same, since the order of the buckets is the same.
        #expect(try adding(release(9, "common", "8.0", #"{"percent": 10}"#), to: base() + [partly]).isEmpty)
        #expect(try !adding(release(9, "common", "8.0", #"{"percent": 10, "salt": 9}"#), to: base() + [partly]).isEmpty)
        #expect(try !adding(release(9, "common", "8.0", #"{"percent": 11}"#), to: base() + [partly]).isEmpty)
    }

    @Test func `releases for disjoint host apps cause no loss`() throws {
        let before = try base(news: #"{"needs": {"common": "~7"}, "maxAppVersion": "8"}"#)
        #expect(try adding(release(9, "common", "8.0", #"{"minAppVersion": "9"}"#), to: before).isEmpty)
        #expect(try !adding(release(9, "common", "8.0", #"{"minAppVersion": "8.5"}"#), to: before).isEmpty)
        let ruled = try base(news: #"{"needs": {"common": "~7"}, "rules": [{"fact": "region", "in": ["CN"]}]}"#)
        let rules = #"{"rules": [{"fact": "region", "in": ["us"]}]}"#
        #expect(try adding(release(9, "common", "8.0", rules), to: ruled).isEmpty)
    }

    @Test func `a set that contains both causes no loss for the devices that it reaches`() throws {
        let id = ReleaseSetID(1)
        let versions = [
            try Sample.package("common"): try Sample.version("8.0"), try Sample.package(): try Sample.version("2.0"),
        ]
        let set = SetMembership(id: id, versions: versions, isPlain: false)
        let members = try [("common", "8.0", "{}"), ("news", "2.0", #"{"needs": {"common": "^8"}}"#)].map {
            let plain = try release(9, $0.0, $0.1, $0.2)
            var terms = plain.terms
            terms.rollout = Rollout(percent: try #require(BasisPoints(1000)))
            return Release(
                id: plain.id, app: plain.app, package: plain.package, channel: plain.channel, version: plain.version,
                set: set, requirements: plain.requirements, terms: terms, activeTime: plain.activeTime,
                createdAt: plain.createdAt, rank: plain.rank)
        }
        let before = try base()
        #expect(lost(before, before + members).isEmpty)
        // A hotfix for all devices reaches those outside of the set's audience.
        let hotfix = try release(10, "common", "8.0.1")
        #expect(lost(before + members, before + members + [hotfix]) == ["news 1.1 by common 8.0.1 from 10h"])
    }

    @Test func `beyond 100 later instants only the last one is checked`() throws {
        let before =
            try base()
            + (20..<125).map { try release($0, "common", "7.\($0)", #"{"active": "\#($0 + 10)h"}"#) }
        let plan = #"{"active": "140h", "plan": [{"percent": 10, "after": "1h"}, {"percent": 50, "after": "2h"}]}"#
        #expect(try adding(release(15, "common", "8.0", plan), to: before) == ["news 1.1 by common 8.0 from 142h"])
        let early = #"{"active": "25h", "plan": [{"percent": 10, "after": "1h"}]}"#
        #expect(try adding(release(15, "common", "8.0", early), to: before) == ["news 1.1 by common 8.0 from 26h"])
    }

    @Test func `halting or rolling back a release loses its dependents`() throws {
        let before = try base()
        #expect(lost(before, try apply(.halt, to: 3, in: before)) == ["news 1.1 by common 7.0 ending"])
        #expect(lost(before, try apply(.rollBack, to: 3, in: before)) == ["news 1.1 by common 7.0 ending"])
        let patched = try before + [release(8, "common", "7.1")]
        // Another matching version is below it.
        #expect(lost(patched, try apply(.halt, to: 8, in: patched)).isEmpty)
        #expect(lost(patched, try apply(.pause, to: 8, in: patched)).isEmpty)
    }

    @Test func `resuming, widening and moving are changes like others`() throws {
        let halted = try base() + [release(8, "common", "8.0", #"{"halted": "9h"}"#)]
        #expect(try adding(release(9, "news", "1.1", #"{"needs": {"common": "~7"}}"#), to: halted).isEmpty)
        #expect(lost(halted, try apply(.resume, to: 8, in: halted)) == ["news 1.1 by common 8.0 from 10h"])
        let partly = try base() + [release(8, "common", "8.0", #"{"percent": 10}"#)]
        let fifth = try #require(BasisPoints(2000))
        let more = ReleaseAction.widen(fifth)
        #expect(lost(partly, try apply(more, to: 8, in: partly)) == ["news 1.1 by common 8.0 from 10h"])
        // 1.2 was scheduled to become active first.
        let ahead =
            try base() + [
                release(7, "news", "1.2", #"{"active": "20h", "needs": {"common": ">=7"}}"#),
                release(8, "common", "8.0", #"{"active": "30h"}"#),
            ]
        let later = ReleaseAction.reschedule(Sample.instant(40))
        #expect(lost(ahead, try apply(later, to: 7, in: ahead)) == ["news 1.1 by common 8.0 from 30h"])
    }

    @Test func `dependents of a lost release are lost too`() throws {
        let before =
            try base() + [
                release(5, "shop", "2.0"), release(6, "shop", "3.0", #"{"needs": {"news": "1.1"}}"#),
            ]
        #expect(
            try adding(release(9, "common", "8.0"), to: before)
                == ["news 1.1 by common 8.0 from 10h", "shop 3.0 by news 1.1 ending"])
    }
}

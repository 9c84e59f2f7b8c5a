import Domain
import Ground
import Testing
import WorldKit

struct ShadowingTests {
    private func shadowing(of id: Int64, among releases: [Release], at hour: Int64) throws -> [String] {
        let release = try #require(releases.first { $0.id == ReleaseID(id) })
        let shadowing = Shadowing(of: release, among: releases, at: Sample.instant(hour))
        let line = { (verb: String, other: Shadowing.Other) in
            "\(verb) \(other.release.id) from \((other.from.milliseconds - Sample.start.milliseconds) / Sample.hour)"
        }
        return shadowing.shadows.map { line("hides", $0) } + shadowing.shadowedBy.map { line("hidden by", $0) }
    }

    @Test func `a hotfix on Wednesday is hidden by Friday's release from Friday on`() throws {
        let releases = [
            try Sample.release(1, "1.0.0", rank: 1000), try Sample.release(2, "2.0.0", madeAt: 0, activeAt: 96),
            try Sample.release(3, "1.0.1", madeAt: 48),
        ]
        #expect(try shadowing(of: 3, among: releases, at: 48) == ["hides 1 from 48", "hidden by 2 from 96"])
        // Before Wednesday the first was active for all devices.
        #expect(try shadowing(of: 2, among: Array(releases.prefix(2)), at: 1) == ["hides 1 from 96"])
    }

    @Test func `a release is hidden from the latest of both activation times and the current time`() throws {
        let releases = [try Sample.release(1, "1", activeAt: 10), try Sample.release(2, "2", activeAt: 20)]
        #expect(try shadowing(of: 1, among: releases, at: 5) == ["hidden by 2 from 20"])
        #expect(try shadowing(of: 2, among: releases, at: 15) == ["hides 1 from 20"])
        var gray = releases
        gray[1].terms.rollout = Rollout(percent: .none)
        #expect(try shadowing(of: 2, among: gray, at: 30) == ["hides 1 from 30"])
    }

    @Test func `releases that are halted, rolled back or on other channels do not count`() throws {
        var halted = try Sample.release(2, "2", madeAt: 1)
        halted.course = .halted(since: Sample.instant(2))
        var ended = try Sample.release(3, "3", madeAt: 1)
        ended.course = .rolledBack(at: Sample.instant(2))
        let releases = [
            try Sample.release(1, "1"), halted, ended, try Sample.release(4, "4", madeAt: 1, channel: "beta"),
        ]
        #expect(try shadowing(of: 1, among: releases, at: 5) == [])
    }
}

struct PackageReleasesTests {
    private func own(_ releases: [Release], at hour: Int64) -> PackageReleases {
        PackageReleases(releases, at: Sample.instant(hour)) { Candidate($0, lists: [:]) }
    }

    @Test func `responses depend on facts if a release is not for every device, now or at its activation time`() throws
    {
        let everyone = try Sample.release(1, "1")
        let coming = try Sample.release(2, "2", activeAt: 10)
        #expect(!own([everyone, coming], at: 5).dependsOnFacts(at: Sample.instant(5)))
        var gray = coming
        gray.terms.rollout = Rollout(percent: .none)
        #expect(own([everyone, gray], at: 5).dependsOnFacts(at: Sample.instant(5)))
        var halted = everyone
        halted.course = .halted(since: Sample.start)
        #expect(own([halted], at: 5).dependsOnFacts(at: Sample.instant(5)))
        // A hidden release does not count.
        var below = everyone
        below.terms.audience.excluded = DeviceListName("qa")
        let above = try Sample.release(3, "3", madeAt: 1)
        #expect(!own([below, above], at: 5).dependsOnFacts(at: Sample.instant(5)))
    }

    @Test func `a hidden mandatory release still counts, and a halted or rolled back one does not`() throws {
        var mandatory = try Sample.release(1, "1", isMandatory: true)
        let above = try Sample.release(2, "2", madeAt: 1)
        #expect(own([mandatory, above], at: 5).hasMandatory)
        #expect(!own([above], at: 5).hasMandatory)
        mandatory.course = .halted(since: Sample.instant(2))
        #expect(!own([mandatory, above], at: 5).hasMandatory)
        mandatory.course = .rolledBack(at: Sample.instant(2))
        #expect(!own([mandatory, above], at: 5).hasMandatory)
    }

    @Test func `releases that ended or are hidden do not count`() throws {
        var releases = try (0..<20).map { try Sample.release($0, "\($0)", madeAt: $0) }
        #expect(own(releases, at: 30).candidates.map(\.release.id) == [ReleaseID(19)])
        for index in 10..<20 { releases[Int(index)].course = .rolledBack(at: Sample.instant(25)) }
        #expect(own(releases, at: 30).candidates.map(\.release.id) == [ReleaseID(9)])
    }
}

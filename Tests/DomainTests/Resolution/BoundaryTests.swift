import Domain
import Ground
import Testing
import WorldKit

struct BoundaryTests {
    private func planned(
        _ id: Int64, _ version: String, madeAt made: Int64, isMandatory: Bool = false
    ) throws -> Release {
        var release = try Sample.release(id, version, madeAt: made, isMandatory: isMandatory)
        let steps = [(100, 0), (1000, 2), (10_000, 24)].compactMap { value, hours in
            BasisPoints(value).map { Rollout.Step(percent: $0, after: Int64(hours) * Sample.hour) }
        }
        release.terms.rollout = Rollout(percent: .none, steps: steps)
        return release
    }

    @Test func `the activation time and each step of a plan are boundaries`() throws {
        let release = try planned(1, "1", madeAt: 10)
        let boundaries = [9, 10, 11, 12, 33, 34].map { [release].boundary(at: Sample.instant($0)) }
        #expect(boundaries == [10, 12, 12, 34, 34].map { Sample.instant($0) } + [nil])
    }

    @Test func `a release that stands still or was rolled back has no boundary`() throws {
        var release = try planned(1, "1", madeAt: 10)
        let courses: [ReleaseCourse] = [
            .paused(since: Sample.instant(11)), .halted(since: Sample.instant(11)), .rolledBack(at: Sample.instant(11)),
        ]
        for course in courses {
            release.course = course
            #expect([release].boundary(at: Sample.instant(11)) == nil)
        }
    }

    @Test func `steps of a hidden release change nothing, unless it is mandatory`() throws {
        let hidden = try planned(1, "1", madeAt: 0)
        let above = try Sample.release(2, "2", madeAt: 1)
        #expect([hidden, above].boundary(at: Sample.instant(1)) == nil)
        let mandatory = try planned(1, "1", madeAt: 0, isMandatory: true)
        // At the step more devices have to update.
        #expect([mandatory, above].boundary(at: Sample.instant(1)) == Sample.instant(2))
        // At the step more devices count as having a version above the mandatory one.
        let first = try Sample.release(3, "0", madeAt: -1, isMandatory: true)
        #expect([first, hidden, above].boundary(at: Sample.instant(1)) == Sample.instant(2))
    }

    @Test func `between two boundaries no device gets anything else`() throws {
        let releases = [
            try planned(1, "1", madeAt: 0, isMandatory: true), try planned(2, "2", madeAt: 3),
            try Sample.release(3, "3", madeAt: 4, activeAt: 6), try planned(4, "4", madeAt: 8),
        ]
        let package = try Sample.package()
        let salt = try Sample.salt()
        let devices = [0, 50, 99, 100, 500, 999, 1000, 9999].map { BucketOrders.bucket(at: $0, of: salt) } + [nil]
        func decisions(at instant: Timestamp) -> [PackageDecision] {
            let own = PackageReleases(releases, at: instant) { Candidate($0, lists: [:]) }
            let snapshot = ReleaseSnapshot(packages: [package: own])
            return devices.map { bucket in
                var facts = DeviceFacts()
                facts.sentBucket = bucket
                facts.holdings = Holdings("news@1")
                var resolution = Resolution(snapshot, facts: facts, at: instant)
                return resolution.decision(for: package)
            }
        }
        var instant = Sample.start
        var count = 0
        while let boundary = releases.boundary(at: instant) {
            #expect(boundary > instant)
            let before = boundary.adding(milliseconds: -1)
            #expect(decisions(at: instant) == decisions(at: before))
            instant = boundary
            count += 1
        }
        #expect(count == 9)
        #expect(decisions(at: instant) == decisions(at: instant.adding(milliseconds: 1000 * Sample.day)))
    }
}

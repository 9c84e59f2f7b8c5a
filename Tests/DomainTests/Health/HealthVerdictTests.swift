import Domain
import Ground
import Testing

/// The verdict on a release, from numbers of devices and from totals of reports.
struct HealthVerdictTests {
    private func counts(_ devices: Int, _ affected: [HealthMetric: Int], control: Int = 0) -> HealthCounts {
        var counts = HealthCounts()
        counts.release.devices = devices
        counts.release.affected = affected
        counts.control.devices = control
        return counts
    }

    private func verdict(_ counts: HealthCounts?, _ rules: HealthRule...) -> HealthVerdict {
        HealthVerdict(
            of: counts, in: HealthWatch(number: 1, since: Sample.start), under: HealthPolicy(rules: rules))
    }

    private let crashes = HealthRule(metric: .crashes, ceiling: BasisPoints(500))

    @Test func `a rule decides once it has its devices`() {
        let waiting = verdict(counts(49, [.crashes: 49]), crashes)
        #expect(waiting.state == .waiting && waiting.tripped == nil)
        #expect(waiting.note(hasHeldStep: false) == "Waits for data: crashes has 49 of 50 devices.")
        let broken = verdict(counts(50, [.crashes: 50]), crashes)
        #expect(broken.state == .unhealthy && broken.tripped?.rule == crashes)
        #expect(
            broken.note(hasHeldStep: false) == "crashes: 50 of 50 devices (100 %), allowed are at most 5 %.")
        #expect(verdict(counts(50, [:]), crashes).state == .healthy)
    }

    @Test func `a share above its limit is not healthy, although chance could explain it`() {
        let above = verdict(counts(50, [.crashes: 3]), crashes)
        #expect(above.state == .waiting && !above.permitsStep && above.tripped == nil)
        #expect(
            above.note(hasHeldStep: true)
                == "Waits for data: crashes is at 6 % of 50 devices, above its limit, which may be chance.")
        #expect(verdict(counts(100, [.crashes: 5]), crashes).state == .healthy)
        let rule = HealthRule(metric: .crashes, aboveControl: 0)
        // From no evidence to enough of it.
        let states = (0...30).map { verdict(counts(300, [.crashes: $0], control: 300), rule).state }
        #expect(states.first == .healthy && states.contains(.waiting) && states.last == .unhealthy)
    }

    @Test func `a rule without a ceiling waits for a control group`() {
        let rule = HealthRule(metric: .crashes, aboveControl: 10)
        #expect(verdict(counts(50, [:], control: 49), rule).state == .waiting)
        #expect(verdict(counts(50, [:], control: 50), rule).state == .healthy)
        var both = rule
        both.ceiling = BasisPoints(500)
        #expect(verdict(counts(50, [:], control: 49), both).state == .healthy)
    }

    @Test func `the strongest action wins, then the most evidence`() {
        let pause = HealthRule(metric: .crashes, ceiling: BasisPoints(1), action: .pause)
        let halt = HealthRule(metric: .whiteScreens, ceiling: BasisPoints(500))
        let weaker = HealthRule(metric: .whiteScreens, ceiling: BasisPoints(1000))
        let verdict = verdict(counts(100, [.crashes: 100, .whiteScreens: 60]), pause, weaker, halt)
        #expect(verdict.tripped?.rule == halt)
        #expect(HealthAction.allCases.sorted() == [.pause, .halt, .rollBack])
    }

    @Test func `a plan goes on with the devices since its last step`() {
        func since(_ devices: Int, _ counts: HealthCounts) -> HealthCounts {
            var counts = counts
            counts.devicesSinceStep = devices
            return counts
        }
        let few = verdict(since(49, counts(62, [:])), crashes)
        #expect(few.state == .healthy && !few.permitsStep)
        #expect(few.note(hasHeldStep: true).contains("49 of 50 devices since the last one"))
        #expect(few.note(hasHeldStep: false) == "All rules are met.")
        #expect(verdict(since(50, counts(100, [:])), crashes).permitsStep)
        #expect(!verdict(since(100, counts(100, [.crashes: 100])), crashes).permitsStep)
    }

    @Test func `nothing is judged before a watch begins`() {
        let verdict = verdict(nil, crashes)
        #expect(verdict.state == .coolingDown && !verdict.permitsStep && verdict.tripped == nil)
        #expect(verdict.json(hasHeldStep: false, at: Sample.start)["state"]?.string == "cooling-down")
    }

    @Test func `the numbers of a verdict are in its JSON`() throws {
        let json = verdict(counts(200, [.crashes: 20]), crashes).json(hasHeldStep: true, at: Sample.start)
        let rule = try #require(json["rules"]?.elements?.first)
        #expect(rule["devices"] == .integer(200) && rule["affected"] == .integer(20) && rule["percent"] == .integer(10))
        #expect(json["devices"] == .integer(200) && json["required"] == .integer(50))
    }

    // MARK: Totals

    private func total(
        _ version: Int64, _ event: String, devices: [UInt64], release: Int64 = 0, hour: Int64 = 0, loads: [Int] = []
    ) -> ReportTotal {
        var durations = DurationSketch()
        for load in loads { durations.insert(load) }
        return ReportTotal(
            key: ReportTotal.Key(
                version: version, span: .hour, start: Sample.instant(hour), event: event, release: release),
            reports: devices.count, corrected: 0, devices: DeviceSketch(devices), durations: durations)
    }

    private func tally(
        isOnlyRelease: Bool = true, after step: HealthStep? = nil, _ totals: ReportTotal...
    ) throws -> HealthCounts {
        var tally = HealthTally(
            of: try Sample.release(7, "1.1.0"), isOnlyRelease: isOnlyRelease, judging: Set(HealthMetric.allCases),
            since: Sample.start, after: step, versions: [1: "1.0.0", 2: "1.1.0"])
        for total in totals { tally.add(total) }
        return tally.counts
    }

    @Test func `each device counts once, in the group of its version`() throws {
        let counts = try tally(
            total(2, "opened", devices: [1, 2, 3]), total(2, "crash", devices: [3, 4]),
            total(2, "crash", devices: [4], hour: 1), total(1, "opened", devices: [8, 9]),
            total(1, "whiteScreen", devices: [9]), total(2, "applyFailed", devices: [1]),
            total(2, "downloadFailed", devices: [1, 2]))
        #expect(counts.release.devices == 4 && counts.release.affected == [.crashes: 2, .failures: 2])
        #expect(counts.control.devices == 2 && counts.control.affected == [.whiteScreens: 1])
    }

    @Test
    func `reports of another release, of no release if several offer the version, and of earlier hours do not count`()
        throws
    {
        let totals = [
            total(2, "crash", devices: [1], release: 7), total(2, "crash", devices: [2], release: 8),
            total(2, "crash", devices: [3]), total(2, "crash", devices: [4], release: 7, hour: -1),
        ]
        #expect(try tally(totals[0], totals[1], totals[2], totals[3]).release.affected == [.crashes: 2])
        let counts = try tally(isOnlyRelease: false, totals[0], totals[1], totals[2], totals[3])
        #expect(counts.release.affected == [.crashes: 1] && counts.control.devices == 0)
    }

    @Test func `devices that had reported at the latest plan step do not count as ones since it`() throws {
        let total = total(2, "opened", devices: [1, 2, 3, 4])
        #expect(try tally(total).devicesSinceStep == 4)
        #expect(try tally(after: HealthStep(DeviceSketch([3, 4, 5, 6, 7])), total).devicesSinceStep == 2)
        // Only the number is known, so the fewest count.
        #expect(try tally(after: HealthStep(count: 3, devices: nil), total).devicesSinceStep == 1)
        #expect(try tally(after: HealthStep(count: 5, devices: nil), total).devicesSinceStep == 0)
    }

    @Test func `devices that name no release are shown if several releases offer the version`() throws {
        let totals = [
            total(2, "opened", devices: [1, 2]), total(2, "crash", devices: [2, 3]),
            total(2, "opened", devices: [4], release: 7), total(1, "opened", devices: [9]),
        ]
        let alone = verdict(try tally(totals[0], totals[1], totals[2], totals[3]), crashes)
        #expect(alone.counts.unattributed == 0 && alone.counts.release.devices == 4)
        #expect(alone.json(hasHeldStep: true, at: Sample.start)["unattributedDevices"] == nil)
        #expect(alone.note(hasHeldStep: true) == "Waits for data: crashes has 4 of 50 devices.")
        let shared = verdict(try tally(isOnlyRelease: false, totals[0], totals[1], totals[2], totals[3]), crashes)
        #expect(shared.counts.unattributed == 3 && shared.counts.release.devices == 1)
        #expect(shared.json(hasHeldStep: true, at: Sample.start)["unattributedDevices"] == .integer(3))
        #expect(
            shared.note(hasHeldStep: true)
                == "Waits for data: crashes has 1 of 50 devices. Not counted: 3 devices that reported without naming a "
                + "release, since several releases offer the version. Roll one of them back, or give it another "
                + "version.")
    }

    @Test func `the share of slow page loads counts among the devices that loaded pages`() throws {
        let devices = (0..<100).map { UInt64($0) }
        let slow = Array(repeating: 9000, count: 60) + Array(repeating: 100, count: 40)
        let counts = try tally(
            total(2, "pageLoad", devices: devices, loads: slow), total(2, "opened", devices: Array(200..<400)))
        let rule = HealthRule(metric: .loadTime, ceiling: BasisPoints(1000), slowerThan: 3000)
        let check = try #require(verdict(counts, rule).checks.first)
        #expect(check.share == HealthShare(devices: 100, affected: 60) && check.outcome == .unhealthy)
        #expect(verdict(HealthCounts(), rule).state == .waiting)
    }
}

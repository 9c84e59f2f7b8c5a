import Client
import Domain
import Ground
import Testing

/// Tests the statistics that a server must have of a fleet, and their comparison.
struct FleetTruthTests {
    private func truth(_ plan: FleetPlan) -> FleetTruth {
        var truth = FleetTruth(plan)
        for index in 0..<plan.devices {
            for event in Fleet(plan).events(of: index, visit: 0) { truth.add(event) }
        }
        return truth
    }

    @Test func `the truth counts reports, devices, corrected clocks and the funnel`() throws {
        let plan = try FleetTests.plan(devices: 3000, FleetTests.mixed)
        let truth = truth(plan)
        let events = (0..<3000).flatMap { Fleet(plan).events(of: $0, visit: 0) }
        #expect(truth.reports == events.count)
        let rows = truth.rows(of: .events)
        let opened = events.filter { $0.event == .opened && $0.device.version == 1 }
        #expect(
            rows["1.1.0 opened"] == [
                .reports: opened.count, .corrected: opened.count(where: \.device.hasWrongClock),
                .devices: Set(opened.map(\.device.index)).count,
            ])
        let opening: Set<NamedEvent> = [.activated, .opened, .pageLoad, .resourceMissing, .whiteScreen, .scriptError]
        func devices(_ events: Set<NamedEvent>) -> Int {
            Fleet(plan).devices(reporting: events).count { $0.version == 1 }
        }
        let applied = opening.union([.applied, .rolledBack])
        #expect(rows["1.1.0 in the funnel, activated"] == [.devices: devices(opening)])
        #expect(rows["1.1.0 in the funnel, applied"] == [.devices: devices(applied)])
        #expect(
            rows["1.1.0 in the funnel, downloaded"]
                == [.devices: devices(applied.union([.downloaded, .verifyFailed, .applyFailed]))])
        #expect(rows["1.1.0 in the funnel, offered"] == [.devices: devices(Set(NamedEvent.allCases))])
        let failed = events.filter { $0.event == .downloadFailed && $0.reason == "timeout" }
        #expect(rows["downloadFailed, reason 'timeout'"]?[.reports] == failed.count)
        #expect(rows["crash, reason ''"]?[.reports] == events.count { $0.event == .crash })
    }

    @Test func `days have the reports whose own time counts, and every report has a platform and an app version`()
        throws
    {
        let truth = truth(try FleetTests.plan(devices: 3000, FleetTests.mixed))
        func sum(_ query: FleetQuery, _ column: FleetTruth.Column) -> Int {
            truth.rows(of: query).values.reduce(0) { $0 + $1[column, default: 0] }
        }
        #expect(sum(.platforms, .reports) == truth.reports && sum(.appVersions, .reports) == truth.reports)
        #expect(sum(.days, .reports) == truth.reports - sum(.platforms, .corrected))
        #expect(truth.rows(of: .days)["2026-09-21T00:00:00Z 1.0.0 opened"] != nil)
    }

    @Test func `percentiles are durations of which a share is no longer`() throws {
        let plan = try FleetTests.plan(devices: 200, versions: ["1"])
        let durations = (0..<200).flatMap { Fleet(plan).events(of: $0, visit: 0) }.filter { $0.event == .applied }
            .compactMap(\.duration).sorted()
        let row = try #require(truth(plan).rows(of: .events)["1 applied"])
        #expect(row[.durations] == 200 && row[.p50] == durations[99])
        #expect(row[.p90] == durations[179] && row[.p99] == durations[197])
    }

    // MARK: Comparison

    @Test(arguments: FleetQuery.allCases)
    func `a truth that is off by one in any exact number is found`(query: FleetQuery) throws {
        let server = truth(try FleetTests.plan(devices: 500, FleetTests.mixed)).rows(of: query)
        #expect(FleetFinding.compare(server, with: server).allSatisfy { $0.isRight })
        for (row, numbers) in server {
            for (column, number) in numbers where ![.p50, .p90, .p99].contains(column) {
                for change in [-1, 1] {
                    var wrong = server
                    wrong[row]?[column] = number + change
                    let found = FleetFinding.compare(wrong, with: server).filter { !$0.isRight }
                    #expect(
                        found == [
                            FleetFinding(row: row, column: column, truth: number + change, server: number)
                        ])
                }
            }
        }
    }

    @Test func `a row on one side only is found`() {
        let (one, none): (FleetTruth.Rows, FleetTruth.Rows) = (["1 opened": [.reports: 1]], [:])
        #expect(FleetFinding.compare(one, with: none).map(\.isRight) == [false])
        #expect(FleetFinding.compare(none, with: one).map(\.isRight) == [false])
        #expect(FleetFinding.compare(["1 opened": [.reports: 0]], with: none).map(\.isRight) == [true])
    }

    @Test func `devices past the exact limit may be off by four standard errors, and percentiles by a bucket`() {
        func isRight(_ column: FleetTruth.Column, _ truth: Int, _ server: Int) -> Bool {
            FleetFinding(row: "1 opened", column: column, truth: truth, server: server).isRight
        }
        let limit = DeviceSketch.exactLimit
        #expect(isRight(.devices, limit, limit) && !isRight(.devices, limit, limit + 1))
        #expect(isRight(.devices, 100_000, 103_240) && !isRight(.devices, 100_000, 103_241))
        #expect(isRight(.devices, 100_000, 96_760) && !isRight(.devices, 100_000, 96_759))
        #expect(!isRight(.reports, 100_000, 100_001) && !isRight(.durations, 100_000, 100_001))
        #expect(isRight(.p50, 3200, 3301) && !isRight(.p50, 3200, 3302))
    }

    @Test func `a response of the server has the rows of the truth`() throws {
        let response = try #require(
            JSON(
                parsing: Array(
                    #"""
                    {"package": "news", "versions": {"1": {"opened": {"reports": 3, "devices": 2}}},
                     "series": [{"start": "2026-09-21T00:00:00Z", "version": "1", "event": "applied", "reports": 5,
                       "corrected": 2, "devices": 4, "devicesExact": true, "platform": "ios", "appVersion": "8.0.0",
                       "durations": {"count": 5, "p50": 10, "p90": 20, "p99": 30}}],
                     "funnel": {"1": {"offered": {"devices": 9}, "downloaded": {"devices": 8},
                       "applied": {"devices": 7}, "activated": {"devices": 6}}},
                     "reasons": [{"event": "applyFailed", "reason": "disk full", "reports": 2, "devices": 1}]}
                    """#.utf8)))
        let applied: [FleetTruth.Column: Int] = [
            .reports: 5, .corrected: 2, .devices: 4, .durations: 5, .p50: 10, .p90: 20, .p99: 30,
        ]
        #expect(FleetQuery.counts.rows(in: response) == ["1 opened": [.reports: 3, .devices: 2]])
        #expect(
            FleetQuery.events.rows(in: response) == [
                "1 applied": applied, "1 in the funnel, offered": [.devices: 9],
                "1 in the funnel, downloaded": [.devices: 8], "1 in the funnel, applied": [.devices: 7],
                "1 in the funnel, activated": [.devices: 6],
                "applyFailed, reason 'disk full'": [.reports: 2, .devices: 1],
            ])
        #expect(FleetQuery.days.rows(in: response) == ["2026-09-21T00:00:00Z 1 applied": [.reports: 3]])
        #expect(FleetQuery.platforms.rows(in: response) == ["ios": applied])
        #expect(FleetQuery.appVersions.rows(in: response) == ["8.0.0": applied])
    }
}

extension Fleet {
    /// Returns the devices that report one of some events.
    fileprivate func devices(reporting events: Set<NamedEvent>) -> [FleetDevice] {
        (0..<plan.devices).filter { index in
            self.events(of: index, visit: 0).contains { events.contains($0.event) }
        }.map { FleetDevice($0, of: plan) }
    }
}

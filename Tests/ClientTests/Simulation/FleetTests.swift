import Client
import Domain
import Ground
import Testing

/// Tests the devices of a simulated fleet and the reports that they send.
struct FleetTests {
    static let start = Timestamp(milliseconds: 1_790_000_000_000)

    static func plan(
        devices: Int = 1000, seed: UInt64 = 1, versions: [String] = ["1.0.0", "1.1.0"], start: Timestamp = start,
        _ change: (inout FleetPlan.Rates) -> Void = { _ in }
    ) throws -> FleetPlan {
        var rates = FleetPlan.Rates()
        change(&rates)
        return FleetPlan(
            package: try #require(PackageID("news")), versions: try versions.map { try #require(VersionString($0)) },
            devices: devices, seed: seed, start: start, rates: rates)
    }

    private static let tenth = BasisPoints(1000) ?? BasisPoints.none

    /// Rates with which everything happens to some devices.
    static func mixed(_ rates: inout FleetPlan.Rates) {
        for rate: WritableKeyPath<FleetPlan.Rates, BasisPoints> in [
            \.crash, \.failure, \.wrongClock, \.offline, \.duplicate, \.lost,
        ] { rates[keyPath: rate] = Self.tenth }
    }

    private func bodies(_ fleet: Fleet) -> [[UInt8]] {
        (0..<2 * fleet.blocksPerVisit).map { fleet.body(of: fleet.reports(ofBlock: $0)) }
    }

    @Test func `equal seeds send equal requests, and other seeds have other devices`() throws {
        let fleet = Fleet(try Self.plan(Self.mixed))
        #expect(bodies(fleet) == bodies(Fleet(try Self.plan(Self.mixed))))
        let other = Fleet(try Self.plan(seed: 2, Self.mixed))
        let ids = { (fleet: Fleet) in Set((0..<1000).map { FleetDevice($0, of: fleet.plan).id }) }
        #expect(ids(fleet).count == 1000 && ids(fleet).isDisjoint(with: ids(other)))
    }

    @Test func `a run may start as long ago as its late reports count at their own times for another day`() throws {
        let (now, day) = (Self.start, 86_400_000 as Int64)
        let starts = FleetPlan.starts(at: now)
        #expect(starts.contains(now) && !starts.contains(now.adding(milliseconds: 1)))
        let first = now.adding(milliseconds: -FleetPlan.maximumDaysAgo * day)
        #expect(starts.contains(first) && !starts.contains(first.adding(milliseconds: -1)))
        let plan = try Self.plan(start: first) { $0.offline = .all }
        let tomorrow = now.adding(milliseconds: day)
        for index in 0..<plan.devices {
            for event in Fleet(plan).events(of: index, visit: 0) {
                let time = Timestamp(milliseconds: event.time(in: plan))
                #expect(!ReportMoment(device: time, receipt: tomorrow).isCorrected)
            }
        }
    }

    @Test(arguments: [1, Fleet.blockSize - 1, Fleet.blockSize, Fleet.blockSize + 1, 3 * Fleet.blockSize])
    func `the blocks of a visit hold the reports of all devices, mixed, and the next visit has others`(
        devices: Int
    ) throws {
        let fleet = Fleet(try Self.plan(devices: devices))
        for visit in 0...1 {
            let sent = (0..<fleet.blocksPerVisit).flatMap {
                fleet.reports(ofBlock: visit * fleet.blocksPerVisit + $0)
            }
            let reported = (0..<devices).flatMap { fleet.events(of: $0, visit: visit) }
            func ids(_ events: [FleetEvent]) -> [String] { events.map { "\($0.device.index) \($0.id)" } }
            #expect(ids(sent).sorted() == ids(reported).sorted())
            #expect(ids(sent) != ids(reported))
            #expect(Set(ids(reported)).count == reported.count)
        }
        #expect(fleet.events(of: 0, visit: 0).allSatisfy { $0.id.hasPrefix("0-") })
        #expect(fleet.events(of: 0, visit: 1).allSatisfy { $0.id.hasPrefix("1-") })
    }

    @Test func `a request has every report with the members that the server reads`() throws {
        let fleet = Fleet(try Self.plan(Self.mixed))
        let reports = fleet.reports(ofBlock: 3)
        let values = try #require(JSON(parsing: fleet.body(of: reports))?.elements)
        #expect(values.count == reports.count)
        for (value, report) in zip(values, reports) {
            #expect(value["eventId"]?.string == report.id && value["deviceId"]?.string == report.device.id)
            #expect(value["package"] == "news" && value["event"]?.string == report.event.rawValue)
            #expect(value["version"]?.string == fleet.plan.versions[report.device.version].text)
            #expect(value["time"]?.integer == report.time(in: fleet.plan))
            let facts = ReportFacts(value.members ?? [])
            #expect(facts.reason == report.reason && facts.duration == report.duration)
            #expect(facts.platform != nil && facts.appVersion != nil && facts.network != nil && facts.osVersion != nil)
        }
        #expect(fleet.body(of: []) == Array("[]".utf8))
    }

    @Test func `the server corrects wrong clocks, and no others`() throws {
        let plan = try Self.plan(devices: 20_000, Self.mixed)
        let late = Timestamp(milliseconds: Self.start.milliseconds + 5 * 86_400_000)
        for index in 0..<plan.devices {
            for event in Fleet(plan).events(of: index, visit: 0) {
                let time = Timestamp(milliseconds: event.time(in: plan))
                for receipt in [Self.start, late] {
                    #expect(ReportMoment(device: time, receipt: receipt).isCorrected == event.device.hasWrongClock)
                }
            }
        }
    }

    @Test func `a clock that would be before 1970 shows its beginning`() throws {
        let plan = try Self.plan(devices: 100, start: Timestamp(milliseconds: 1000)) { $0.wrongClock = .all }
        let times = (0..<100).flatMap { Fleet(plan).events(of: $0, visit: 0) }.map { $0.time(in: plan) }
        #expect(times.min() == 0)
    }

    // MARK: Rates

    /// Expects a share of 10 % to be within five standard deviations.
    private func expectTenth(_ count: Int, of total: Int, _ what: Comment) {
        let deviation = (Double(total) * 0.1 * 0.9).squareRoot()
        #expect(abs(Double(count) - 0.1 * Double(total)) < 5 * deviation, what)
    }

    @Test func `the shares of what happens are those of the plan`() throws {
        let fleet = Fleet(try Self.plan(devices: 20_000, Self.mixed))
        let devices = (0..<20_000).map { FleetDevice($0, of: fleet.plan) }
        expectTenth(devices.count(where: \.hasWrongClock), of: 20_000, "wrong clocks")
        let right = devices.filter { !$0.hasWrongClock }
        expectTenth(right.count { $0.offset < 0 }, of: right.count, "offline")

        let sent = (0..<fleet.blocksPerVisit).flatMap { fleet.reports(ofBlock: $0) }
        let events = (0..<20_000).flatMap { fleet.events(of: $0, visit: 0) }
        expectTenth(sent.count - events.count, of: events.count, "duplicates")

        let whole = Fleet(try Self.plan(devices: 20_000) { $0.failure = Self.tenth })
        let counts = Dictionary(grouping: (0..<20_000).flatMap { whole.events(of: $0, visit: 0) }, by: \.event)
            .mapValues(\.count)
        func count(_ events: NamedEvent...) -> Int { events.reduce(0) { $0 + counts[$1, default: 0] } }
        expectTenth(count(.configFailed), of: 20_000, "config requests")
        #expect(count(.downloadStarted) == 20_000)
        expectTenth(count(.downloadFailed, .fellBack), of: 20_000, "downloads")
        expectTenth(count(.verifyFailed, .applyFailed), of: count(.downloaded), "installations")
        #expect(count(.crash, .resourceMissing, .whiteScreen, .scriptError, .rolledBack) == 0)
    }

    @Test func `openings crash as often as the plan says`() throws {
        let fleet = Fleet(try Self.plan(devices: 20_000) { $0.crash = Self.tenth })
        let counts = Dictionary(grouping: (0..<20_000).flatMap { fleet.events(of: $0, visit: 0) }, by: \.event)
            .mapValues(\.count)
        let opened = try #require(counts[.opened])
        expectTenth(try #require(counts[.crash]), of: opened, "crashes")
        let faults = [NamedEvent.resourceMissing, .whiteScreen, .scriptError].map { counts[$0, default: 0] }
        expectTenth(faults.reduce(0, +), of: opened, "faults")
        #expect(faults.allSatisfy { $0 > 0 })
    }

    @Test func `without rates nothing goes wrong, and with all of them everything`() throws {
        let plain = Fleet(try Self.plan())
        for index in 0..<1000 {
            let events = plain.events(of: index, visit: 0)
            #expect(events.allSatisfy { $0.reason == nil && $0.device.offset == 0 })
            #expect(events.prefix(4).map(\.event) == [.downloadStarted, .downloaded, .applied, .activated])
        }
        func all(_ rate: WritableKeyPath<FleetPlan.Rates, BasisPoints>) throws -> Fleet {
            Fleet(try Self.plan { $0[keyPath: rate] = .all })
        }
        #expect(try all(\.lost).reports(ofBlock: 0).isEmpty)
        #expect(try all(\.duplicate).reports(ofBlock: 0).count == 2 * plain.reports(ofBlock: 0).count)
        #expect(try all(\.failure).reports(ofBlock: 0).allSatisfy { $0.event != .applied })
        #expect(try all(\.wrongClock).reports(ofBlock: 0).allSatisfy(\.device.hasWrongClock))
        #expect(try all(\.offline).reports(ofBlock: 0).allSatisfy { $0.device.offset <= -86_400_000 })
        #expect(try all(\.crash).reports(ofBlock: 0).count { $0.event == .opened } == Fleet.blockSize)
    }
}

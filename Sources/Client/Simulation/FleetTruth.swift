import Domain
import Ground

/// The statistics that a server must have, of the reports that it has acknowledged.
///
/// Each report counts once. Numbers of devices are exact at any size.
package struct FleetTruth: Sendable {
    /// A number of the statistics.
    package enum Column: String, Sendable, CaseIterable {
        case reports
        case corrected
        case devices
        case durations
        case p50
        case p90
        case p99
    }

    /// The numbers by row; a row or number that is missing is 0.
    package typealias Rows = [String: [Column: Int]]

    /// A row of the statistics.
    enum Key: Hashable {
        case event(version: Int, NamedEvent)
        case reason(NamedEvent, String)
        case platform(Int)
        case appVersion(Int)
    }

    /// A day of the reports whose own time counts.
    private struct Day: Hashable {
        let day: Int64
        let version: Int
        let event: NamedEvent
    }

    /// The reports of a row.
    fileprivate struct Tally {
        var reports = 0
        var corrected = 0
        var devices: DeviceBits
        /// The number of reports by duration.
        var durations: [Int: Int] = [:]
    }

    private static let day: Int64 = 86_400_000

    package let plan: FleetPlan
    /// The number of reports.
    package private(set) var reports = 0
    private var tallies: [Key: Tally] = [:]
    private var days: [Day: Int] = [:]
    /// The devices by version and by the latest step of the funnel that a report shows.
    private var steps: [[DeviceBits]]

    package init(_ plan: FleetPlan) {
        self.plan = plan
        let none = FunnelStep.allCases.map { _ in DeviceBits(capacity: plan.devices) }
        steps = plan.versions.map { _ in none }
    }

    /// Counts a report, which must not have been counted before.
    package mutating func add(_ report: FleetEvent) {
        reports += 1
        let device = report.device
        count(report, as: .event(version: device.version, report.event))
        count(report, as: .platform(device.platform))
        count(report, as: .appVersion(device.appVersion))
        if ReportSeries.failures.contains(report.event.rawValue) {
            count(report, as: .reason(report.event, report.reason ?? ""))
        }
        if !device.hasWrongClock {
            let day = Day(day: report.time(in: plan) / Self.day, version: device.version, event: report.event)
            days[day, default: 0] += 1
        }
        let step = FunnelStep(event: report.event.rawValue)
        for (index, other) in FunnelStep.allCases.enumerated() where other <= step {
            steps[device.version][index].insert(device.index)
        }
    }

    private mutating func count(_ report: FleetEvent, as key: Key) {
        func count(_ tally: inout Tally) {
            tally.reports += 1
            if report.device.hasWrongClock { tally.corrected += 1 }
            tally.devices.insert(report.device.index)
            if let duration = report.duration { tally.durations[duration, default: 0] += 1 }
        }
        let capacity = plan.devices
        count(&tallies[key, default: Tally(devices: DeviceBits(capacity: capacity))])
    }
}

// MARK: Rows

extension FleetTruth {
    /// Returns the rows that the response to a query must have.
    package func rows(of query: FleetQuery) -> Rows {
        switch query {
        case .counts:
            rows { key in
                guard case .event(let version, let event) = key else { return nil }
                return (row(version, event), [.reports, .devices])
            }
        case .events:
            rows { key in
                switch key {
                case .event(let version, let event): (row(version, event), Column.allCases)
                case .reason(let event, let reason):
                    (FleetQuery.row(event.rawValue, reason: reason), [.reports, .devices])
                case .platform, .appVersion: nil
                }
            }.merging(funnel) { one, _ in one }
        case .days: dayRows
        case .platforms:
            rows { key in
                guard case .platform(let index) = key else { return nil }
                return (FleetDevice.platforms[index], Column.allCases)
            }
        case .appVersions:
            rows { key in
                guard case .appVersion(let index) = key else { return nil }
                return (FleetDevice.appVersions[index], Column.allCases)
            }
        }
    }

    private func row(_ version: Int, _ event: NamedEvent) -> String {
        "\(plan.versions[version].text) \(event.rawValue)"
    }

    private func rows(_ named: (Key) -> (name: String, columns: [Column])?) -> Rows {
        var rows: Rows = [:]
        for (key, tally) in tallies {
            guard let (name, columns) = named(key) else { continue }
            let numbers = tally.numbers
            rows[name] = numbers.filter { columns.contains($0.key) }
        }
        return rows
    }

    private var dayRows: Rows {
        var rows: Rows = [:]
        for (day, count) in days {
            let start = Timestamp(milliseconds: day.day * Self.day)
            rows["\(start) \(row(day.version, day.event))"] = [.reports: count]
        }
        return rows
    }

    private var funnel: Rows {
        var rows: Rows = [:]
        for (version, steps) in zip(plan.versions, steps) {
            for (step, devices) in zip(FunnelStep.allCases, steps) {
                rows[FleetQuery.row(version.text, step: step)] = [.devices: devices.count]
            }
        }
        return rows
    }
}

extension FleetTruth.Tally {
    fileprivate var numbers: [FleetTruth.Column: Int] {
        var numbers: [FleetTruth.Column: Int] = [.reports: reports, .corrected: corrected, .devices: devices.count]
        guard !durations.isEmpty else { return numbers }
        let sorted = durations.sorted { $0.key < $1.key }
        let total = sorted.reduce(0) { $0 + $1.value }
        numbers[.durations] = total
        for (column, percentage) in [(FleetTruth.Column.p50, 50), (.p90, 90), (.p99, 99)] {
            var left = max(1, (total * percentage + 99) / 100)
            numbers[column] =
                sorted.first { _, count in
                    left -= count
                    return left <= 0
                }?.key
        }
        return numbers
    }
}

/// A set of the devices of a fleet, with a bit for each.
private struct DeviceBits: Sendable {
    private var words: [UInt64]

    init(capacity: Int) { words = Array(repeating: 0, count: (capacity + 63) / 64) }

    mutating func insert(_ index: Int) { words[index >> 6] |= 1 &<< UInt64(index & 63) }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}

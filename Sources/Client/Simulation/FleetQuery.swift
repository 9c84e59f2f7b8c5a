import Domain
package import Ground

/// A request for statistics whose response is compared with the truth.
package enum FleetQuery: String, Sendable, CaseIterable {
    /// The counts of all time.
    case counts
    /// The numbers by version and event, the funnel, and the reasons of failures.
    case events
    /// The numbers by day, of the reports whose own time counts.
    ///
    /// Those of other reports count on the day of their receipt, which only the server knows.
    case days
    case platforms
    case appVersions

    /// The parameters of the request, with the question mark.
    package var parameters: String {
        switch self {
        case .counts: ""
        case .events: "?bucket=all&groupBy=version,event"
        case .days: "?bucket=day&groupBy=version,event"
        case .platforms: "?bucket=all&groupBy=platform"
        case .appVersions: "?bucket=all&groupBy=appVersion"
        }
    }

    static func row(_ event: String, reason: String) -> String { "\(event), reason '\(reason)'" }

    static func row(_ version: String, step: FunnelStep) -> String { "\(version) in the funnel, \(step.rawValue)" }

    /// Returns the rows of a response.
    package func rows(in response: JSON) -> FleetTruth.Rows {
        var rows: FleetTruth.Rows = [:]
        switch self {
        case .counts:
            for version in response["versions"]?.members ?? [] {
                for event in version.value.members ?? [] {
                    rows["\(version.key) \(event.key)"] = Self.numbers(event.value)
                }
            }
        case .events:
            for row in response["series"]?.elements ?? [] {
                rows[Self.text("version", row) + " " + Self.text("event", row)] = Self.numbers(row)
            }
            for version in response["funnel"]?.members ?? [] {
                for step in FunnelStep.allCases {
                    rows[Self.row(version.key, step: step)] = Self.numbers(version.value[step.rawValue] ?? .null)
                }
            }
            for row in response["reasons"]?.elements ?? [] {
                rows[Self.row(Self.text("event", row), reason: Self.text("reason", row))] = Self.numbers(row)
            }
        case .days:
            for row in response["series"]?.elements ?? [] {
                let numbers = Self.numbers(row)
                let name = ["start", "version", "event"].map { Self.text($0, row) }.joined(separator: " ")
                rows[name] = [.reports: numbers[.reports, default: 0] - numbers[.corrected, default: 0]]
            }
        case .platforms, .appVersions:
            for row in response["series"]?.elements ?? [] {
                rows[Self.text(self == .platforms ? "platform" : "appVersion", row)] = Self.numbers(row)
            }
        }
        return rows
    }

    private static func text(_ key: String, _ row: JSON) -> String { row[key]?.string ?? "" }

    private static func numbers(_ row: JSON) -> [FleetTruth.Column: Int] {
        var numbers: [FleetTruth.Column: Int] = [:]
        for column in FleetTruth.Column.allCases {
            let isOfDurations = [.p50, .p90, .p99].contains(column)
            let value = isOfDurations ? row["durations"]?[column.rawValue] : row[column.rawValue]
            numbers[column] = value?.integer.map { Int($0) }
        }
        numbers[.durations] = row["durations"]?["count"]?.integer.map { Int($0) }
        return numbers
    }
}

/// A number of the truth beside that of a server.
package struct FleetFinding: Sendable, Equatable {
    package let row: String
    package let column: FleetTruth.Column
    package let truth: Int
    package let server: Int

    package init(row: String, column: FleetTruth.Column, truth: Int, server: Int) {
        self.row = row
        self.column = column
        self.truth = truth
        self.server = server
    }

    /// Whether the server's number is as exact as it has to be.
    package var isRight: Bool { abs(server - truth) <= tolerance }

    /// The standard errors by which an estimated number of devices may be off, and the standard error in hundredths of a
    /// percent.
    ///
    /// Of a million right estimates, 63 differ by more.
    package static let standardErrors = 4
    package static let standardError = 81

    private var tolerance: Int {
        switch column {
        case .reports, .corrected, .durations: 0
        case .devices:
            truth <= DeviceSketch.exactLimit
                ? 0 : truth * Self.standardErrors * Self.standardError / BasisPoints.all.value
        // The middle of a bucket, rounded.
        case .p50, .p90, .p99: truth / 32 + 1
        }
    }

    /// Compares all numbers of a query, sorted by row and column; those that are missing on both sides are omitted.
    package static func compare(_ truth: FleetTruth.Rows, with server: FleetTruth.Rows) -> [FleetFinding] {
        Set(truth.keys).union(server.keys).sorted().flatMap { row in
            FleetTruth.Column.allCases.compactMap { column -> FleetFinding? in
                let (own, other) = (truth[row]?[column], server[row]?[column])
                guard own != nil || other != nil else { return nil }
                return FleetFinding(row: row, column: column, truth: own ?? 0, server: other ?? 0)
            }
        }
    }
}

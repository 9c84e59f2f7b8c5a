package import Ground

/// The statistics of a package or an app by time and group, as totals of reports are added.
package struct ReportSeries: Sendable {
    /// The maximum number of rows of a response, and of its funnels.
    package static let maximumRows = 10_000
    /// The maximum number of totals that the store reads for a query.
    package static let maximumTotals = 200_000
    /// The number of totals that the store reads in one transaction.
    package static let pageSize = 500
    /// The maximum number of bytes that the sets of devices and the distributions of durations of a query take together.
    package static let maximumBytes = 64 << 20
    /// The maximum number of reports that a query counts besides the totals.
    package static let maximumWaiting = 10_000
    /// The maximum number of reasons of a response.
    package static let maximumReasons = 100

    /// The limit that a query exceeds.
    package enum LimitError: Error {
        case rows
        case totals
        case bytes
    }

    /// A number of devices.
    package struct Devices: Sendable, Equatable {
        package let count: Int
        package let isExact: Bool

        /// - Parameter reports: The number of reports, which an estimate may exceed and the devices never do.
        fileprivate init(_ union: DeviceUnion, of reports: Int) {
            let sketch = union.sketch
            (count, isExact) = (min(sketch.count, reports), sketch.isExact)
        }
    }

    package struct Row: Sendable, Equatable {
        package let start: Timestamp
        /// The length of time, if rows of hours and of days may be beside each other; `nil` otherwise.
        package let span: ReportTotal.Span?
        /// The values of the query's groups, in their order.
        package let values: [String]
        package let reports: Int
        package let corrected: Int
        package let devices: Devices
        package let durations: DurationSketch
    }

    package struct Reason: Sendable, Equatable {
        package let event: String
        package let reason: String
        package let reports: Int
        package let devices: Devices
    }

    package struct Funnel: Sendable, Equatable {
        package let version: ReportedVersion
        /// The devices that reached each step, in the order of ``FunnelStep``.
        package let steps: [Devices]
    }

    private struct RowKey: Hashable {
        let start: Timestamp
        let span: ReportTotal.Span?
        let values: [ExactText]
    }

    private struct ReasonKey: Hashable {
        let event: String
        let reason: String
    }

    /// The reports that show a step of the funnel.
    private struct StepSum {
        var reports = 0
        var devices = DeviceUnion()
    }

    fileprivate struct Sum {
        var reports = 0
        var corrected = 0
        var devices = DeviceUnion()
        var durations = DurationSketch()
    }

    package let query: ReportQuery
    /// The receipt time of the last aggregated report; `nil` before the first.
    package let aggregatedThrough: Timestamp?
    /// The names of the versions by the numbers of the store.
    private let versions: [Int64: ReportedVersion]
    private var sums: [RowKey: Sum] = [:]
    private var reasonSums: [ReasonKey: Sum] = [:]
    /// The reports by version, and by the latest step of the funnel that they show.
    private var stepSums: [Int64: [StepSum]] = [:]
    private var totals = 0
    /// The bytes of all sets of devices and distributions of durations.
    private var bytes = 0

    package init(_ query: ReportQuery, versions: [Int64: ReportedVersion], aggregatedThrough: Timestamp? = nil) {
        self.query = query
        self.versions = versions
        self.aggregatedThrough = aggregatedThrough
    }

    /// Whether totals of hours and days with a key count.
    package func includes(_ key: ReportTotal.Key) -> Bool {
        query.overlaps(key.span, from: key.start)
            && query.filters.allSatisfy { dimension, value in
                // The funnel and the reasons have the other events as well.
                dimension == .event || dimension == .reason || self.value(of: dimension, in: key) == value
            }
    }

    private func value(of dimension: ReportQuery.Dimension, in key: ReportTotal.Key) -> String {
        switch dimension {
        case .package: versions[key.version]?.package.text ?? ""
        case .version: versions[key.version]?.version ?? ""
        case .event: key.event
        case .release: String(key.release)
        case .reason: key.reason
        case .platform: key.platform
        case .appVersion: key.appVersion
        }
    }

    /// Adds the reports of a total of the query's versions and times that its filters except event and reason accept.
    package mutating func add(_ total: ReportTotal) throws(LimitError) {
        totals += 1
        guard totals <= Self.maximumTotals else { throw .totals }
        let key = total.key
        addStep(total)
        if Self.failures.contains(key.event) {
            bytes += reasonSums[ReasonKey(event: key.event, reason: key.reason), default: Sum()].add(total)
        }
        if query.filters[.event].map({ ExactText($0) == ExactText(key.event) }) ?? true,
            (query.filters[.reason] ?? key.reason) == key.reason
        {
            let values = query.groups.map { ExactText(value(of: $0, in: key)) }
            let span = query.bucket == .hour ? key.span : nil
            bytes += sums[RowKey(start: start(of: key), span: span, values: values), default: Sum()].add(total)
        }
        guard sums.count + reasonSums.count <= Self.maximumRows, stepSums.count <= Self.maximumRows else {
            throw .rows
        }
        guard bytes <= Self.maximumBytes else { throw .bytes }
    }

    private mutating func addStep(_ total: ReportTotal) {
        let steps = FunnelStep.allCases
        guard let index = steps.firstIndex(of: FunnelStep(event: total.key.event)) else { return }
        let empty = steps.map { _ in StepSum() }
        bytes += Self.add(total, to: &stepSums[total.key.version, default: empty][index])
    }

    private static func add(_ total: ReportTotal, to sum: inout StepSum) -> Int {
        let before = sum.devices.byteCount
        sum.reports += total.reports
        sum.devices.insert(total.devices)
        return sum.devices.byteCount - before
    }

    /// The events whose reasons are ranked.
    package static let failures: Set<String> = [
        "failed", "downloadFailed", "verifyFailed", "applyFailed", "configFailed", "rolledBack", "fellBack",
        "resourceMissing", "whiteScreen", "scriptError", "crash",
    ]

    /// Returns the start of the row to which a total belongs.
    private func start(of key: ReportTotal.Key) -> Timestamp {
        switch query.bucket {
        case .hour: key.start
        case .day: ReportTotal.Span.day.start(of: key.start)
        case .all: query.from
        }
    }

    // MARK: Results

    /// The rows by time, then by the values of the groups.
    package var rows: [Row] {
        sums.map { key, sum in
            Row(
                start: key.start, span: key.span, values: key.values.map(\.text), reports: sum.reports,
                corrected: sum.corrected, devices: Devices(sum.devices, of: sum.reports), durations: sum.durations)
        }.sorted { one, other in
            guard one.start == other.start else { return one.start < other.start }
            return one.values == other.values
                ? one.span == .day && other.span == .hour : one.values.lexicographicallyPrecedes(other.values)
        }
    }

    /// The devices that reached each step, by version.
    package var funnels: [Funnel] {
        stepSums.compactMap { number, sums in
            guard let version = versions[number] else { return nil }
            var (steps, reached): ([Devices], StepSum) = ([], StepSum())
            // A device that reached a step has reached the earlier ones.
            for sum in sums.reversed() {
                reached.reports += sum.reports
                reached.devices.insert(sum.devices.sketch)
                steps.append(Devices(reached.devices, of: reached.reports))
            }
            return Funnel(version: version, steps: steps.reversed())
        }.sorted { $0.version < $1.version }
    }

    /// The reasons of failures, those with the most reports first.
    package var reasons: [Reason] {
        let ranked = reasonSums.sorted { one, other in
            one.value.reports == other.value.reports
                ? (one.key.event, one.key.reason) < (other.key.event, other.key.reason)
                : one.value.reports > other.value.reports
        }
        return ranked.prefix(Self.maximumReasons).map { key, sum in
            Reason(
                event: key.event, reason: key.reason, reports: sum.reports,
                devices: Devices(sum.devices, of: sum.reports))
        }
    }
}

extension ReportSeries.Sum {
    /// Adds a total; returns the bytes by which the sum grew.
    fileprivate mutating func add(_ total: ReportTotal) -> Int {
        let before = devices.byteCount + durations.byteCount
        reports += total.reports
        corrected += total.corrected
        durations.merge(total.durations)
        devices.insert(total.devices)
        return devices.byteCount + durations.byteCount - before
    }
}

extension ReportSeries.LimitError {
    /// The error of a query that selects too much.
    package var platformError: PlatformError {
        let what =
            switch self {
            case .rows: "The response would have more than \(ReportSeries.maximumRows) rows."
            case .totals: "The query selects more than \(ReportSeries.maximumTotals) totals."
            case .bytes: "The query selects too many groups with too many devices."
            }
        return PlatformError(
            .invalidRequest, "\(what) Ask for a shorter time, for a longer bucket, with filters or with fewer groups.")
    }
}

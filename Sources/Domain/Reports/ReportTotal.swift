package import Ground

/// The reports about a version that agree in all that statistics distinguish.
package struct ReportTotal: Sendable, Equatable {
    /// The length of the time that a total is about.
    package enum Span: String, Sendable, CaseIterable {
        case hour
        case day
        /// A day, with the version, the event and the reason as the only distinctions.
        case daySummary = "day-summary"
        /// All time, with the version and the event as the only distinctions.
        case allTime = "all-time"

        /// The milliseconds of the span; `nil` for all time.
        package var milliseconds: Int64? {
            switch self {
            case .hour: 3_600_000
            case .day, .daySummary: 86_400_000
            case .allTime: nil
            }
        }

        /// Returns the start of the span that contains an instant.
        package func start(of instant: Timestamp) -> Timestamp {
            guard let milliseconds else { return Timestamp(milliseconds: 0) }
            return Timestamp(milliseconds: max(0, instant.milliseconds) / milliseconds * milliseconds)
        }
    }

    package struct Key: Hashable, Sendable {
        /// The number by which the store knows the version.
        package var version: Int64
        package var span: Span
        package var start: Timestamp
        /// The event, which devices may send in any Unicode form.
        private let exactEvent: ExactText
        /// The id of the release that the reports state; 0 if they state none.
        package var release: Int64
        /// The reason, the operating system and the host-app version; empty if the reports state none.
        package var reason: String
        package var platform: String
        package var appVersion: String

        package init(
            version: Int64, span: Span, start: Timestamp, event: String, release: Int64 = 0, reason: String = "",
            platform: String = "", appVersion: String = ""
        ) {
            self.version = version
            self.span = span
            self.start = start
            exactEvent = ExactText(event)
            self.release = release
            self.reason = reason
            self.platform = platform
            self.appVersion = appVersion
        }

        package var event: String { exactEvent.text }
    }

    package var key: Key
    package var reports: Int
    /// The reports whose time is that of their receipt (``ReportMoment``).
    package var corrected: Int
    package var devices: DeviceSketch
    package var durations: DurationSketch

    package init(
        key: Key, reports: Int, corrected: Int, devices: DeviceSketch, durations: DurationSketch
    ) {
        self.key = key
        self.reports = reports
        self.corrected = corrected
        self.devices = devices
        self.durations = durations
    }

    /// Adds the reports of another total.
    package mutating func merge(_ other: ReportTotal) {
        reports += other.reports
        corrected += other.corrected
        devices.merge(other.devices)
        durations.merge(other.durations)
    }
}

extension ReportTotal {
    /// The text that replaces texts past a limit.
    package static let other = "other"
    /// The totals of a version and day past which reasons of further ones count as ``other``.
    package static let maximumPerDay = 10_000
    /// The further totals of a version and day past which host-app versions, platforms and releases follow.
    package static let capacityPerStage = 1_000
    /// The milliseconds, counted back from the beginning of the present day, for which totals are kept by the hour.
    package static let hoursLifetime: Int64 = 3 * 86_400_000
    /// The summaries of a version and day past which reasons of further ones count as ``other``: a query reads the
    /// summaries of many days.
    package static let maximumSummaries = 200
    /// The number of days with totals for which these are kept.
    package static let keptDays = 400

    /// Returns the time before which totals are kept by the day.
    package static func firstHour(at now: Timestamp) -> Timestamp {
        Span.day.start(of: now).adding(milliseconds: -hoursLifetime)
    }
}

extension ReportTotal.Key {
    /// The keys under which the total may count, from this one to the one with the fewest distinctions.
    ///
    /// The key of the last stage always counts.
    package var stages: [Self] {
        func other(_ text: String) -> String { text.isEmpty ? "" : ReportTotal.other }
        var (stages, key) = ([self], self)
        guard span != .allTime else { return stages }
        key.reason = other(reason)
        stages.append(key)
        guard span != .daySummary else { return stages }
        key.appVersion = other(appVersion)
        stages.append(key)
        key.platform = other(platform)
        stages.append(key)
        key.release = 0
        stages.append(key)
        return stages
    }

    /// The number of totals of the version and day past which no further key of a stage counts.
    package func capacity(ofStage stage: Int) -> Int {
        span == .daySummary
            ? ReportTotal.maximumSummaries : ReportTotal.maximumPerDay + stage * ReportTotal.capacityPerStage
    }

    /// The key of the total of all time.
    package var ofAllTime: Self {
        Self(version: version, span: .allTime, start: ReportTotal.Span.allTime.start(of: start), event: event)
    }

    /// The key of the summary of the day.
    package var ofDaySummary: Self {
        Self(
            version: version, span: .daySummary, start: ReportTotal.Span.day.start(of: start), event: event,
            reason: reason)
    }

    /// The key of the total of the day.
    package var ofDay: Self {
        var key = self
        (key.span, key.start) = (.day, ReportTotal.Span.day.start(of: start))
        return key
    }
}

/// Totals that are added up by their keys.
package struct ReportSums: Sendable {
    private struct Sum {
        var total: ReportTotal
        var devices = DeviceUnion()
    }

    private var indexes: [ReportTotal.Key: Int] = [:]
    private var sums: [Sum] = []

    package init() {}

    package var count: Int { sums.count }

    /// Adds a total to the one with the given key.
    package mutating func add(_ total: ReportTotal, as key: ReportTotal.Key) {
        update(key) { sum in
            sum.total.reports += total.reports
            sum.total.corrected += total.corrected
            sum.total.durations.merge(total.durations)
            sum.devices.insert(total.devices)
        }
    }

    /// Adds a report to the total with the given key.
    package mutating func add(
        _ device: UInt64, isCorrected: Bool, duration: Int?, as key: ReportTotal.Key
    ) {
        update(key) { sum in
            sum.total.reports += 1
            if isCorrected { sum.total.corrected += 1 }
            sum.devices.insert(device)
            if let duration { sum.total.durations.insert(duration) }
        }
    }

    private mutating func update(_ key: ReportTotal.Key, _ change: (inout Sum) -> Void) {
        let index = indexes[key] ?? sums.count
        if index == sums.count {
            indexes[key] = index
            sums.append(
                Sum(
                    total: ReportTotal(
                        key: key, reports: 0, corrected: 0, devices: DeviceSketch(), durations: DurationSketch())))
        }
        change(&sums[index])
    }

    package var totals: [ReportTotal] {
        sums.map { sum in
            var total = sum.total
            total.devices = sum.devices.sketch
            return total
        }
    }
}

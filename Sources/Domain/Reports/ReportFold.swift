package import Ground

/// A stored report as it is aggregated.
package struct ArrivedReport: Sendable, Equatable {
    /// The number of the report, which grows with each stored one.
    package let number: Int64
    /// The number by which the store knows the version.
    package let version: Int64
    package let event: String
    package let device: String
    /// The time by the device's clock.
    package let time: Timestamp
    package let receivedAt: Timestamp
    /// The further members of the report, as the text of a JSON object.
    package let details: String

    package init(
        number: Int64, version: Int64, event: String, device: String, time: Timestamp, receivedAt: Timestamp,
        details: String
    ) {
        self.number = number
        self.version = version
        self.event = event
        self.device = device
        self.time = time
        self.receivedAt = receivedAt
        self.details = details
    }
}

/// The texts and the releases under which the reports of a package may count.
package struct ReportNames: Sendable, Equatable {
    package var labels: [ReportLabelKind: ReportLabels]
    package let releases: Set<Int64>

    package init(labels: [ReportLabelKind: ReportLabels] = [:], releases: Set<Int64> = []) {
        self.labels = labels
        self.releases = releases
        for kind in ReportLabelKind.allCases where labels[kind] == nil { self.labels[kind] = ReportLabels(kind) }
    }
}

/// An accumulator of reports into totals.
package struct ReportFold: Sendable {
    /// The maximum number of totals of hours and days that one step changes.
    package static let maximumTotals = 500

    private let now: Timestamp
    private let firstHour: Timestamp
    private let hasher: DeviceHasher
    /// The package of each version, by the numbers of the store.
    private let packages: [Int64: Int64]
    /// The names by package.
    package private(set) var names: [Int64: ReportNames]
    private var sums = ReportSums()

    /// Creates the empty fold for reports of a backlog.
    package init(_ backlog: ReportBacklog, at now: Timestamp) {
        packages = backlog.packages
        names = backlog.names
        hasher = backlog.hasher
        self.now = now
        firstHour = ReportTotal.firstHour(at: now)
    }

    package mutating func add(_ report: ArrivedReport) {
        let facts = Self.facts(report.details)
        let moment = ReportMoment(device: report.time, receipt: report.receivedAt)
        let span = moment.time < firstHour ? ReportTotal.Span.day : .hour
        var key = ReportTotal.Key(
            version: report.version, span: span, start: span.start(of: moment.time), event: report.event)
        if facts != ReportFacts(), let package = packages[report.version] {
            key.release = facts.release.flatMap { isRelease($0, of: package) ? $0 : nil } ?? 0
            key.reason = admit(facts.reason, as: .reason, of: package)
            key.platform = admit(facts.platform, as: .platform, of: package)
            key.appVersion = admit(facts.appVersion, as: .appVersion, of: package)
        }
        sums.add(
            hasher.hash(report.device), isCorrected: moment.isCorrected, duration: facts.duration, as: key)
    }

    /// Whether a step has ``maximumTotals``, so that further reports are for the next one.
    package var isFull: Bool { sums.count >= Self.maximumTotals }

    private func isRelease(_ id: Int64, of package: Int64) -> Bool { names[package]?.releases.contains(id) ?? false }

    private mutating func admit(_ text: String?, as kind: ReportLabelKind, of package: Int64) -> String {
        guard text != nil else { return "" }
        return names[package, default: ReportNames()].labels[kind]?.admit(text, at: now) ?? ReportTotal.other
    }

    private static func facts(_ details: String) -> ReportFacts {
        guard details.utf8.count > 2, let members = JSON(parsing: Array(details.utf8))?.members else {
            return ReportFacts()
        }
        return ReportFacts(members)
    }

    /// The totals of hours and days.
    package var totals: [ReportTotal] { sums.totals }

    /// Returns the summaries of days and the totals of all time that the given totals add up to.
    package static func summaries(of totals: [ReportTotal]) -> [ReportTotal] {
        var sums = ReportSums()
        for total in totals {
            sums.add(total, as: total.key.ofDaySummary)
            sums.add(total, as: total.key.ofAllTime)
        }
        return sums.totals
    }
}

package import Ground

/// The numbers of received reports by outcome, for the packages with the most reports and for all others together.
///
/// Numbers of a package only grow while it is shown. Every ``period`` packages with more reports in it replace shown ones;
/// a new one begins at zero, and the numbers of a replaced one are dropped, so that no number jumps.
package struct ReportTally: Sendable {
    /// The packages that have numbers of their own.
    package static let shown = 20
    /// The packages that are compared in a period; further ones wait for the next.
    package static let compared = 1_000
    /// The milliseconds between two comparisons.
    package static let period: Int64 = 600_000

    package struct PackageKey: Hashable, Comparable, Sendable {
        package let app: AppID
        package let package: PackageID

        package init(_ app: AppID, _ package: PackageID) {
            self.app = app
            self.package = package
        }

        package static func < (one: PackageKey, other: PackageKey) -> Bool {
            (one.app.text, one.package.text) < (other.app.text, other.package.text)
        }
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case accepted
        case duplicate
        /// Accepted while the database was unavailable; later outcomes of such reports are not counted.
        case spooled
        /// Accepted under the event ``ReportTotal/other``.
        case otherName = "other_name"
        case unknownVersion = "unknown_version"
        case unstorable
        case refused

        package init(_ outcome: ReportOutcome) {
            self =
                switch outcome {
                case .stored: .accepted
                case .storedAsOther: .otherName
                case .known: .duplicate
                case .spooled: .spooled
                case .unknownVersion: .unknownVersion
                case .unstorable: .unstorable
                }
        }

        /// Whether the outcome shows that the package exists; anyone can report about others.
        fileprivate var provesPackage: Bool { self == .accepted || self == .duplicate || self == .otherName }
    }

    package typealias Numbers = [Outcome: Int]

    /// The numbers of the shown packages.
    package private(set) var packages: [PackageKey: Numbers] = [:]
    /// The numbers of all other reports.
    package private(set) var others: Numbers = [:]
    /// The reports of the present period.
    private var recent: [PackageKey: Int] = [:]
    private var periodStart: Timestamp?

    package init() {}

    /// - Parameter key: The package that the report names; `nil` for none.
    package mutating func add(_ outcome: Outcome, of key: PackageKey?, at now: Timestamp) {
        let start = periodStart ?? now
        periodStart = start
        // The clock may be set back.
        if abs(now.milliseconds - start.milliseconds) >= Self.period {
            replaceLeast()
            recent = [:]
            periodStart = now
        }
        guard let key else {
            others[outcome, default: 0] += 1
            return
        }
        if outcome.provesPackage {
            if recent[key] != nil || recent.count < Self.compared { recent[key, default: 0] += 1 }
            if packages[key] == nil, packages.count < Self.shown { packages[key] = [:] }
        }
        if packages[key] != nil {
            packages[key, default: [:]][outcome, default: 0] += 1
        } else {
            others[outcome, default: 0] += 1
        }
    }

    /// Replaces shown packages by those that had more reports in the period.
    private mutating func replaceLeast() {
        let hidden = recent.filter { packages[$0.key] == nil }.sorted { one, other in
            (other.value, one.key) < (one.value, other.key)
        }
        let least = packages.keys.map { (key: $0, value: recent[$0] ?? 0) }.sorted { one, other in
            (one.value, one.key) < (other.value, other.key)
        }
        for (new, old) in zip(hidden, least) where new.value > old.value {
            packages[old.key] = nil
            packages[new.key] = [:]
        }
    }
}

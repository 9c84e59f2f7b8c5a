/// The rules by which the server judges a release from the reports of devices (decision 0071).
package struct HealthPolicy: Sendable, Hashable {
    /// The devices that must have reported about the release before a rule decides.
    package var devices: Int
    /// The milliseconds of a watch, whose reports are judged together.
    package var window: Int64
    /// The milliseconds after a resumption whose reports are not judged.
    package var coolDown: Int64
    /// At least one rule.
    package var rules: [HealthRule]

    package static let devicesRange: ClosedRange<Int64> = 10...1_000_000
    package static let defaultDevices = 50
    /// The length of a window in milliseconds, for which totals of reports are kept by the hour.
    package static let windowRange: ClosedRange<Int64> = 3_600_000...ReportTotal.hoursLifetime
    package static let defaultWindow: Int64 = 86_400_000
    package static let coolDownRange: ClosedRange<Int64> = 0...7 * 86_400_000
    package static let defaultCoolDown: Int64 = 3_600_000
    package static let maximumRules = 12

    package init(
        devices: Int = defaultDevices, window: Int64 = defaultWindow, coolDown: Int64 = defaultCoolDown,
        rules: [HealthRule]
    ) {
        self.devices = devices
        self.window = window
        self.coolDown = coolDown
        self.rules = rules
    }

    /// The number of tests that the rules make.
    package var tests: Int { rules.reduce(0) { $0 + $1.tests } }
}

/// A limit on a metric of a release, and the action if the release exceeds it.
package struct HealthRule: Sendable, Hashable {
    package var metric: HealthMetric
    /// The highest share of affected devices; `nil` for none.
    package var ceiling: BasisPoints?
    /// The percentage by which the share may exceed that of the control group; `nil` without a comparison.
    package var aboveControl: Int?
    package var action: HealthAction
    /// The milliseconds that a page load may take, for ``HealthMetric/loadTime`` only.
    package var slowerThan: Int?

    package static let aboveControlRange: ClosedRange<Int64> = 0...1000
    package static let slowerThanRange: ClosedRange<Int64> = 1...Int64(DurationSketch.longest - 1)

    package init(
        metric: HealthMetric, ceiling: BasisPoints? = nil, aboveControl: Int? = nil, action: HealthAction = .halt,
        slowerThan: Int? = nil
    ) {
        self.metric = metric
        self.ceiling = ceiling
        self.aboveControl = aboveControl
        self.action = action
        self.slowerThan = slowerThan
    }

    /// The number of tests that the rule makes.
    package var tests: Int { (ceiling == nil ? 0 : 1) + (aboveControl == nil ? 0 : 1) }
}

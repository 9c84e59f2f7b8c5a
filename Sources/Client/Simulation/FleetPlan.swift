package import Domain
package import Ground

/// The composition of a simulated fleet.
package struct FleetPlan: Sendable {
    package static let maximumDevices = 10_000_000
    package static let maximumVersions = 20

    /// The days for which a run may be repeated: then its latest reports still count at their own times.
    package static let maximumDaysAgo = ReportMoment.furthestBehind / day - FleetDevice.daysLate.upperBound - 1
    private static let day: Int64 = 86_400_000

    /// Returns the times at which a run may start.
    package static func starts(at now: Timestamp) -> ClosedRange<Timestamp> {
        now.adding(milliseconds: -maximumDaysAgo * day)...now
    }

    /// The shares of what happens to devices and to their reports.
    package struct Rates: Sendable {
        /// The openings that end with a crash, and again those with a fault of a page.
        package var crash = BasisPoints.none
        /// The requests for the config, the downloads and the installations that fail, each.
        package var failure = BasisPoints.none
        /// The devices whose clock is off by years.
        package var wrongClock = BasisPoints.none
        /// The devices that send their reports days late.
        package var offline = BasisPoints.none
        /// The reports that are sent twice.
        package var duplicate = BasisPoints.none
        /// The reports that are never sent.
        package var lost = BasisPoints.none

        package init() {}
    }

    package let package: PackageID
    package let versions: [VersionString]
    package let devices: Int
    package let seed: UInt64
    /// The time at which the devices report, by a correct clock.
    package let start: Timestamp
    package let rates: Rates

    /// - Parameters:
    ///   - versions: The versions that devices have, 1 to ``maximumVersions``.
    ///   - devices: The number of devices, 1 to ``maximumDevices``.
    package init(
        package: PackageID, versions: [VersionString], devices: Int, seed: UInt64, start: Timestamp, rates: Rates
    ) {
        precondition((1...Self.maximumVersions).contains(versions.count), "a fleet has versions")
        precondition((1...Self.maximumDevices).contains(devices), "a fleet has devices")
        self.package = package
        self.versions = versions
        self.devices = devices
        self.seed = seed
        self.start = start
        self.rates = rates
    }
}

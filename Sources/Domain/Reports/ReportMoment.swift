package import Ground

/// The time at which a report counts.
package struct ReportMoment: Sendable, Equatable {
    /// The milliseconds by which a device's clock may be ahead of the server's.
    package static let furthestAhead: Int64 = 3_600_000
    /// The milliseconds after which a report no longer counts at its own time.
    package static let furthestBehind: Int64 = 30 * 86_400_000

    package let time: Timestamp
    /// Whether the device's clock was too far off, so that the receipt time counts.
    package let isCorrected: Bool

    package init(device: Timestamp, receipt: Timestamp) {
        let (ahead, overflow) = device.milliseconds.subtractingReportingOverflow(receipt.milliseconds)
        isCorrected = overflow || ahead > Self.furthestAhead || ahead < -Self.furthestBehind
        time = isCorrected ? receipt : device
    }
}

package import Ground

/// The reason why a seen device does not use the version of a release (semantics.md §3).
///
/// The order of the cases is the order of the causes: the first one that applies counts.
package enum AdoptionCause: Hashable, Sendable {
    /// A rule, without the facts of the device, keeps the release from it.
    case refused(Refusal)
    /// The activeTime of the release lies ahead.
    case activeTime
    /// The last report of the device about the version is a failure.
    case failed(event: String, reason: String?)
    /// The device has downloaded the version and does not use it yet.
    case downloaded
    /// The device was not recorded since the activeTime.
    case notSeenSince
    /// The device's download slot lies ahead.
    case downloadSlot
    /// Devices download the release on Wi-Fi only, and the device did not send that it uses it.
    case wifi
    /// The release was offered to the device, and nothing more is known.
    case offered

    /// The facts about a device and a release by which the cause is found.
    package struct Facts: Sendable {
        /// The first rule that rejects the device, at the activeTime or now.
        package var refusal: Refusal?
        package var seenAt: Timestamp
        package var network: String?
        /// Whether the device has downloaded the version by its own account.
        package var holdsVersion: Bool
        /// The last report of the device about the version.
        package var lastReport: InstallationReport?
        package var downloadAfter: Timestamp?

        package init(
            refusal: Refusal? = nil, seenAt: Timestamp, network: String? = nil, holdsVersion: Bool = false,
            lastReport: InstallationReport? = nil, downloadAfter: Timestamp? = nil
        ) {
            self.refusal = refusal
            self.seenAt = seenAt
            self.network = network
            self.holdsVersion = holdsVersion
            self.lastReport = lastReport
            self.downloadAfter = downloadAfter
        }
    }

    /// Finds the first cause that applies.
    package init(of facts: Facts, for release: Release, at now: Timestamp) {
        let shown = facts.lastReport.map { InstallationEvent($0.event) }
        if let refusal = facts.refusal {
            self = .refused(refusal.ofAnyDevice)
        } else if !release.isActive(at: now) {
            self = .activeTime
        } else if shown == .failed, let report = facts.lastReport {
            self = .failed(event: report.event, reason: report.reason)
        } else if facts.holdsVersion || shown == .downloaded || shown == .installed {
            self = .downloaded
        } else if facts.seenAt < release.activeTime, facts.lastReport == nil {
            self = .notSeenSince
        } else if let slot = facts.downloadAfter, slot > now {
            self = .downloadSlot
        } else if release.terms.isWifiOnly, facts.network?.lowercased() != "wifi" {
            self = .wifi
        } else {
            self = .offered
        }
    }

    /// The stable name of the cause.
    package var name: String {
        switch self {
        case .refused: "refused"
        case .activeTime: "active-time"
        case .failed: "failed"
        case .downloaded: "downloaded"
        case .notSeenSince: "not-seen-since"
        case .downloadSlot: "download-slot"
        case .wifi: "wifi"
        case .offered: "offered"
        }
    }
}

/// A report of a device about the installation of a version.
package struct InstallationReport: Sendable, Equatable {
    package let device: String
    package let version: VersionString
    package let event: String
    /// The detail `reason` of the report.
    package let reason: String?

    package init(device: String, version: VersionString, event: String, reason: String?) {
        self.device = device
        self.version = version
        self.event = event
        self.reason = reason
    }

    /// A page of the reports about a package, newest first.
    package struct Page: Sendable, Equatable {
        package let reports: [InstallationReport]
        /// The lowest examined number, at which the next page ends; `nil` if no report is left.
        package let next: Int64?

        package init(reports: [InstallationReport], next: Int64?) {
            self.reports = reports
            self.next = next
        }
    }
}

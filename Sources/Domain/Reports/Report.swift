/// One event that a device reports (semantics.md §10).
package struct Report: Sendable, Equatable {
    package let app: AppID
    /// With the app and the device, what makes the report count once.
    package let eventID: String
    package let deviceID: String
    package let package: PackageID
    package let version: String
    /// `downloaded`, `applied`, `opened`, `failed`, `rolledBack`, or any other name, kept as it came.
    package let event: String
    /// By the device's clock.
    package let time: Timestamp
    /// Further members of the report, by key.
    package let details: [JSON.Member]

    package init(
        app: AppID, eventID: String, deviceID: String, package: PackageID, version: String, event: String,
        time: Timestamp, details: [JSON.Member]
    ) {
        self.app = app
        self.eventID = eventID
        self.deviceID = deviceID
        self.package = package
        self.version = version
        self.event = event
        self.time = time
        self.details = details
    }
}

extension Report {
    /// The names of events that count in any case; of others a package has ``maximumOtherEvents`` different ones.
    package static let namedEvents: Set<String> = ["downloaded", "applied", "opened", "failed", "rolledBack"]
    package static let maximumOtherEvents = 64
}

/// What became of a report.
package enum ReportOutcome: Sendable, Equatable {
    case stored
    /// It was there already.
    case known
    /// Of a version that was never published, or an event whose name is one too many.
    case ignored
}

/// How often a version's event was reported.
package struct ReportCount: Sendable, Equatable {
    package let version: String
    package let event: String
    package let reports: Int
    package let devices: Int

    package init(version: String, event: String, reports: Int, devices: Int) {
        self.version = version
        self.event = event
        self.reports = reports
        self.devices = devices
    }
}

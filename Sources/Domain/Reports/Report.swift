package import Ground

/// One event that a device reports (semantics.md §10).
package struct Report: Sendable, Equatable {
    package let app: AppID
    /// The event id, which together with the app and the device identifies the report.
    package let eventID: String
    package let deviceID: String
    package let package: PackageID
    package let version: String
    /// The name of the event: `downloaded`, `applied`, `opened`, `failed`, `rolledBack`, or any other name.
    package let event: String
    /// The time by the device's clock.
    package let time: Timestamp
    /// The further members of the report, by key.
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
    /// The names of events that always count; a package may have ``maximumOtherEvents`` other names.
    package static let namedEvents: Set<String> = ["downloaded", "applied", "opened", "failed", "rolledBack"]
    package static let maximumOtherEvents = 64
}

/// The outcome of a report.
package enum ReportOutcome: Sendable, Equatable {
    case stored
    /// The report was stored before.
    case known
    /// The report is durable in the spool; whether it counts is decided once the store is available again.
    case spooled
    /// The version was never published, the package has too many event names, or the store cannot hold a text.
    case ignored
}

/// The number of reports of a version's event.
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

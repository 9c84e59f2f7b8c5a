package import Ground

/// One event that a device reports (semantics.md §10).
package struct Report: Sendable, Equatable {
    package let app: AppID
    /// The event id, which together with the app and the device identifies the report.
    package let eventID: String
    /// The id that the device sent, or the hash in its stead.
    package private(set) var deviceID: String
    package let package: PackageID
    package let version: String
    /// The name of the event: that of a ``NamedEvent``, or any other name.
    package let event: String
    /// The time by the device's clock.
    package let time: Timestamp
    /// The further members of the report, as the text of a JSON object.
    package let details: String

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
        self.details = details.isEmpty ? "{}" : JSON.object(details).text
    }

    /// Returns a copy with another text as the device id.
    func naming(device id: String) -> Report {
        var copy = self
        copy.deviceID = id
        return copy
    }
}

/// The outcome of a report.
package enum ReportOutcome: Sendable, Equatable {
    case stored
    /// The report is stored with the event ``ReportTotal/other``, because the package has too many event names.
    case storedAsOther
    /// The report was stored before.
    case known
    /// The report is durable in the spool; whether it counts is decided once the store is available again.
    case spooled
    /// The version was never published.
    case unknownVersion
    /// The store cannot hold a text of the report.
    case unstorable

    /// Whether the report was acknowledged and not stored.
    package var isIgnored: Bool { self == .unknownVersion || self == .unstorable }
}

/// A version that reports are about.
package struct ReportedVersion: Sendable, Hashable, Comparable {
    package let package: PackageID
    package let version: String

    package init(package: PackageID, version: String) {
        self.package = package
        self.version = version
    }

    package static func < (left: ReportedVersion, right: ReportedVersion) -> Bool {
        (left.package, left.version) < (right.package, right.version)
    }
}

/// The number of reports of a version's event.
package struct ReportCount: Sendable, Equatable {
    package let version: ReportedVersion
    package let event: String
    package let reports: Int
    package let devices: Int

    package init(version: ReportedVersion, event: String, reports: Int, devices: Int) {
        self.version = version
        self.event = event
        self.reports = reports
        self.devices = devices
    }
}

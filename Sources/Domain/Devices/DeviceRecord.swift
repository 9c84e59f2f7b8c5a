package import Ground

/// Everything that the store knows about one device of an app.
package struct DeviceRecord: Sendable, Equatable {
    /// The limit on the reports of a record.
    package static let maximumEvents = 200
    /// The limit on the reports that are read to find the latest ones; a device in use sends far fewer in a window.
    package static let maximumExamined = 10_000

    /// A report of the device.
    package struct Event: Sendable, Equatable {
        package let eventID: String
        package let package: PackageID
        package let version: String
        package let event: String
        /// The time by the device's clock.
        package let time: Timestamp
        package let receivedAt: Timestamp
        package let details: JSON

        package init(
            eventID: String, package: PackageID, version: String, event: String, time: Timestamp,
            receivedAt: Timestamp, details: JSON
        ) {
            self.eventID = eventID
            self.package = package
            self.version = version
            self.event = event
            self.time = time
            self.receivedAt = receivedAt
            self.details = details
        }
    }

    /// The facts that the device sent last, by channel.
    package let seen: [ChannelName: SeenDevice]
    /// The latest reports of the window, newest first.
    package let events: [Event]
    /// The latest report of each package that shows that the device has installed a version.
    package let installed: [PackageID: Event]
    /// Whether ``events`` may lack newer reports, since the device has sent too many to read all.
    package let isTruncated: Bool

    package init(
        seen: [ChannelName: SeenDevice], events: [Event], installed: [PackageID: Event], isTruncated: Bool
    ) {
        self.seen = seen
        self.events = events
        self.installed = installed
        self.isTruncated = isTruncated
    }
}

/// The state of an installation that a report of a device shows.
package enum InstallationEvent: Sendable, Equatable {
    /// The device uses the version.
    case installed
    /// The device has downloaded the version and does not use it yet.
    case downloaded
    /// The device could not download, verify, apply or keep the version.
    case failed
    case other

    package init(_ event: String) {
        switch event {
        case "failed", "verifyFailed", "applyFailed", "rolledBack", "downloadFailed": self = .failed
        case "downloaded": self = .downloaded
        default: self = FunnelStep(event: event) >= .applied ? .installed : .other
        }
    }
}

/// The rows that the erasure of a device has removed.
package struct DeviceErasure: Sendable, Equatable {
    /// The limit on the reports that one erasure removes, since it is one transaction.
    package static let maximumReports = 100_000

    /// The channels on which the device was recorded as seen.
    package let channels: Int
    package let reports: Int
    /// The device lists that named the device.
    package let lists: [DeviceListName]
    /// Whether neither a report of the device nor a text to which no device refers is left.
    package let isComplete: Bool

    package init(channels: Int, reports: Int, lists: [DeviceListName], isComplete: Bool) {
        self.channels = channels
        self.reports = reports
        self.lists = lists
        self.isComplete = isComplete
    }
}

package import Ground

/// Something that changed what devices of an app are told; the hint that push carries.
package struct Event: Sendable, Equatable {
    package let app: AppID
    /// Counts up by one per app.
    package let sequence: Int64
    package let time: Timestamp
    package let subject: Subject

    package enum Subject: Sendable, Equatable {
        /// The package's settings changed; on every channel.
        case packageChanged(PackageID)
        /// A release was made whose moment lies ahead.
        case scheduled(PackageID, ChannelName, VersionString)
        /// A release took effect.
        case activated(PackageID, ChannelName, VersionString)
        /// A release was changed by an operator or a step of its plan.
        case changed(PackageID, ChannelName, VersionString)
        /// A list of devices or what is known of a host build changed, and with it who gets what.
        case audiencesChanged
        /// Keys changed, and with them the signatures of every answer.
        case keysChanged
    }

    package init(app: AppID, sequence: Int64, time: Timestamp, subject: Subject) {
        self.app = app
        self.sequence = sequence
        self.time = time
        self.subject = subject
    }

    /// The package concerned; `nil` where every one is.
    package var package: PackageID? {
        switch subject {
        case .packageChanged(let package), .scheduled(let package, _, _), .activated(let package, _, _),
            .changed(let package, _, _):
            package
        case .keysChanged, .audiencesChanged: nil
        }
    }

    /// Whether a client that follows these packages (`nil`: all) on this channel is to be told.
    package func concerns(channel: ChannelName, packages: Set<PackageID>?) -> Bool {
        switch subject {
        case .keysChanged, .audiencesChanged: true
        case .packageChanged(let package): packages?.contains(package) ?? true
        case .scheduled(let package, let own, _), .activated(let package, let own, _),
            .changed(let package, let own, _):
            own == channel && packages?.contains(package) ?? true
        }
    }
}

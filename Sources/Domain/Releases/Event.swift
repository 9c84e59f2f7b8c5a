package import Ground

/// An event that changed the responses to an app's devices, of which push notifies them.
package struct Event: Sendable, Equatable {
    package let app: AppID
    /// The sequence, which grows by one with each event of the app.
    package let sequence: Int64
    package let time: Timestamp
    package let subject: Subject

    package enum Subject: Sendable, Equatable {
        /// The package's settings changed, on every channel.
        case packageChanged(PackageID)
        /// A release was made that begins later.
        case scheduled(PackageID, ChannelName, VersionString)
        /// A release took effect.
        case activated(PackageID, ChannelName, VersionString)
        /// A release was changed by an operator or a step of its plan.
        case changed(PackageID, ChannelName, VersionString)
        /// A device list or a host build changed, and with it the decisions for devices.
        case audiencesChanged
        /// Keys changed, and with them the signatures of every response.
        case keysChanged
    }

    package init(app: AppID, sequence: Int64, time: Timestamp, subject: Subject) {
        self.app = app
        self.sequence = sequence
        self.time = time
        self.subject = subject
    }

    /// The package of the event; `nil` if it concerns all packages.
    package var package: PackageID? {
        switch subject {
        case .packageChanged(let package), .scheduled(let package, _, _), .activated(let package, _, _),
            .changed(let package, _, _):
            package
        case .keysChanged, .audiencesChanged: nil
        }
    }

    /// Returns whether the event concerns a client that follows these packages on this channel; `nil` stands for all.
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

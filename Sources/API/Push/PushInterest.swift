import Domain
import Platform

/// The channel and the packages that a waiting client follows.
struct PushInterest: Hashable, Sendable {
    let channel: ChannelName
    /// The followed packages; `nil` for all.
    let packages: Set<PackageID>?

    /// The interest in all packages of the channel.
    var widened: PushInterest { PushInterest(channel: channel, packages: nil) }
}

extension Event {
    func concerns(_ interest: PushInterest) -> Bool {
        concerns(channel: interest.channel, packages: interest.packages)
    }
}

extension EventLog {
    /// The events that a client with this interest has missed.
    func news(since cursor: Cursor, for interest: PushInterest) -> News {
        news(since: cursor, channel: interest.channel, packages: interest.packages)
    }
}

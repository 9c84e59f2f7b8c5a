package import Domain
import Execution
import Ground

/// The use cases of apps, channels and packages.
package final class Catalogue: Sendable {
    let live: LiveApps
    let store: any AppStore & PackageStore
    let dialects: DialectKeeper
    let keys: KeyRing
    let clock: any WallClock
    /// A gate that serializes creations, so that an app is loaded once and all its changes share one object.
    private let creating = AsyncGate(width: 1)

    package init(
        live: LiveApps, store: any AppStore & PackageStore, keys: KeyRing, dialects: DialectKeeper, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.dialects = dialects
        self.keys = keys
        self.clock = clock
    }

    /// Creates an app with its keys and its first channel; returns `false` if it exists.
    package func createApp(
        _ id: AppID, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await creating.pass { () throws(PlatformError) in
            let isKnown = live.app(id) != nil
            try precondition?.require(isKnown ? id.tag(by: keys.cryptography) : nil, of: "The app '\(id)'")
            guard !isKnown else { return false }
            let audit = author.audit(
                .createApp, id.text, in: id, at: clock.now(), change: .created([.init("id", .string(id.text))]))
            let isNew = try await store.createApp(id, keys: try await keys.firstKeys(of: id), audit: audit)
            guard !author.isRehearsing else { return isNew }
            // An existing app is loaded as well: an earlier request may have created it and failed before loading it.
            try await live.loadIfMissing(id)
            return isNew
        }
    }

    /// Returns the channels of an app, by name.
    package func channels(of app: LiveApp) async throws(PlatformError) -> [ChannelName] {
        try await store.channels(of: app.id)
    }

    /// Declares a channel; returns `false` if it exists.
    package func declareChannel(
        _ channel: ChannelName, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await live.change(app) { () throws(PlatformError) in
            try await require(precondition, of: channel, in: app)
            let audit = author.audit(
                .declareChannel, channel.text, in: app.id, at: clock.now(),
                change: .created([.init("name", .string(channel.text))]))
            return try await store.declareChannel(channel, of: app.id, audit: audit)
        }
    }

    /// Deletes a channel that has no releases.
    ///
    /// Throws `channelNotFound`, `preconditionFailed`, and `conflict` for `production`, the channel of clients that name
    /// none, and for a channel with releases or devices.
    package func deleteChannel(
        _ channel: ChannelName, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) {
        try await live.change(app) { () throws(PlatformError) in
            try await require(precondition, of: channel, in: app)
            guard channel != .production else {
                throw PlatformError(
                    .conflict,
                    "The channel '\(channel)' is the one of clients that name none. It cannot be deleted.")
            }
            let audit = author.audit(
                .deleteChannel, channel.text, in: app.id, at: clock.now(),
                change: .removed([.init("name", .string(channel.text))]))
            guard try await store.removeChannel(channel, of: app.id, audit: audit) else {
                throw PlatformError(.channelNotFound, "The app '\(app.id)' has no channel '\(channel)'.")
            }
        }
    }

    /// Checks the precondition of a change of a channel.
    private func require(
        _ precondition: IfMatchPrecondition?, of channel: ChannelName, in app: LiveApp
    ) async throws(PlatformError) {
        guard let precondition else { return }
        let isKnown = try await store.channels(of: app.id).contains(channel)
        try precondition.require(
            isKnown ? channel.tag(by: keys.cryptography) : nil, of: "The channel '\(channel)'")
    }
}

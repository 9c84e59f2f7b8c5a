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
    package func channels(of app: LiveApp) async throws(PlatformError) -> [Channel] {
        try await store.channels(of: app.id)
    }

    /// Returns a channel; throws `channelNotFound`.
    package func requireChannel(_ name: ChannelName, of app: LiveApp) async throws(PlatformError) -> Channel {
        _ = try app.requireView(of: name)
        guard let channel = try await store.channel(name, of: app.id) else { throw Self.noChannel(name, of: app.id) }
        return channel
    }

    /// Declares a channel or changes its settings; returns the channel, and whether it is new.
    ///
    /// Throws `forbidden` if an operator who is no admin of the app would change the number of approvals.
    ///
    /// - Parameter approvals: The number of approvals; `nil` to keep it.
    @discardableResult
    package func putChannel(
        _ name: ChannelName, approvals: Int64? = nil, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> (channel: Channel, isNew: Bool) {
        try await live.change(app) { () throws(PlatformError) in
            let former = try await store.channel(name, of: app.id)
            try require(precondition, of: name, being: former)
            let channel = Channel(name: name, approvals: approvals ?? former?.approvals ?? 0)
            if channel.approvals != former?.approvals ?? 0 { try Self.requireGuard(author, of: name, in: app.id) }
            let audit = author.audit(
                former == nil ? .declareChannel : .changeChannel, name.text, in: app.id, at: clock.now(),
                change: AuditChange(from: former?.members, to: channel.members))
            return (channel, try await store.putChannel(channel, of: app.id, audit: audit))
        }
    }

    /// Deletes a channel that has no releases.
    ///
    /// Throws `channelNotFound`, `preconditionFailed`, `forbidden` if an operator who is no admin of the app would delete a
    /// protected channel, and `conflict` for `production`, the channel of clients that name none, and for a channel with
    /// releases, pending approvals or devices.
    package func deleteChannel(
        _ name: ChannelName, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Channel {
        try await live.change(app) { () throws(PlatformError) in
            let former = try await store.channel(name, of: app.id)
            try require(precondition, of: name, being: former)
            guard name != .production else {
                throw PlatformError(
                    .conflict,
                    "The channel '\(name)' is the one of clients that name none. It cannot be deleted.")
            }
            guard let former else { throw Self.noChannel(name, of: app.id) }
            // A channel that is declared again is not protected.
            if former.isProtected { try Self.requireGuard(author, of: name, in: app.id) }
            let audit = author.audit(
                .deleteChannel, name.text, in: app.id, at: clock.now(), change: .removed(former.members))
            guard try await store.removeChannel(name, of: app.id, audit: audit) else {
                throw Self.noChannel(name, of: app.id)
            }
            return former
        }
    }

    private static func noChannel(_ name: ChannelName, of app: AppID) -> PlatformError {
        PlatformError(.channelNotFound, "The app '\(app)' has no channel '\(name)'.")
    }

    /// Throws `forbidden` unless an operator may add and remove the protection of a channel.
    private static func requireGuard(
        _ author: Operator, of name: ChannelName, in app: AppID
    ) throws(PlatformError) {
        guard !author.has(.admin, on: .app(app)) else { return }
        throw PlatformError(
            .forbidden,
            "\(author.roles) Only an admin of the app '\(app)' may change the approvals of the channel '\(name)', so that no "
                + "releaser removes its protection.")
    }

    /// Checks the precondition of a change of a channel.
    private func require(
        _ precondition: IfMatchPrecondition?, of name: ChannelName, being channel: Channel?
    ) throws(PlatformError) {
        try precondition?.require(channel?.tag(by: keys.cryptography), of: "The channel '\(name)'")
    }
}

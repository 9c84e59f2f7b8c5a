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
    package func createApp(_ id: AppID, by author: Operator) async throws(PlatformError) -> Bool {
        try await creating.pass { () throws(PlatformError) in
            guard live.app(id) == nil else { return false }
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
        _ channel: ChannelName, of app: LiveApp, by author: Operator
    )
        async throws(PlatformError) -> Bool
    {
        try await live.change(app) { () throws(PlatformError) in
            let audit = author.audit(
                .declareChannel, channel.text, in: app.id, at: clock.now(),
                change: .created([.init("name", .string(channel.text))]))
            return try await store.declareChannel(channel, of: app.id, audit: audit)
        }
    }
}

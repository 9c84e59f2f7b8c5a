package import Domain
import Execution

/// Apps, channels and packages: what there is to publish to; and what is told of what was published.
package final class Catalogue: Sendable {
    let live: LiveApps
    let dialects: DialectKeeper
    let keys: KeyRing
    let clock: any WallClock
    /// So that an app is loaded once: whoever waits for its changes waits on one object.
    private let creating = AsyncGate(width: 1)

    package init(live: LiveApps, keys: KeyRing, dialects: DialectKeeper, clock: any WallClock) {
        self.live = live
        self.dialects = dialects
        self.keys = keys
        self.clock = clock
    }

    /// Makes an app with its keys and its first channel; `false` where it was there.
    package func createApp(_ id: AppID, by author: Operator) async throws(PlatformError) -> Bool {
        try await creating.pass { () throws(PlatformError) in
            guard live.app(id) == nil else { return false }
            let audit = author.audit(.createApp, id.text, in: id, at: clock.now())
            let isNew = try await live.store.createApp(id, keys: try await keys.firstKeys(of: id), audit: audit)
            guard !author.isRehearsing else { return isNew }
            // Also one that is not new: it may have been made by a request that failed before it was seen.
            try await live.load(id)
            return isNew
        }
    }

    /// `false` where it was there.
    package func declareChannel(
        _ channel: ChannelName, of app: LiveApp, by author: Operator
    )
        async throws(PlatformError) -> Bool
    {
        try await live.change(app) { () throws(PlatformError) in
            let audit = author.audit(.declareChannel, channel.text, in: app.id, at: clock.now())
            return try await live.store.declareChannel(channel, of: app.id, audit: audit)
        }
    }
}

import Domain
import Platform

/// One of the base URLs that a client can have: an app, and a channel of it.
struct ClientBase: Hashable, Sendable {
    let app: AppID
    let channel: ChannelName

    /// The default app's production channel, at the root.
    static let root = ClientBase(app: .default, channel: .production)

    /// The shortest path at which a client's routes of this base hang.
    var path: String {
        if self == .root { return "" }
        return channel == .production ? "/apps/\(app)" : "/apps/\(app)/channels/\(channel)"
    }

    /// The path prefixes under which clients' routes hang, as patterns of the router.
    static let patterns = ["", "/apps/{app}", "/apps/{app}/channels/{channel}"]
}

extension LiveApps {
    /// The app of a base; throws `appNotFound`, or `channelNotFound` where it never declared the channel.
    func requireApp(at base: ClientBase) throws(PlatformError) -> LiveApp {
        let app = try requireApp(base.app)
        _ = try app.requireView(of: base.channel)
        return app
    }
}

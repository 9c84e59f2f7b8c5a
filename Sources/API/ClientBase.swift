import Domain
import Platform

/// One of the base URLs that a client can have: an app, a channel of it, and for seed 000 a legacy key.
struct ClientBase: Hashable, Sendable {
    let app: AppID
    let channel: ChannelName
    /// Whose signature is told in the one field that there is for one (semantics.md §6); `nil` for the one that came
    /// first of those in use.
    var legacyKey: KeyID?

    /// The default app's production channel, at the root.
    static let root = ClientBase(app: .default, channel: .production)

    /// The shortest path at which a client's routes of this base hang.
    var path: String {
        if self == .root { return "" }
        let key = legacyKey.map { "/legacy/\($0)" } ?? ""
        return "/apps/\(app)\(key)" + (channel == .production ? "" : "/channels/\(channel)")
    }

    /// The same base without a key that makes no difference to it.
    func plain(in view: ChannelView) -> ClientBase {
        guard legacyKey == view.legacyKeys.first else { return self }
        return ClientBase(app: app, channel: channel)
    }

    /// The path prefixes under which uploaded bytes hang, as patterns of the router: no key makes a difference there.
    static let contentPatterns = ["", "/apps/{app}", "/apps/{app}/channels/{channel}"]

    /// The path prefixes under which clients' routes hang.
    static let patterns =
        contentPatterns + ["/apps/{app}/legacy/{keyId}", "/apps/{app}/legacy/{keyId}/channels/{channel}"]
}

extension LiveApps {
    /// The app of a base; throws `appNotFound`, and what ``LiveApp/requireView(at:)`` throws.
    func requireApp(at base: ClientBase) throws(PlatformError) -> LiveApp {
        let app = try requireApp(base.app)
        _ = try app.requireView(at: base)
        return app
    }
}

extension LiveApp {
    /// What clients of a base are told.
    ///
    /// Throws `channelNotFound` where the app never declared the channel, `keyNotFound` for a legacy key that is not in
    /// use.
    func requireView(at base: ClientBase) throws(PlatformError) -> ChannelView {
        let view = try requireView(of: base.channel)
        if let key = base.legacyKey, !view.legacyKeys.contains(key) {
            throw PlatformError(.keyNotFound, "'\(id)' has no legacy key \(key) in use.")
        }
        return view
    }
}

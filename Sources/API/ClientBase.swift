package import Domain
package import Platform

/// A base URL for clients: an app, one of its channels, and optionally a legacy key for seed 000's clients.
package struct ClientBase: Hashable, Sendable {
    package let app: AppID
    package let channel: ChannelName
    /// The legacy key whose signature responses carry in their single signature field (semantics.md §6).
    ///
    /// `nil` selects the oldest legacy key in use.
    package var legacyKey: KeyID?

    /// The base at the root: the default app's production channel.
    package static let root = ClientBase(app: .default, channel: .production)

    /// The shortest path prefix of the routes of this base.
    package var path: String {
        if self == .root { return "" }
        let key = legacyKey.map { "/legacy/\($0)" } ?? ""
        return "/apps/\(app)\(key)" + (channel == .production ? "" : "/channels/\(channel)")
    }

    /// Returns the base without its legacy key if that key is the default one.
    package func plain(in view: ChannelView) -> ClientBase {
        guard legacyKey == view.legacyKeys.first else { return self }
        return ClientBase(app: app, channel: channel)
    }

    /// The path prefixes of uploaded content, as router patterns; a legacy key makes no difference there.
    package static let contentPatterns = ["", "/apps/{app}", "/apps/{app}/channels/{channel}"]

    /// The path prefixes of the clients' routes, as router patterns.
    package static let patterns =
        contentPatterns + ["/apps/{app}/legacy/{keyId}", "/apps/{app}/legacy/{keyId}/channels/{channel}"]
}

extension LiveApps {
    /// Returns the app of a base.
    ///
    /// Throws `appNotFound`, and the errors of ``LiveApp/requireView(at:)``.
    package func requireApp(at base: ClientBase) throws(PlatformError) -> LiveApp {
        let app = try requireApp(base.app)
        _ = try app.requireView(at: base)
        return app
    }
}

extension LiveApp {
    /// Returns the view that clients of a base get.
    ///
    /// Throws `channelNotFound` if the app has never declared the channel, and `keyNotFound` if the legacy key is not
    /// in use.
    package func requireView(at base: ClientBase) throws(PlatformError) -> ChannelView {
        let view = try requireView(of: base.channel)
        if let key = base.legacyKey, !view.legacyKeys.contains(key) {
            throw PlatformError(.keyNotFound, "The app '\(id)' has no legacy key \(key) in use.")
        }
        return view
    }
}

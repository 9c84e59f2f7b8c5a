import Domain
import HTTP
import Platform
import Synchronization

/// `GET /config`: answered on the event loop from ready-made bytes.
final class ConfigEndpoint: Sendable {
    private let live: LiveApps
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let publicURL: PublicURL
    private let answers = Mutex<[ClientBase: ConfigAnswers]>([:])

    init(live: LiveApps, cryptography: any Cryptography, clock: any WallClock, publicURL: PublicURL) {
        self.live = live
        self.cryptography = cryptography
        self.clock = clock
        self.publicURL = publicURL
    }

    /// Throws `appNotFound`, `channelNotFound`.
    func answer(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> PreparedResponse {
        try current(base).answer(to: head)
    }

    private func current(_ base: ClientBase) throws(PlatformError) -> ConfigAnswers {
        let view = try live.requireApp(base.app).requireView(of: base.channel)
        let now = clock.now()
        if let answers = answers.withLock({ $0[base] }), answers.isGood(for: view, at: now) { return answers }
        let body = ConfigDocument(view: view, publicURL: publicURL).bytes
        let etag = "\"\(cryptography.sha256(body).hex.prefix(32))\""
        let answers = ConfigAnswers(view: view, body: body, etag: etag, at: now)
        self.answers.withLock { $0[base] = answers }
        return answers
    }
}

extension LiveApp {
    /// The view of a channel, or `channelNotFound`.
    func requireView(of channel: ChannelName) throws(PlatformError) -> ChannelView {
        guard let view = view(of: channel) else {
            throw PlatformError(.channelNotFound, "The app '\(id)' has no channel '\(channel)'.")
        }
        return view
    }
}

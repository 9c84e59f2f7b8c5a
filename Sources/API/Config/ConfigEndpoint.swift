import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// `GET /config`: answered on the event loop from ready-made bytes.
final class ConfigEndpoint: Sendable {
    private let services: Services
    private let publicURL: PublicURL
    private let answers = Mutex<[ClientBase: ConfigAnswers]>([:])

    init(services: Services, publicURL: PublicURL) {
        self.services = services
        self.publicURL = publicURL
    }

    /// Throws `appNotFound`, `channelNotFound`.
    ///
    /// The codings of a new document are made once, off the event loop: the first request that wants one waits for
    /// it, and those that come meanwhile get the document as it is.
    func answer(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let answers = try current(base)
        guard let claim = answers.content.claim, AcceptedCodings(head).acceptsAny, claim.take() else {
            return .prepared(answers.answer(to: head))
        }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                await code(answers.content, of: base)
                return try current(base).answer(to: request.head).response
            }
        }
    }

    private func current(_ base: ClientBase) throws(PlatformError) -> ConfigAnswers {
        let view = try services.live.requireApp(base.app).requireView(of: base.channel)
        let now = services.clock.now()
        let last = answers.withLock { $0[base] }
        if let last, last.isGood(for: view, at: now) { return last }
        let content = content(of: view, after: last)
        return answers.withLock { answers in
            // Its codings may have come meanwhile.
            let held = answers[base].flatMap { $0.content.etagName == content.etagName ? $0.content : nil }
            let made = ConfigAnswers(view: view, content: held ?? content, at: now)
            answers[base] = made
            return made
        }
    }

    /// The document of a view; the one from before where it says the same, with what was made of it.
    private func content(of view: ChannelView, after last: ConfigAnswers?) -> ConfigContent {
        if let last, last.view === view { return last.content }
        let bytes = ConfigDocument(view: view, publicURL: publicURL).bytes
        let etagName = services.cryptography.etagName(of: bytes)
        if let last, last.content.etagName == etagName { return last.content }
        return ConfigContent(bytes, etagName: etagName)
    }

    /// Makes the codings of a document, and puts them into the answers that are made of it.
    private func code(_ content: ConfigContent, of base: ClientBase) async {
        let body = await services.work.run { CodedBody(content.body.identity, by: services.compressor) }
        let now = services.clock.now()
        answers.withLock { answers in
            guard let last = answers[base], last.content.etagName == content.etagName else { return }
            answers[base] = ConfigAnswers(view: last.view, content: content.with(body), at: now)
        }
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

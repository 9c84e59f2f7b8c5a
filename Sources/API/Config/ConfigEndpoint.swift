import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// `GET /config`: answered on the event loop from ready-made bytes.
final class ConfigEndpoint: Sendable {
    private let services: Services
    private let publicURL: PublicURL
    private let contentURL: PublicURL
    private let state = Mutex(State())

    /// Documents that are kept ready for devices which say what they have, and bytes of them.
    static let selectedCount = 1_024
    static let selectedBytes = 32 << 20

    /// What makes answers differ.
    private struct Subject: Hashable {
        let base: ClientBase
        let patches: PatchSelection
    }

    private struct State {
        var answers: [Subject: ConfigAnswers] = [:]

        /// Keeps answers; those for devices that say what they have go when their view is no longer told, and all of
        /// them when there are too many.
        mutating func keep(_ made: ConfigAnswers, for subject: Subject) {
            answers[subject] = made
            guard subject.patches != .planned else { return }
            answers = answers.filter { known, answers in
                known.patches == .planned || known.base != subject.base || answers.view === made.view
            }
            let selected = answers.filter { $0.key.patches != .planned }
            let bytes = selected.values.reduce(0) { $0 + $1.content.body.identity.count }
            if selected.count > ConfigEndpoint.selectedCount || bytes > ConfigEndpoint.selectedBytes {
                answers = answers.filter { $0.key.patches == .planned }
            }
        }
    }

    init(services: Services, publicURL: PublicURL, contentURL: PublicURL) {
        self.services = services
        self.publicURL = publicURL
        self.contentURL = contentURL
    }

    /// Throws `appNotFound`, `channelNotFound`.
    ///
    /// The codings of a new document are made once, off the event loop: the first request that wants one waits for
    /// it, and those that come meanwhile get the document as it is. A document for devices that have the same versions is
    /// made off it, too.
    func answer(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let view = try services.live.requireApp(base.app).requireView(of: base.channel)
        let subject = subject(of: head, base, view)
        if subject.patches != .planned, ready(for: subject, view) == nil {
            return .handle(bodyLimit: 0) { [self] request in
                await services.work.run { _ = current(subject, view) }
                return current(subject, view).answer(to: request.head).response
            }
        }
        let answers = current(subject, view)
        guard let claim = answers.content.claim, AcceptedCodings(head).acceptsAny, claim.take() else {
            return .prepared(answers.answer(to: head))
        }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                await code(answers.content, of: subject)
                let view = try services.live.requireApp(base.app).requireView(of: base.channel)
                return current(subject, view).answer(to: request.head).response
            }
        }
    }

    private func subject(of head: RequestHead, _ base: ClientBase, _ view: ChannelView) -> Subject {
        guard head.hasQuery, let text = head.query["have"] else { return Subject(base: base, patches: .planned) }
        let holdings = Holdings(text)
        services.demandedPatches.ask(for: holdings, in: view)
        return Subject(base: base, patches: PatchSelection(for: holdings, in: view))
    }

    private func ready(for subject: Subject, _ view: ChannelView) -> ConfigAnswers? {
        let last = state.withLock { $0.answers[subject] }
        return last.flatMap { $0.isGood(for: view, at: services.clock.now()) ? $0 : nil }
    }

    private func current(_ subject: Subject, _ view: ChannelView) -> ConfigAnswers {
        let now = services.clock.now()
        let last = state.withLock { $0.answers[subject] }
        if let last, last.isGood(for: view, at: now) { return last }
        let content = content(of: view, subject.patches, after: last)
        return state.withLock { state in
            // Its codings may have come meanwhile.
            let held = state.answers[subject].flatMap { $0.content.etagName == content.etagName ? $0.content : nil }
            let made = ConfigAnswers(view: view, content: held ?? content, at: now)
            state.keep(made, for: subject)
            return made
        }
    }

    /// The document of a view; the one from before where it says the same, with what was made of it.
    private func content(
        of view: ChannelView, _ patches: PatchSelection, after last: ConfigAnswers?
    ) -> ConfigContent {
        if let last, last.view === view { return last.content }
        let bytes = ConfigDocument(view: view, publicURL: publicURL, contentURL: contentURL, patches: patches).bytes
        let etagName = services.cryptography.etagName(of: bytes)
        if let last, last.content.etagName == etagName { return last.content }
        return ConfigContent(bytes, etagName: etagName)
    }

    /// Makes the codings of a document, and puts them into the answers that are made of it.
    private func code(_ content: ConfigContent, of subject: Subject) async {
        let body = await services.work.run { CodedBody(content.body.identity, by: services.compressor) }
        let now = services.clock.now()
        state.withLock { state in
            guard let last = state.answers[subject], last.content.etagName == content.etagName else { return }
            state.answers[subject] = ConfigAnswers(view: last.view, content: content.with(body), at: now)
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

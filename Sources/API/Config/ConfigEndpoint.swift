import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// `GET /config`: answered on the event loop where the bytes are ready.
///
/// Documents for devices that say what they have are made on a thread of their own, those for all others on the loop.
final class ConfigEndpoint: Sendable {
    private let services: Services
    private let publicURL: PublicURL
    private let contentURL: PublicURL
    private let ready = Mutex<[ClientBase: ReadyConfigs]>([:])
    /// Apart from publishing, which may hold all other threads.
    private let work = WorkExecutor(label: "larder.config", threads: 1)

    init(services: Services, publicURL: PublicURL, contentURL: PublicURL) {
        self.services = services
        self.publicURL = publicURL
        self.contentURL = contentURL
    }

    /// Throws `appNotFound`, `channelNotFound`, `keyNotFound`.
    ///
    /// The codings of a new document are made once, off the event loop: the first request that wants one waits for
    /// it, and those that come meanwhile get the document as it is.
    func answer(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let view = try view(of: base)
        let base = base.plain(in: view)
        let holdings = holdings(of: head)
        if let holdings { services.demandedPatches.ask(for: holdings, in: view) }
        let patches = selection(holdings, base, view)
        guard let answers = ready(base, patches, view) ?? (patches == .planned ? made(base, patches, view) : nil) else {
            return elsewhere { [self] head throws(PlatformError) in
                let (patches, answers) = try current(base, holdings)
                return AcceptedCodings(head).acceptsAny ? coded(answers, base, patches) : answers
            }
        }
        guard let claim = answers.content.claim, AcceptedCodings(head).acceptsAny, claim.take() else {
            return .prepared(answers.answer(to: head))
        }
        return elsewhere { [self] _ throws(PlatformError) in
            _ = coded(answers, base, patches)
            return try current(base, holdings).answers
        }
    }

    /// Answers from a thread that may block.
    private func elsewhere(
        _ body: @escaping @Sendable (RequestHead) throws(PlatformError) -> ConfigAnswers
    ) -> Disposition {
        .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                try await work.run { () throws(PlatformError) in
                    try body(request.head).answer(to: request.head).response
                }
            }
        }
    }

    private func view(of base: ClientBase) throws(PlatformError) -> ChannelView {
        try services.live.requireApp(base.app).requireView(at: base)
    }

    /// What is told at this moment, made where it is not ready.
    private func current(
        _ base: ClientBase, _ holdings: Holdings?
    ) throws(PlatformError) -> (patches: PatchSelection, answers: ConfigAnswers) {
        let view = try view(of: base)
        let base = base.plain(in: view)
        let patches = selection(holdings, base, view)
        return (patches, ready(base, patches, view) ?? made(base, patches, view))
    }

    private func holdings(of head: RequestHead) -> Holdings? {
        head.hasQuery ? head.query["have"].map(Holdings.init) : nil
    }

    private func ready(_ base: ClientBase, _ patches: PatchSelection, _ view: ChannelView) -> ConfigAnswers? {
        let last = ready.withLock { $0[base]?[patches] }
        return last.flatMap { $0.isGood(for: view, at: services.clock.now()) ? $0 : nil }
    }

    /// What a device can use; what the plan names where it does not say what it has, or too many have said other things.
    private func selection(_ holdings: Holdings?, _ base: ClientBase, _ view: ChannelView) -> PatchSelection {
        guard let holdings else { return .planned }
        let selection = PatchSelection(for: holdings, in: view)
        let hasRoom = ready.withLock { $0[base]?.hasRoom(for: selection, in: view) ?? true }
        return hasRoom ? selection : .planned
    }

    private func made(_ base: ClientBase, _ patches: PatchSelection, _ view: ChannelView) -> ConfigAnswers {
        let now = services.clock.now()
        let last = ready.withLock { $0[base]?[patches] }
        let content = content(of: view, base, patches, after: last)
        return ready.withLock { ready in
            // What was made for keys that are out of use.
            for other in ready.keys where other.app == base.app {
                if let key = other.legacyKey, !view.legacyKeys.contains(key) { ready[other] = nil }
            }
            // Its codings may have come meanwhile.
            let held = ready[base]?[patches]?.content
            let made = ConfigAnswers(
                view: view, content: held?.etagName == content.etagName ? held ?? content : content, at: now)
            ready[base, default: ReadyConfigs()].keep(made, for: patches)
            return made
        }
    }

    /// The document of a view; the one from before where it says the same, with what was made of it.
    private func content(
        of view: ChannelView, _ base: ClientBase, _ patches: PatchSelection, after last: ConfigAnswers?
    ) -> ConfigContent {
        if let last, last.view === view { return last.content }
        let bytes = ConfigDocument(
            view: view, publicURL: publicURL, contentURL: contentURL, patches: patches,
            legacyKey: base.legacyKey ?? view.legacyKeys.first
        ).bytes
        let etagName = services.cryptography.etagName(of: bytes)
        if let last, last.content.etagName == etagName { return last.content }
        return ConfigContent(bytes, etagName: etagName)
    }

    /// The same answers with the codings of their document, which are kept where the document still is.
    ///
    /// Blocks.
    private func coded(_ answers: ConfigAnswers, _ base: ClientBase, _ patches: PatchSelection) -> ConfigAnswers {
        let body = CodedBody(answers.content.body.identity, by: services.compressor)
        let content = answers.content.with(body)
        let now = services.clock.now()
        return ready.withLock { ready in
            if let last = ready[base]?[patches], last.content.etagName == content.etagName {
                ready[base]?.keep(ConfigAnswers(view: last.view, content: content, at: now), for: patches)
            }
            return ConfigAnswers(view: answers.view, content: content, at: now)
        }
    }
}

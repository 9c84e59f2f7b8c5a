import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// The endpoint `GET /config`, which responds on the event loop if the document is prepared.
///
/// Documents for devices that send facts are made on a thread of their own, the plain document on the loop.
final class ConfigEndpoint: Sendable {
    let services: Services
    private let publicURL: PublicURL
    private let contentURL: PublicURL
    private let ready = Mutex<[ClientBase: ReadyConfigs]>([:])
    /// The thread that decides; separate, because publishing may occupy all other worker threads.
    let work = WorkExecutor(label: "larder.config", threads: 1)
    /// The thread that compresses plain documents.
    private let plainCoding = WorkExecutor(label: "larder.coding", threads: 1)
    /// The thread that compresses all other documents, of which one client can request many.
    private let variantCoding = WorkExecutor(label: "larder.variants", threads: 1, isBackground: true)
    /// The queue before `work`, which admits clients in turn.
    private let deciding = FairGate<PeerAddress>(width: 2, capacity: waitingForDecision)
    /// The number of documents that `variantCoding` compresses or has queued.
    private let variantsCoding = Mutex(0)
    /// The budget of documents that are not cached.
    private let unshared: ResponseBudget

    /// The number of requests that may wait for `work`; past it, the busiest client's newest one gets `busy`.
    ///
    /// It equals the default limit of connections: all devices of a release may send a request at its start.
    static let waitingForDecision = 1 << 16
    /// The number of documents whose compression requests wait for; past it, a request gets its document uncompressed.
    static let awaitedCodings = 4

    /// - Parameter unshared: The budget of documents that no other client gets.
    init(services: Services, publicURL: PublicURL, contentURL: PublicURL, unshared: ResponseBudget) {
        self.services = services
        self.unshared = unshared
        self.publicURL = publicURL
        self.contentURL = contentURL
    }

    /// Decides a request; throws `appNotFound`, `channelNotFound`, `keyNotFound`.
    ///
    /// The codings of a new document are made once, off the event loop: the first request that accepts one waits for
    /// it, and requests that arrive meanwhile get the document uncompressed.
    func answer(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let view = try view(of: base)
        let base = base.plain(in: view)
        let query = query(of: head, base)
        if let query { services.devicesSeen.note(query.facts, in: view) }
        let wish = SignatureWish(head, query)
        if wish != .none, let signed = try signed(head, base, view, query, wish) { return signed }
        guard let query else { return plain(head, base, view) }
        guard view.isDecidedQuickly else { return made(for: query, base) }
        let device = DeviceView(view, facts: query.facts, at: services.clock.now())
        if let holdings = query.facts.holdings { services.demandedPatches.ask(for: holdings, in: device) }
        let variant = variant(of: device, query, base)
        guard let answers = ready(base, variant, view) else { return made(for: query, base) }
        return answer(head, base, answers, variant, query)
    }

    /// Decides and responds off the event loop.
    private func made(for query: DeviceQuery, _ base: ClientBase) -> Disposition {
        handled { [self] head throws(PlatformError) in
            let (answers, base, variant) = try await onWork(for: head) { () throws(PlatformError) in
                let (base, device, variant) = try decide(base, query)
                if let holdings = query.facts.holdings { services.demandedPatches.ask(for: holdings, in: device) }
                if let answers = ready(base, variant, device.view) { return (answers, base, variant) }
                // A response without a body is not charged.
                let mayBeEmpty = head.method == .head || head[.ifNoneMatch] != nil
                if !mayBeEmpty, !isToBeKept(base, variant, device.view) { try unshared.requireRoom(for: head.client) }
                return (made(base, variant, device), base, variant)
            }
            // A document that is not cached would be compressed for every request.
            guard isKept(answers, base, variant), let claim = answers.content.claim, AcceptedCodings(head).acceptsAny,
                claim.take()
            else { return try response(answers, base, variant, to: head) }
            return try response(await coding(answers, base, variant), base, variant, to: head)
        }
    }

    /// Answers a request that carries no device facts.
    private func plain(_ head: RequestHead, _ base: ClientBase, _ view: ChannelView) -> Disposition {
        let answers = ready(base, .plain, view) ?? made(base, .plain, DeviceView(view, facts: .none, at: view.instant))
        return answer(head, base, answers, .plain, nil)
    }

    private func answer(
        _ head: RequestHead, _ base: ClientBase, _ answers: ConfigAnswers, _ variant: ConfigVariant,
        _ query: DeviceQuery?
    ) -> Disposition {
        guard let claim = answers.content.claim, AcceptedCodings(head).acceptsAny, claim.take() else {
            return .prepared(answers.answer(to: head))
        }
        return handled { [self] head throws(PlatformError) in
            _ = await coding(answers, base, variant)
            return try await onWork(for: head) { () throws(PlatformError) in
                try currentResponse(base, query, to: head)
            }
        }
    }

    /// Handles the request in a task.
    private func handled(
        _ body: @escaping @Sendable (RequestHead) async throws(PlatformError) -> Response
    ) -> Disposition {
        .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in try await body(request.head) }
        }
    }

    /// Runs `body` on the deciding thread when it is the client's turn, or throws `busy` if too many requests wait.
    func onWork<Outcome: Sendable>(
        for head: RequestHead, _ body: @Sendable () throws(PlatformError) -> Outcome
    ) async throws(PlatformError) -> Outcome {
        let outcome = try await deciding.pass(as: head.client.customer) { () throws(PlatformError) in
            try await work.run(body)
        }
        guard let outcome else {
            throw PlatformError(.busy, "Too many devices wait for a decision: try again in a moment.")
        }
        return outcome
    }

    /// Compresses a document and returns the responses with its codings.
    ///
    /// If many documents wait to be compressed, returns the uncompressed responses; the codings follow later.
    private func coding(
        _ answers: ConfigAnswers, _ base: ClientBase, _ variant: ConfigVariant
    ) async -> ConfigAnswers {
        guard variant != .plain else { return await plainCoding.run { coded(answers, base, variant) } }
        let isAwaited = variantsCoding.withLock { count in
            count += 1
            return count <= Self.awaitedCodings
        }
        let task = Task {
            let codedAnswers = await variantCoding.run { coded(answers, base, variant) }
            variantsCoding.withLock { $0 -= 1 }
            return codedAnswers
        }
        return isAwaited ? await task.value : answers
    }

    /// Returns the response to one request.
    ///
    /// Clients share the bytes of a cached document. Any other document is charged to its client until all of it is sent.
    ///
    /// Throws `busy` if too many bytes are in flight.
    func response(
        _ answers: ConfigAnswers, _ base: ClientBase, _ variant: ConfigVariant, to head: RequestHead
    ) throws(PlatformError) -> Response {
        let response = answers.answer(to: head).response
        return isKept(answers, base, variant) ? response : try unshared.charge(response, for: head)
    }

    /// Returns whether the document will be cached once it is made.
    private func isToBeKept(_ base: ClientBase, _ variant: ConfigVariant, _ view: ChannelView) -> Bool {
        !variant.namesDownload && ready.withLock { $0[base]?.hasRoom(for: variant, in: view) ?? true }
    }

    /// Returns whether the document is cached, so that other clients get the same bytes.
    private func isKept(_ answers: ConfigAnswers, _ base: ClientBase, _ variant: ConfigVariant) -> Bool {
        kept(base, variant)?.content.etagName == answers.content.etagName
    }

    private func view(of base: ClientBase) throws(PlatformError) -> ChannelView {
        try services.live.requireApp(base.app).requireView(at: base)
    }

    /// Returns the current response to a device; makes its document if it is not cached.
    func currentResponse(
        _ base: ClientBase, _ query: DeviceQuery?, to head: RequestHead
    ) throws(PlatformError) -> Response {
        let (base, device, variant) = try decide(base, query)
        return try response(ready(base, variant, device.view) ?? made(base, variant, device), base, variant, to: head)
    }

    /// Returns the base, the view and the document variant of a device at this moment.
    func decide(
        _ base: ClientBase, _ query: DeviceQuery?, isSigned: Bool = false
    ) throws(PlatformError) -> (base: ClientBase, device: DeviceView, variant: ConfigVariant) {
        let view = try view(of: base)
        let base = base.plain(in: view)
        let device = DeviceView(view, facts: query?.facts ?? .none, at: services.clock.now())
        let plain = isSigned ? ConfigVariant.plain.signed : .plain
        return (base, device, query.map { variant(of: device, $0, base, isSigned: isSigned) } ?? plain)
    }

    /// Returns the device's query; `nil` if it carries no facts and requires no signature.
    private func query(of head: RequestHead, _ base: ClientBase) -> DeviceQuery? {
        guard head.hasQuery else { return nil }
        let query = DeviceQuery(head.query, of: base.app, by: services.cryptography)
        return query.isEmpty && !query.demandsSignature ? nil : query
    }

    /// Returns the responses made last, whether they are still valid or not.
    func kept(_ base: ClientBase, _ variant: ConfigVariant) -> ConfigAnswers? {
        ready.withLock { $0[base]?[variant] }
    }

    func ready(_ base: ClientBase, _ variant: ConfigVariant, _ view: ChannelView) -> ConfigAnswers? {
        kept(base, variant).flatMap { $0.isGood(for: view, at: services.clock.now()) ? $0 : nil }
    }

    /// Returns the variant of a device: with the patches that it can use, or with the planned ones for a full cache.
    func variant(
        of device: DeviceView, _ query: DeviceQuery, _ base: ClientBase, isSigned: Bool = false
    ) -> ConfigVariant {
        let unsigned = ConfigVariant(device, asking: query)
        let variant = isSigned ? unsigned.signed : unsigned
        let hasRoom = ready.withLock { $0[base]?.hasRoom(for: variant, in: device.view) ?? true }
        return hasRoom ? variant : variant.withPlannedPatches
    }

    private func made(_ base: ClientBase, _ variant: ConfigVariant, _ device: DeviceView) -> ConfigAnswers {
        let now = services.clock.now()
        let view = device.view
        let content = content(of: device, base, variant, after: kept(base, variant))
        return ready.withLock { ready in
            Self.forgetRetired(&ready, in: view)
            // Another request may have made the codings meanwhile.
            let held = ready[base]?[variant]?.content
            let made = ConfigAnswers(
                view: view, content: held?.etagName == content.etagName ? held ?? content : content,
                downloadAfter: device.downloadAfter, at: now)
            ready[base, default: ReadyConfigs()].keep(made, for: variant)
            return made
        }
    }

    /// Caches signed responses.
    func keep(_ made: ConfigAnswers, _ base: ClientBase, _ variant: ConfigVariant) {
        ready.withLock { ready in
            Self.forgetRetired(&ready, in: made.view)
            ready[base, default: ReadyConfigs()].keep(made, for: variant)
        }
    }

    /// Removes the responses of legacy keys that are no longer in use.
    private static func forgetRetired(_ ready: inout [ClientBase: ReadyConfigs], in view: ChannelView) {
        for other in ready.keys where other.app == view.app {
            if let key = other.legacyKey, !view.legacyKeys.contains(key) { ready[other] = nil }
        }
    }

    /// Returns the document of a view; reuses the previous content and its codings if the bytes are equal.
    func content(
        of device: DeviceView, _ base: ClientBase, _ variant: ConfigVariant, after last: ConfigAnswers?
    ) -> ConfigContent {
        let view = device.view
        if let last, last.view === view { return last.content }
        let (bytes, etagName) = fragments(of: view, base).document(
            for: device, patches: variant.patches, only: variant.only)
        if let last, last.content.etagName == etagName { return last.content }
        return ConfigContent(bytes, etagName: etagName)
    }

    private func fragments(of view: ChannelView, _ base: ClientBase) -> ConfigFragments {
        if let known = ready.withLock({ $0[base]?.fragments }), known.view === view { return known }
        let made = ConfigFragments(
            of: view, publicURL: publicURL, contentURL: contentURL,
            legacyKey: base.legacyKey ?? view.legacyKeys.first, by: services.cryptography)
        ready.withLock { $0[base, default: ReadyConfigs()].keep(made) }
        return made
    }

    /// Returns the responses with the codings of their document, and caches them if the document is still current.
    ///
    /// Blocks.
    private func coded(_ answers: ConfigAnswers, _ base: ClientBase, _ variant: ConfigVariant) -> ConfigAnswers {
        let body = CodedBody(
            answers.content.body.identity, by: services.compressor, effort: variant == .plain ? .best : .quick)
        let content = answers.content.with(body)
        let now = services.clock.now()
        return ready.withLock { ready in
            if let last = ready[base]?[variant], last.content.etagName == content.etagName {
                ready[base]?.keep(
                    ConfigAnswers(view: last.view, content: content, downloadAfter: last.downloadAfter, at: now),
                    for: variant)
            }
            return ConfigAnswers(view: answers.view, content: content, downloadAfter: answers.downloadAfter, at: now)
        }
    }
}

extension ChannelView {
    /// The number of packages with conditional releases up to which the event loop decides by itself.
    static let decidedOnLoop = 32

    var isDecidedQuickly: Bool { conditionalCount <= Self.decidedOnLoop }
}

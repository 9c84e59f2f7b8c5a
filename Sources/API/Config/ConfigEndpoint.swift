import Domain
import Execution
import Ground
import HTTP
import Platform

/// The endpoint `GET /config`, which responds on the event loop if the document is prepared.
///
/// The plain document is made on the loop; documents that are signed or for devices that send facts, on a thread of
/// their own.
final class ConfigEndpoint: Sendable {
    private let services: Services
    private let blobURL: PublicURL
    private let contentURL: PublicURL
    private let cache: ConfigCache
    private let coder: ConfigCoder
    private let cursorWaits: CursorWaits
    /// The pool that decides and makes documents.
    private let work: WorkExecutor
    /// The queue before `work`, which admits clients in turn.
    private let deciding = FairGate<PeerAddress>(width: 2, capacity: waitingForDecision)
    /// The budget of documents that are not cached.
    private let unshared: ResponseBudget

    /// The number of requests that may wait for `work`; past it, the busiest client's newest one gets `busy`.
    ///
    /// It equals the default limit of connections: all devices of a release may send a request at its start.
    static let waitingForDecision = 1 << 16

    /// - Parameter unshared: The budget of documents that no other client gets.
    init(services: Services, blobURL: PublicURL, contentURL: PublicURL, unshared: ResponseBudget) {
        self.services = services
        self.unshared = unshared
        self.blobURL = blobURL
        self.contentURL = contentURL
        cache = ConfigCache()
        cursorWaits = CursorWaits(services.live)
        coder = ConfigCoder(for: cache, services: services)
        work = services.pools.config
    }

    /// Decides a request; throws `appNotFound`, `channelNotFound`, `keyNotFound`, and `signingFailed` if a signature is
    /// required and no key can sign.
    ///
    /// The codings of a new document are made once, off the event loop: the first request that accepts one waits for
    /// it, and requests that arrive meanwhile get the document uncompressed.
    func respond(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let view = try view(of: base)
        let request = ConfigRequest(head, at: base.plain(in: view), by: services.deviceIDs)
        if let device = request.device { services.devicesSeen.note(device.facts, in: view) }
        if services.nodes != nil, let cursor = try cursorAhead(of: head, base) {
            return handle(request, afterChangesTo: cursor)
        }
        guard let signing = try ConfigSigning.known(for: request, services.keys),
            let responses = responsesOnLoop(to: request, in: view, signing)
        else { return handle(request) }
        guard let claim = responses.codingClaim, request.acceptsCoding, claim.take() else {
            return .prepared(responses.response(to: head))
        }
        return handle(request, afterCoding: responses)
    }

    /// Returns the responses to a request if the event loop can decide it and they are cached or quickly made.
    private func responsesOnLoop(
        to request: ConfigRequest, in view: ChannelView, _ signing: ConfigSigning
    ) -> ConfigResponses? {
        guard request.device == nil else {
            guard view.isDecidedQuickly else { return nil }
            let device = decide(request, in: view)
            return ready(key(of: device, request, at: request.base, signing), in: view, signing)
        }
        let key = ConfigCache.Key(base: request.base, variant: signing.plain)
        if let ready = ready(key, in: view, signing) { return ready }
        guard case .unsigned = signing else { return nil }
        return unsigned(for: DeviceView(view, facts: .none, at: view.instant), under: key)
    }

    /// Returns the cursor that a client sends if this server does not know its event yet.
    ///
    /// Another node has notified the client of it.
    private func cursorAhead(of head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Cursor? {
        guard head.hasQuery, let cursor = head.query["cursor"].flatMap({ Cursor($0) }) else { return nil }
        let log = try services.live.requireApp(at: base).log
        // No node is so far ahead: the cursor is invented, or the store has lost events.
        guard log.isBehind(cursor), cursor.sequence - log.sequence <= Int64(EventLog.capacity) else { return nil }
        return cursor
    }

    /// Decides and responds off the event loop.
    ///
    /// - Parameters:
    ///   - uncoded: Responses whose document is compressed first.
    ///   - cursor: The cursor whose event this server has to know first.
    private func handle(
        _ request: ConfigRequest, afterCoding uncoded: ConfigResponses? = nil, afterChangesTo cursor: Cursor? = nil
    ) -> Disposition {
        .handle(bodyLimit: 0) { [self] _ in
            let response = await readable(services.log) { () throws(PlatformError) in
                if let cursor { try await awaitChanges(upTo: cursor, for: request) }
                if let uncoded { _ = await coder.code(uncoded) }
                let signing = try await ConfigSigning.current(for: request, services.keys, services.log)
                let responses = try await onWork(for: request.head) { () throws(PlatformError) in
                    try currentResponses(to: request, signing)
                }
                // A document that is not cached would be compressed for every request; a request waits for one only.
                guard uncoded == nil, let claim = responses.codingClaim, cache.holds(responses), request.acceptsCoding,
                    claim.take()
                else { return try self.response(responses, to: request.head) }
                return try self.response(await coder.code(responses), to: request.head)
            }
            // The contact may have been lost in the wait.
            return cursor == nil ? response : aged(response)
        }
    }

    private func aged(_ response: Response) -> Response {
        guard let age = services.contact.snapshotAge else { return response }
        var aged = response
        aged.fields[.larderSnapshotAge] = String(age)
        return aged
    }

    /// Waits until this server knows the event of a cursor; throws `busy` if it does not in time.
    ///
    /// Returns as well if no wait would help: if the store does not have the event, and while the state may be outdated,
    /// which the response shows by its age.
    private func awaitChanges(upTo cursor: Cursor, for request: ConfigRequest) async throws(PlatformError) {
        let app = try services.live.requireApp(request.base.app)
        let isReached = await cursorWaits.reach(cursor, of: app, for: request.head.client.customer)
        guard isReached || services.contact.snapshotAge != nil else {
            throw PlatformError(.busy, "This server does not know the latest change yet. Try again in a moment.")
        }
    }

    /// Runs `body` on the deciding thread once the queue admits the client, or throws `busy` if too many requests wait.
    private func onWork<Outcome: Sendable>(
        for head: RequestHead, _ body: @Sendable () throws(PlatformError) -> Outcome
    ) async throws(PlatformError) -> Outcome {
        let outcome = try await deciding.pass(as: head.client.customer) { () throws(PlatformError) in
            try await work.run(body)
        }
        guard let outcome else {
            throw PlatformError(.busy, "Too many requests for /config are waiting. Try again in a moment.")
        }
        return outcome
    }

    /// Returns the response to one request.
    ///
    /// Clients share the bytes of a cached document. Any other document is charged to its client until all of it is
    /// sent.
    ///
    /// Throws `busy` if too many bytes are in flight.
    private func response(_ responses: ConfigResponses, to head: RequestHead) throws(PlatformError) -> Response {
        let response = responses.response(to: head).response
        return cache.holds(responses) ? response : try unshared.charge(response, for: head)
    }

    private func view(of base: ClientBase) throws(PlatformError) -> ChannelView {
        try services.live.requireApp(base.app).requireView(at: base)
    }

    // MARK: The document of a request

    /// Decides what a device gets, and requests the patches that it lacks.
    private func decide(_ request: ConfigRequest, in view: ChannelView) -> DeviceView {
        let facts = request.device?.facts ?? .none
        let device = DeviceView(view, facts: facts, at: services.clock.now())
        if let holdings = facts.holdings { services.requestedPatches.ask(for: holdings, in: device) }
        return device
    }

    /// Returns the key of a device's document: with the patches that it can use, or the planned ones for a full cache.
    private func key(
        of device: DeviceView, _ request: ConfigRequest, at base: ClientBase, _ signing: ConfigSigning
    ) -> ConfigCache.Key {
        guard let query = request.device else { return ConfigCache.Key(base: base, variant: signing.plain) }
        let unsigned = ConfigVariant(device, asking: query)
        let variant =
            switch signing {
            case .unsigned: unsigned
            case .signed: unsigned.signed
            }
        let key = ConfigCache.Key(base: base, variant: variant)
        guard !cache.hasRoom(for: key, in: device.view) else { return key }
        return ConfigCache.Key(base: base, variant: variant.withPlannedPatches)
    }

    private func ready(_ key: ConfigCache.Key, in view: ChannelView, _ signing: ConfigSigning) -> ConfigResponses? {
        cache[key].flatMap { $0.isValid(for: view, signing, at: services.clock.now()) ? $0 : nil }
    }

    /// Returns the responses that a request gets now and makes them if they are not cached; blocks its thread.
    ///
    /// A request with an optional signature gets unsigned responses if signing fails.
    private func currentResponses(
        to request: ConfigRequest, _ signing: ConfigSigning
    ) throws(PlatformError) -> ConfigResponses {
        // The view may have changed since the request was decided.
        let view = try view(of: request.base)
        let base = request.base.plain(in: view)
        let device = decide(request, in: view)
        let key = key(of: device, request, at: base, signing)
        if let ready = ready(key, in: view, signing) { return ready }
        // A response without a body is not charged.
        if !request.mayBeBodiless, key.variant.namesDownload || !cache.hasRoom(for: key, in: view) {
            try unshared.requireRoom(for: request.head.client)
        }
        guard case .signed(let signer) = signing else { return unsigned(for: device, under: key) }
        do throws(PlatformError) { return try signed(by: signer, for: device, under: key) } catch {
            guard request.signature == .optional else { throw error }
            ConfigSigning.logFailure(error, to: services.log)
            return try currentResponses(to: request, .unsigned)
        }
    }

    // MARK: Making responses

    private func unsigned(for device: DeviceView, under key: ConfigCache.Key) -> ConfigResponses {
        make(content(of: device, key, after: cache[key]), nil, for: device, under: key, at: services.clock.now())
    }

    private func signed(
        by signer: ResponseSigner, for device: DeviceView, under key: ConfigCache.Key
    ) throws(PlatformError) -> ConfigResponses {
        let now = services.clock.now()
        let last = cache[key]
        let content = content(of: device, key, after: last)
        if let known = last?.signatures,
            known.isValid(for: device.view, content.etagName, keyRevision: signer.revision, at: now)
        {
            // A nearer boundary changes the unsigned headers only, so the signatures are kept.
            return make(content, known, for: device, under: key, at: now)
        }
        let signatures = try ResponseSignatures(device.view, content, at: now, by: signer, services.cryptography)
        return make(content, signatures, for: device, under: key, at: now)
    }

    private func make(
        _ content: ConfigContent, _ signatures: ResponseSignatures?, for device: DeviceView,
        under key: ConfigCache.Key, at now: Timestamp
    ) -> ConfigResponses {
        cache.keep(content, under: key, in: device.view) { content in
            ConfigResponses(
                key, view: device.view, content: content, signatures: signatures,
                downloadAfter: device.downloadAfter, at: now)
        }
    }

    /// Returns the document of a view; reuses the previous content and its codings if the bytes are equal.
    private func content(
        of device: DeviceView, _ key: ConfigCache.Key, after last: ConfigResponses?
    ) -> ConfigContent {
        let view = device.view
        if let last, last.view === view { return last.content }
        let fragments = cache.fragments(of: view, at: key.base) {
            ConfigFragments(
                of: view, blobURL: blobURL, contentURL: contentURL,
                legacyKey: key.base.legacyKey ?? view.legacyKeys.first, by: services.cryptography)
        }
        let (bytes, etagName) = fragments.document(
            for: device, patches: key.variant.patches, only: key.variant.only)
        if let last, last.content.etagName == etagName { return last.content }
        return ConfigContent(bytes, etagName: etagName)
    }
}

extension ConfigSigning {
    /// The variant of the document for requests without device facts.
    fileprivate var plain: ConfigVariant {
        switch self {
        case .unsigned: .plain
        case .signed: .plain.signed
        }
    }
}

extension ChannelView {
    /// The number of packages with conditional releases up to which the event loop decides by itself.
    static let decidedOnLoop = 32

    var isDecidedQuickly: Bool { conditionalCount <= Self.decidedOnLoop }
}

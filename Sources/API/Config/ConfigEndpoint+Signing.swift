import Domain
import Execution
import HTTP
import Platform

extension ConfigEndpoint {
    /// Decides a request for a signed response; returns `nil` if signing is impossible and the signature is optional.
    ///
    /// A request with an optional signature gets an unsigned response if signing fails.
    ///
    /// Throws `signingFailed` if the private halves of all signing keys are external: a device's request never makes
    /// the server run a command (decision 0028).
    func signed(
        _ head: RequestHead, _ base: ClientBase, _ view: ChannelView, _ query: DeviceQuery?, _ wish: SignatureWish
    ) throws(PlatformError) -> Disposition? {
        let query = query.flatMap { $0.isEmpty ? nil : $0 }
        if let signer = services.keys.knownAnswerSigner(of: base.app) {
            guard !signer.keyIDs.isEmpty else {
                guard wish == .demanded else { return nil }
                throw Self.noKeyHere(base.app)
            }
            if let answers = readySigned(base, view, query, signer) { return .prepared(answers.answer(to: head)) }
        }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                let signer = try await self.signer(of: base.app, wish)
                return try await onWork(for: request.head) { () throws(PlatformError) in
                    try response(base, query, by: signer, wish, to: request.head)
                }
            }
        }
    }

    /// Returns the signer of an app; `nil` if no key can sign and the signature is optional.
    private func signer(of app: AppID, _ wish: SignatureWish) async throws(PlatformError) -> AnswerSigner? {
        do throws(PlatformError) {
            let signer = try await services.keys.answerSigner(of: app)
            if !signer.keyIDs.isEmpty { return signer }
        } catch {
            guard wish != .demanded else { throw error }
            tell(error)
            return nil
        }
        guard wish != .demanded else { throw Self.noKeyHere(app) }
        return nil
    }

    /// Returns a signed response, or an unsigned one if signing fails and the signature is optional; blocks briefly.
    private func response(
        _ base: ClientBase, _ query: DeviceQuery?, by signer: AnswerSigner?, _ wish: SignatureWish, to head: RequestHead
    ) throws(PlatformError) -> Response {
        guard let signer else { return try currentResponse(base, query, to: head) }
        let made: (answers: ConfigAnswers, base: ClientBase, variant: ConfigVariant)
        do throws(PlatformError) { made = try signed(base, query, by: signer) } catch {
            guard wish != .demanded else { throw error }
            tell(error)
            return try currentResponse(base, query, to: head)
        }
        return try response(made.answers, made.base, made.variant, to: head)
    }

    /// Logs a signing failure, which the device does not learn of.
    private func tell(_ error: PlatformError) {
        services.log.write("config.unsigned", ["code": error.code.rawValue, "cause": error.cause ?? error.message])
    }

    private static func noKeyHere(_ app: AppID) -> PlatformError {
        PlatformError(
            .signingFailed,
            "The private halves of all signing keys of '\(app)' are outside, and answers are signed by the server alone: have it "
                + "make a key of its own, or ask without signed=1.")
    }

    /// Returns a prepared signed response, on the event loop.
    private func readySigned(
        _ base: ClientBase, _ view: ChannelView, _ query: DeviceQuery?, _ signer: AnswerSigner
    ) -> ConfigAnswers? {
        guard let query else { return readySigned(base, .plain.signed, view, signer) }
        guard view.isDecidedQuickly else { return nil }
        let device = DeviceView(view, facts: query.facts, at: services.clock.now())
        if let holdings = query.facts.holdings { services.demandedPatches.ask(for: holdings, in: device) }
        return readySigned(base, variant(of: device, query, base, isSigned: true), view, signer)
    }

    private func readySigned(
        _ base: ClientBase, _ variant: ConfigVariant, _ view: ChannelView, _ signer: AnswerSigner
    ) -> ConfigAnswers? {
        guard let answers = ready(base, variant, view), let heading = answers.heading,
            heading.isGood(keyRevision: signer.revision, at: services.clock.now())
        else { return nil }
        return answers
    }

    /// Returns the current signed response to a device and signs it if it is not prepared; blocks for a moment.
    private func signed(
        _ base: ClientBase, _ query: DeviceQuery?, by signer: AnswerSigner
    ) throws(PlatformError) -> (answers: ConfigAnswers, base: ClientBase, variant: ConfigVariant) {
        let (base, device, variant) = try decide(base, query, isSigned: true)
        let view = device.view
        if let holdings = query?.facts.holdings { services.demandedPatches.ask(for: holdings, in: device) }
        if let answers = readySigned(base, variant, view, signer) { return (answers, base, variant) }
        let now = services.clock.now()
        let last = kept(base, variant)
        let content = content(of: device, base, variant, after: last)
        let heading: SignedHeading
        if let known = last?.heading,
            known.isGood(for: view, content.etagName, keyRevision: signer.revision, at: now)
        {
            // A nearer boundary changes the unsigned headers only, so the signature is kept.
            heading = known
        } else {
            heading = try SignedHeading(view, content, at: now, by: signer, services.cryptography)
        }
        let made = ConfigAnswers(
            view: view, content: content, heading: heading, downloadAfter: device.downloadAfter, at: now)
        keep(made, base, variant)
        return (made, base, variant)
    }
}

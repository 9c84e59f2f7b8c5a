import Domain
import HTTP
import Platform
import Synchronization

/// `GET /keys.json`: the signed key document (semantics.md §6), from ready-made bytes while it is good.
///
/// Every device that is woken asks for it before it trusts what it is offered.
final class KeysEndpoint: Sendable {
    private struct Answer {
        let good: Range<Timestamp>
        let etag: [UInt8]
        let full: Form
        let notModified: Form

        func form(for head: RequestHead) -> Form {
            head.matchesETag(etag) ? notModified : full
        }
    }

    /// One answer, to be sent from a task and from the event loop.
    private struct Form {
        let response: Response
        let prepared: PreparedResponse

        init(_ status: Status, fields: Fields, body: [UInt8] = []) {
            response = Response(status, fields: fields, body: body.isEmpty ? .empty : .bytes(body))
            prepared = PreparedResponse(status, fields: fields, body: body)
        }
    }

    private let services: Services
    private let answers = Mutex<[AppID: Answer]>([:])

    init(services: Services) {
        self.services = services
    }

    /// Throws `appNotFound`, `channelNotFound`.
    func answer(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let app = try services.live.requireApp(at: base).id
        if let answer = answers.withLock({ $0[app] }), answer.good.contains(services.clock.now()) {
            return .prepared(answer.form(for: head).prepared)
        }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                try await self.makeAnswer(of: app).form(for: request.head).response
            }
        }
    }

    private func makeAnswer(of app: AppID) async throws(PlatformError) -> Answer {
        let signed = try await services.keys.document(of: app)
        let body = JSON.object([
            "signed": .string(Base64.encode(signed.document)),
            "signatures": .array([
                .object(["keyId": .string(signed.keyID.text), "value": .string(Base64.encode(signed.signature))])
            ]),
        ]).bytes()
        let etag = "\"\(services.cryptography.sha256(body).hex.prefix(32))\""
        var fields: Fields = [.etag: etag, .cacheControl: "no-cache"]
        CORS.add(to: &fields)
        let notModified = Form(.notModified, fields: fields)
        fields[.contentType] = "application/json"
        let renewal = signed.issuedAt.adding(milliseconds: KeyDocument.renewalMilliseconds)
        let answer = Answer(
            good: signed.issuedAt..<renewal, etag: Array(etag.utf8),
            full: Form(.ok, fields: fields, body: body), notModified: notModified)
        answers.withLock { $0[app] = answer }
        return answer
    }
}

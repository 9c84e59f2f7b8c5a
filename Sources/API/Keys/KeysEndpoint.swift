import Domain
import Execution
import Ground
import HTTP
import Platform
import Synchronization

/// The endpoint `GET /keys.json`: the signed key document (semantics.md §6), from prepared bytes.
///
/// Every device that is woken fetches it before it trusts an offer.
final class KeysEndpoint: Sendable {
    private struct Document {
        /// The revision of the app's keys.
        let revision: Int
        let good: Range<Timestamp>
        let resource: PreparedResource
    }

    /// The time for which a document that could not be renewed is served before the next attempt.
    private static let retryMilliseconds: Int64 = 60_000

    private let services: Services
    private let documents = Mutex<[AppID: Document]>([:])

    init(services: Services) {
        self.services = services
    }

    /// Decides a request; throws `appNotFound`, `channelNotFound`.
    func respond(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let app = try services.live.requireApp(at: base).id
        if let document = documents.withLock({ $0[app] }), document.revision == services.keys.revision(of: app),
            document.good.contains(services.clock.now())
        {
            return .prepared(document.resource.respond(to: head))
        }
        return .handle(bodyLimit: 0) { [self] request in
            await readable(services.log) { () throws(PlatformError) in
                try await self.makeDocument(of: app).resource.respond(to: request.head).response
            }
        }
    }

    private func makeDocument(of app: AppID) async throws(PlatformError) -> Document {
        // The revision is read before the document: a newer document is then read once more, and an older one is never
        // cached.
        let revision = services.keys.revision(of: app)
        let signed = try await services.keys.document(of: app)
        let body = signed.publicJSON.bytes()
        var fields: Fields = [.contentType: "application/json", .cacheControl: "no-cache"]
        CORS.add(to: &fields)
        let coded = await services.work.run { CodedBody(body, by: services.compressor) }
        let document = Document(
            revision: revision, good: Self.good(signed, at: services.clock.now()),
            resource: PreparedResource(coded, etagName: services.cryptography.etagName(of: body), fields: fields))
        documents.withLock { $0[app] = document }
        return document
    }

    /// Returns the period in which a document is served without reading it again.
    ///
    /// The period ends when the document is due for renewal; if renewal has failed, after a short time or at its
    /// expiry.
    private static func good(_ signed: SignedKeyDocument, at now: Timestamp) -> Range<Timestamp> {
        let fresh = signed.issuedAt..<signed.issuedAt.adding(milliseconds: KeyDocument.renewalMilliseconds)
        guard !fresh.contains(now) else { return fresh }
        let end = min(now.adding(milliseconds: retryMilliseconds), signed.expiresAt)
        return now..<max(now, end)
    }
}

import Domain
import Ground
import HTTP
import Platform

/// The endpoint `GET /permissions`, which signs the native APIs of a page outside packages (semantics.md §6).
struct PermissionsEndpoint: Sendable {
    let services: Services

    /// Decides a request.
    ///
    /// Throws `appNotFound`, `channelNotFound`, `keyNotFound`, and `invalidRequest` for a query without a valid page
    /// URL and nonce.
    func respond(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let view = try services.live.requireApp(base.app).requireView(at: base)
        let query = head.query
        let page = try Self.page(query["url"])
        guard let nonce = query["nonce"].flatMap({ GrantNonce($0) }) else {
            throw JSONReader.wrong("nonce", GrantNonce.shape)
        }
        let appVersion = query["appVersion"]
        return .handle(bodyLimit: 0) { _ in
            await readable(services.log) { () throws(PlatformError) in
                let outcome = try await services.grants.issue(to: page, nonce: nonce, appVersion: appVersion, in: view)
                return .json(.ok, Self.json(outcome))
            }
        }
    }

    private static func page(_ text: String?) throws(PlatformError) -> PageURL {
        guard let text else {
            throw JSONReader.wrong("url", "the URL of the page, percent-encoded: ?url=https%3A%2F%2F…&nonce=…")
        }
        do throws(PageFault) { return try PageURL(text) } catch {
            throw PlatformError(.invalidRequest, "'url' \(error.message)")
        }
    }

    private static func json(_ outcome: GrantIssuer.Outcome) -> JSON {
        let grant = outcome.grant
        return .object([
            "app": .string(grant.app.text), "url": .string("\(grant.page)"), "nonce": .string(grant.nonce.text),
            "issued": .integer(grant.issued), "expires": .integer(grant.expires),
            "apis": .array(grant.apis.map { .string($0) }),
            "lacking": outcome.lacking.map { .array($0.map { .string($0) }) },
            "signatures": outcome.signatures.json,
        ])
    }
}

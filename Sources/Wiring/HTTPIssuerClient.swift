package import Domain
package import HTTP
import Transport

/// The client for issuers by that for outgoing HTTP, without a proxy, like that of webhooks.
package struct HTTPIssuerClient: IssuerClient {
    /// The time limit of a request.
    private static let timeLimit: Duration = .seconds(10)
    /// The limit on the bytes of a document.
    private static let bodyLimit = 256 << 10

    private let policy: AddressPolicy
    private let client: HTTPClient

    /// - Parameters:
    ///   - networks: The networks to which requests may go although they are not public.
    ///   - authorities: A PEM file of certificates to trust; `nil` for those of the system.
    package init(permitting networks: [AddressRange] = [], authorities: String? = nil) {
        policy = AddressPolicy(alsoPermitting: networks)
        client = HTTPClient(
            timeouts: TransportTimeouts(connect: .seconds(5), response: Self.timeLimit, idle: Self.timeLimit),
            authorities: authorities, keptHandles: 0, addresses: policy)
    }

    package func requireUsable(_ url: String) throws(PlatformError) {
        let parsed: HTTPURL
        do throws(TransportError) { parsed = try HTTPURL(url) } catch {
            throw PlatformError(
                .invalidRequest,
                "'issuer' must be an absolute https:// URL in ASCII, without user, password and fragment.")
        }
        guard let address = PeerAddress(parsed.host) else {
            guard parsed.isSecure else {
                throw PlatformError(
                    .invalidRequest,
                    "'issuer' must be an https:// URL: over http:// the network could replace the keys of the issuer.")
            }
            return
        }
        if policy.permits(address), parsed.isSecure || !AddressPolicy().permits(address) { return }
        throw PlatformError(
            .invalidRequest,
            "'issuer' has the address \(address), which is not public, or it is public and the URL is not https://. To permit a "
                + "private network, start the server with --webhook-networks.")
    }

    package func document(at url: String, token: String?) throws(PlatformError) -> [UInt8] {
        var fields: Fields = [.accept: "application/json"]
        if let token { fields[.authorization] = "Bearer \(token)" }
        let response = try response(.get, url, fields)
        guard response.head.status == 200 else { throw Self.failure(url, "status \(response.head.status)") }
        return response.body
    }

    package func send(
        _ form: String, to url: String, authorization: String?
    ) throws(PlatformError) -> (status: Int, body: [UInt8]) {
        var fields: Fields = [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"]
        if let authorization { fields[.authorization] = authorization }
        let response = try response(.post, url, fields, .bytes(Array(form.utf8)))
        return (response.head.status, response.body)
    }

    private func response(
        _ method: HTTP.Method, _ url: String, _ fields: Fields, _ body: ClientRequest.Body = .none
    ) throws(PlatformError) -> ClientResponse {
        do throws(TransportError) {
            var request = ClientRequest(method, try HTTPURL(url), fields: fields, body: body)
            request.timeLimit = Self.timeLimit
            return try client.send(request, bodyLimit: Self.bodyLimit)
        } catch {
            throw Self.failure(url, error.description)
        }
    }

    private static func failure(_ url: String, _ cause: String) -> PlatformError {
        PlatformError(
            .busy, "The issuer of the identity token does not respond. Try again in a minute.",
            cause: "\(url): \(cause)",
            retryAfter: 60)
    }
}

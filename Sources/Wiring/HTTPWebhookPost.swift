package import Domain
package import HTTP
import Transport

/// The sender of webhook requests by the client for outgoing HTTP.
///
/// It uses no proxy: a proxy would resolve the name itself, and no address could be checked.
package struct HTTPWebhookPost: WebhookPost {
    /// The time limit of an attempt.
    package static let standardTimeLimit: Duration = .seconds(15)
    /// The limit on the bytes of a response's body that are read.
    private static let bodyLimit = 64 << 10

    private let policy: AddressPolicy
    private let client: HTTPClient
    private let timeLimit: Duration

    /// - Parameters:
    ///   - networks: The networks to which requests may go although they are not public.
    ///   - timeLimit: The time limit of an attempt.
    ///   - authorities: A PEM file of certificates to trust; `nil` for those of the system.
    package init(
        permitting networks: [AddressRange] = [], timeLimit: Duration = standardTimeLimit, authorities: String? = nil
    ) {
        policy = AddressPolicy(alsoPermitting: networks)
        // Without kept connections, each attempt resolves the name and checks the address.
        client = HTTPClient(
            timeouts: TransportTimeouts(connect: .seconds(5), response: timeLimit, idle: timeLimit),
            authorities: authorities, keptHandles: 0, addresses: policy)
        self.timeLimit = timeLimit
    }

    package func requireUsable(_ url: String) throws(PlatformError) {
        let host: String
        do throws(TransportError) { host = try HTTPURL(url).host } catch {
            // The message of the transport would repeat the URL, which may contain a secret.
            throw PlatformError(
                .invalidRequest,
                "'url' must be an absolute http:// or https:// URL in ASCII, without user, password and fragment.")
        }
        guard let address = PeerAddress(host), !policy.permits(address) else { return }
        throw PlatformError(
            .invalidRequest,
            "'url' has the address \(address), which is not public. To permit its network, start the server with "
                + "--webhook-networks.")
    }

    package func send(_ request: WebhookRequest, isAbandoned: @escaping @Sendable () -> Bool) -> WebhookReply? {
        do throws(TransportError) {
            return try exchange(request, isAbandoned)
        } catch {
            switch error {
            case .abandoned: return nil
            case .forbiddenAddress(let host, let address):
                return .forbidden("'\(host)' has the address \(address), which is not public (--webhook-networks)")
            // The message of the transport would repeat the URL, which may contain a secret.
            case .invalidURL: return .failure("the URL is invalid")
            // The message of the transport advises an option of other commands.
            case .untrusted(let peer, let reason):
                return .failure("the certificate of \(peer) is not trusted by this system: \(reason)")
            default: return .failure(error.description)
            }
        }
    }

    private func exchange(
        _ request: WebhookRequest, _ isAbandoned: @escaping @Sendable () -> Bool
    ) throws(TransportError) -> WebhookReply {
        var fields: Fields = [.contentType: "application/json; charset=utf-8"]
        for (name, value) in request.fields.sorted(by: { $0.key < $1.key }) { fields[FieldName(name)] = value }
        var message = ClientRequest(.post, try HTTPURL(request.url), fields: fields, body: .bytes(request.body))
        message.timeLimit = timeLimit
        message.isAbandoned = isAbandoned
        message.sufficientBody = request.readsResponse ? Self.bodyLimit : 0
        var body: [UInt8] = []
        let head = try client.exchange(message) { _, piece throws(TransportError) in
            body += piece.prefix(Self.bodyLimit - body.count)
        }
        let retryAfter = head.fields[.retryAfter].flatMap { Int($0) }
        return .response(status: head.status, retryAfter: retryAfter, body: body)
    }
}

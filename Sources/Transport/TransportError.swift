package import Files
package import HTTP

/// The failure of an HTTP exchange, described for the user of the command line.
package enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    case invalidURL(String)
    case unsupportedScheme(String)
    /// The trusted certificates cannot be read.
    case unusableTrust(reason: String)
    /// The peer did not prove that it is the host of the URL.
    case untrusted(peer: String, reason: String)
    /// The host name has no address.
    case unresolved(host: String, reason: String)
    /// No address of the host accepted the connection.
    case unreachable(peer: String, reason: String)
    /// The policy permits none of the host's addresses; this one was tried last.
    case forbiddenAddress(host: String, address: PeerAddress)
    /// The caller did not wait for the end (``ClientRequest/isAbandoned``).
    case abandoned
    /// The proxy cannot be used.
    ///
    /// `proxy` is its URL without credentials, here and below.
    case proxyFailed(proxy: String, reason: String)
    /// The proxy responded with a status of its own instead of the server.
    case proxyRefused(proxy: String, status: Int)
    case timedOut(peer: String, doing: String)
    /// The connection ended before the response did.
    case connectionEnded(peer: String, reason: String)
    /// The peer does not follow RFC 9112 or RFC 9113.
    case malformedResponse(String)
    case responseTooLarge(limit: Int)
    /// A local file cannot be read or written.
    case localFile(SystemError)

    package var description: String {
        switch self {
        case .invalidURL(let text):
            "'\(text)' is not a valid URL. Write it as http://HOST[:PORT][/PATH] or https://…"
        case .unsupportedScheme(let scheme):
            "The scheme \(scheme):// is not supported. Use http:// or https://."
        case .unusableTrust(let reason): "The certificates to trust cannot be read: \(reason)."
        case .untrusted(let peer, let reason):
            "The certificate of \(peer) is not trusted: \(reason). If it is the right server, give the certificate of its "
                + "authority as --ca-file."
        case .unresolved(let host, let reason): "The host '\(host)' cannot be found: \(reason)."
        case .unreachable(let peer, let reason): "The connection to \(peer) failed: \(reason)."
        case .forbiddenAddress(let host, let address):
            "The host '\(host)' has the address \(address), which is not public and is not permitted."
        case .abandoned: "The exchange was abandoned."
        case .proxyFailed(let proxy, let reason): "The proxy \(proxy) cannot be used: \(reason)."
        case .proxyRefused(let proxy, 407):
            "The proxy \(proxy) refuses the request (407): it requires other credentials. Write them into its URL as "
                + "http://USER:PASSWORD@HOST:PORT."
        case .proxyRefused(let proxy, let status):
            "The proxy \(proxy) refuses the request or cannot reach the server (\(status)). If the server is to be reached "
                + "directly, add its host to NO_PROXY."
        case .timedOut(let peer, let doing): "\(peer) did not respond in time (\(doing))."
        case .connectionEnded(let peer, let reason): "The connection to \(peer) ended early: \(reason)."
        case .malformedResponse(let what): "The response is not valid HTTP: \(what)."
        case .responseTooLarge(let limit): "The response is larger than the limit of \(limit) bytes."
        case .localFile(let error): error.description
        }
    }
}

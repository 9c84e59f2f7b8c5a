import CCurl

/// A failure code of libcurl with the facts that explain it.
struct CurlFailure: Error {
    let code: CURLcode
    /// The message of libcurl.
    var text: String
    /// The message of the system, if a system call failed.
    var systemError: String?
    /// The status of a proxy's response to `CONNECT`; 0 if there was none.
    var tunnelStatus = 0
    /// Whether the TCP connection was established.
    var isConnected = false
    /// Whether the rejected certificate is a proxy's.
    var distrustsProxy = false

    init(_ code: CURLcode) {
        self.code = code
        text = String(cString: curl_easy_strerror(code))
    }
}

extension TransportError {
    /// Creates the error for libcurl's code; the only such table.
    init(_ failure: CurlFailure, _ exchange: CurlExchange, authorities: String?) {
        let url = exchange.request.url
        let peer = url.authority
        let proxy = exchange.proxy?.name
        if let proxy, failure.tunnelStatus != 0, !(200..<300).contains(failure.tunnelStatus) {
            self = .proxyRefused(proxy: proxy, status: failure.tunnelStatus)
            return
        }
        if failure.code == CURLE_COULDNT_CONNECT, let address = exchange.refusedAddress {
            self = .forbiddenAddress(host: url.host, address: address)
            return
        }
        self =
            switch failure.code {
            case CURLE_URL_MALFORMAT: .invalidURL(url.description)
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
                .proxyFailed(proxy: proxy ?? "of the environment", reason: failure.text)
            case CURLE_COULDNT_RESOLVE_HOST: .unresolved(host: url.host, reason: "the name does not resolve")
            case CURLE_COULDNT_CONNECT:
                if let proxy = exchange.proxy, failure.text.contains(" \(proxy.address) ") {
                    .unreachable(peer: peer, reason: "\(failure.text) (the proxy is \(proxy.name))")
                } else {
                    .unreachable(peer: peer, reason: failure.systemError ?? failure.text)
                }
            case CURLE_OPERATION_TIMEDOUT where proxy != nil: .timedOut(peer: peer, doing: failure.text)
            case CURLE_OPERATION_TIMEDOUT:
                .timedOut(peer: peer, doing: failure.isConnected && url.isSecure ? "agreeing on TLS" : "connecting")
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
                .untrusted(peer: failure.distrustsProxy ? proxy ?? peer : peer, reason: failure.certificateReason)
            case CURLE_SSL_CACERT_BADFILE:
                authorities == nil
                    ? .untrusted(peer: peer, reason: "this system has no certificates of authorities")
                    : .unusableTrust(reason: failure.text)
            case CURLE_SSL_CONNECT_ERROR:
                .connectionEnded(peer: peer, reason: "TLS cannot begin: \(failure.text)")
            case CURLE_GOT_NOTHING:
                .connectionEnded(peer: peer, reason: "it was closed before the end of the response")
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
                .malformedResponse(failure.text)
            default: .connectionEnded(peer: peer, reason: failure.text)
            }
    }
}

extension CurlFailure {
    /// The reason why a certificate is rejected, without libcurl's prefix.
    fileprivate var certificateReason: String {
        let prefix = ["SSL certificate problem: ", "SSL: "].first { text.hasPrefix($0) } ?? ""
        return String(text.dropFirst(prefix.count))
    }
}

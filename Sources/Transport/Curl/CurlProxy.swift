import CCurl

/// A proxy with its credentials separate from its URL, so that no message of libcurl can contain them.
struct CurlProxy {
    /// The URL without credentials.
    let name: String
    /// The host and the port as libcurl's messages name them, which tell a failed proxy from a failed server: libcurl
    /// alone decides whether `NO_PROXY` excepts the server.
    let address: String
    let user: String?
    let password: String?
    /// Whether the connection to the proxy uses TLS.
    let isSecure: Bool

    /// The kinds of proxies that libcurl supports.
    private static let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Splits the URL of a proxy with libcurl's parser.
    ///
    /// Throws `proxyFailed`, without the text of the URL.
    init(_ text: String) throws(TransportError) {
        guard let url = curl_url() else { preconditionFailure("libcurl cannot be set up: out of memory") }
        defer { curl_url_cleanup(url) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME)
        guard curl_url_set(url, CURLUPART_URL, text, flags) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: url), Self.schemes.contains(scheme),
            // They may be a password with an unescaped '/', '?' or '#'.
            [nil, "/"].contains(Self.part(CURLUPART_PATH, of: url)),
            Self.part(CURLUPART_QUERY, of: url) == nil, Self.part(CURLUPART_FRAGMENT, of: url) == nil
        else { throw Self.unusable }
        isSecure = scheme == "https"
        let host = (Self.part(CURLUPART_HOST, of: url) ?? "").drop { $0 == "[" }.prefix { $0 != "]" }
        address = "\(host) port \(Self.part(CURLUPART_PORT, of: url) ?? (isSecure ? "443" : "1080"))"
        user = Self.part(CURLUPART_USER, of: url)
        password = Self.part(CURLUPART_PASSWORD, of: url)
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS] { curl_url_set(url, part, nil, 0) }
        guard var name = Self.part(CURLUPART_URL, of: url) else { throw Self.unusable }
        if name.hasSuffix("/") { name.removeLast() }
        self.name = name
    }

    private static let unusable = TransportError.proxyFailed(
        proxy: "of the environment",
        reason: "its URL is malformed, has a path, or is not one of \(schemes.sorted().joined(separator: ", ")). "
            + "Percent-encode '/', '?' and '#' in its credentials as %2F, %3F and %23")

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let flags = part == CURLUPART_URL ? 0 : UInt32(CURLU_URLDECODE)
        guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// The proxies of requests, as named by the environment variables that libcurl and most programs use.
package struct ProxySettings: Sendable {
    /// The URLs of the proxies for `http://` and `https://`, including credentials.
    private let plain: String?
    private let secure: String?
    /// The hosts to connect to directly: the value of `NO_PROXY`.
    let exceptions: String

    /// The settings without proxies.
    package static let none = ProxySettings(environment: [:])

    /// Reads `http_proxy`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`; lower-case names take precedence, empty values
    /// are ignored.
    ///
    /// `HTTP_PROXY` is ignored, like in libcurl: under CGI, the field `Proxy` of a request sets it.
    package init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        plain = value("http_proxy", "all_proxy", "ALL_PROXY")
        secure = value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = value("no_proxy", "NO_PROXY") ?? ""
    }

    /// Returns the URL of the proxy for a URL, including credentials; `nil` for this machine.
    ///
    /// A request to `127.0.0.1` without TLS would show its token to the proxy, and reach the proxy's own machine.
    package func proxy(for url: HTTPURL) -> String? { url.isLoopback ? nil : url.isSecure ? secure : plain }
}

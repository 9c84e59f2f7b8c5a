/// The proxies that requests go through, as the environment names them for libcurl and for most other programs.
package struct ProxySettings: Sendable {
    /// The URLs of the proxies for `http://` and `https://`, credentials included.
    private let plain: String?
    private let secure: String?
    /// The hosts that are reached directly: the value of `NO_PROXY`.
    let exceptions: String

    /// No proxies.
    package static let none = ProxySettings(environment: [:])

    /// Reads `http_proxy`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`; the names in lower case win, and empty values count
    /// as absent.
    ///
    /// `HTTP_PROXY` is ignored, as in libcurl: under CGI a request's field `Proxy` sets it.
    package init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        plain = value("http_proxy", "all_proxy", "ALL_PROXY")
        secure = value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = value("no_proxy", "NO_PROXY") ?? ""
    }

    /// The URL of the proxy for the scheme of a URL, credentials included.
    package func proxy(for url: HTTPURL) -> String? { url.isSecure ? secure : plain }
}

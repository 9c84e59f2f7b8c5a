import Domain
import Ground
import HTTP

/// The cookie of an attempt to sign in by a provider, which the redirect from the provider's site sends (decision 0087).
enum SignInCookie {
    static let name = "__Host-larder-sign-in"
    private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Lax"

    /// Returns the secret in a request's cookies; `nil` without one.
    static func secret(of head: RequestHead) -> String? { head.cookie(name) }

    /// Returns the value of `Set-Cookie` that begins an attempt.
    static func beginning(_ secret: String) -> String {
        "\(name)=\(secret); Max-Age=\(SignInAttempt.lifetimeMilliseconds / 1000); \(attributes)"
    }

    /// The value of `Set-Cookie` that removes the cookie.
    static let ending = "\(name)=; Max-Age=0; \(attributes)"
}

extension RequestHead {
    /// Returns the value of a cookie; `nil` without one.
    fileprivate func cookie(_ name: String) -> String? {
        self[.cookie]?.split(separator: ";").lazy.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return String(parts[1])
        }.first
    }
}

/// The cookie of a session (decision 0080).
enum SessionCookie {
    /// The prefix makes browsers accept it only with `Secure`, `Path=/` and without `Domain`.
    static let name = "__Host-larder-session"
    private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Strict"

    /// Returns the secret in a request's cookies; `nil` without one.
    static func secret(of head: RequestHead) -> String? {
        head.cookie(name)
    }

    /// Returns the value of `Set-Cookie` that begins a session.
    static func beginning(_ secret: String) -> String {
        "\(name)=\(secret); Max-Age=\(Session.Lifetime.browser.longestMilliseconds / 1000); \(attributes)"
    }

    /// The value of `Set-Cookie` that removes the cookie.
    static let ending = "\(name)=; Max-Age=0; \(attributes)"

    /// Throws `crossSiteRequest` unless a change by cookie comes from a page of this server.
    ///
    /// Browsers send at least one of the fields with every change. `SameSite` alone also lets in other hosts of the site.
    static func requireOwnPage(_ head: RequestHead, at url: PublicURL) throws(PlatformError) {
        guard head.method != .get, head.method != .head, head[.secFetchSite] != "same-origin" else { return }
        guard head[.secFetchSite] == nil, let origin = head[.origin], isOwn(origin, head, url) else { throw refusal }
    }

    /// Throws `crossSiteRequest` for a request to sign in that comes from a page of another site.
    ///
    /// Programs send neither field.
    static func refuseOtherPages(_ head: RequestHead, at url: PublicURL) throws(PlatformError) {
        if let site = head[.secFetchSite], site != "same-origin", site != "none" { throw refusal }
        if let origin = head[.origin], !isOwn(origin, head, url) { throw refusal }
    }

    /// Returns whether an origin is the server's: that of its public URL, or the host that the request names.
    ///
    /// If the public URL is `https`, a plain page of the host, which anybody in between can forge, is another origin.
    private static func isOwn(_ origin: String, _ head: RequestHead, _ url: PublicURL) -> Bool {
        let (scheme, rest) = (url.text.prefix { $0 != ":" }, url.text.drop { $0 != ":" }.dropFirst(3))
        if origin.lowercased() == "\(scheme)://\(rest.prefix { $0 != "/" })".lowercased() { return true }
        guard let host = head[.host]?.lowercased(), !host.isEmpty else { return false }
        let schemes = scheme == "https" ? ["https"] : ["https", "http"]
        return schemes.contains { origin.lowercased() == "\($0)://\(host)" }
    }

    private static let refusal = PlatformError(
        .crossSiteRequest,
        "A change with the cookie of a session must come from a page of this server: 'Sec-Fetch-Site: same-origin', or an "
            + "'Origin' with the host of the request. Programs use a token.")
}

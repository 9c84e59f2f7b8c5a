package import Ground

/// A short-lived statement for one client of the APIs that a page outside packages may use (semantics.md §6).
package struct IssuedGrant: Sendable, Equatable {
    package let app: AppID
    package let page: PageURL
    package let nonce: GrantNonce
    /// The time of issue, in Unix seconds.
    package let issued: Int64
    /// The expiry, in Unix seconds.
    package let expires: Int64
    /// The sorted, distinct names of the APIs.
    package let apis: [String]

    /// The longest lifetime.
    package static let lifetimeSeconds: Int64 = 600

    /// Combines the grants of an app for a page: the APIs of all grants that cover it, until the first of them expires.
    ///
    /// Fails if no grant covers the page.
    package init?(of app: AppID, to page: PageURL, nonce: GrantNonce, by grants: [PageGrant], at now: Timestamp) {
        let covering = grants.filter { $0.covers(page, at: now) }
        guard let end = covering.map(\.expiresAt.seconds).min() else { return nil }
        self.app = app
        self.page = page
        self.nonce = nonce
        issued = now.seconds
        expires = min(end, now.seconds + Self.lifetimeSeconds)
        apis = Array(Set(covering.flatMap(\.apis))).sorted()
    }

    /// The bytes that signatures cover: lines, each ended by LF.
    package var signedBytes: [UInt8] {
        let lines = ["larder-grant-1", app.text, "\(page)", nonce.text, String(issued), String(expires)]
        return Array((lines + apis.map { "api \($0)" }).map { $0 + "\n" }.joined().utf8)
    }
}

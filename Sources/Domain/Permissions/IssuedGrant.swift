/// What one asker is told of a page outside packages, for a short time: the APIs that it may use (semantics.md §6).
package struct IssuedGrant: Sendable, Equatable {
    package let app: AppID
    package let page: PageURL
    package let nonce: GrantNonce
    /// In Unix seconds.
    package let issued: Int64
    /// In Unix seconds, from which on it is worth nothing.
    package let expires: Int64
    /// Sorted, each once.
    package let apis: [String]

    /// How long one is good at most.
    package static let lifetimeSeconds: Int64 = 600

    /// What the grants of an app come to for a page: the APIs of all that cover it, until the first of them ends.
    ///
    /// Fails where none does.
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

    /// The bytes that are signed: lines, each ended by LF.
    package var signedBytes: [UInt8] {
        let lines = ["larder-grant-1", app.text, "\(page)", nonce.text, String(issued), String(expires)]
        return Array((lines + apis.map { "api \($0)" }).map { $0 + "\n" }.joined().utf8)
    }
}

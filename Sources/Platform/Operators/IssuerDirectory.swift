package import Domain
package import Execution
import Ground
import Synchronization

/// The keys of the issuers of identity tokens, read from the documents that the issuers publish (OpenID Connect
/// Discovery).
///
/// Keys are cached for an hour. A token by an unknown key makes the directory read them again, since issuers rotate
/// keys, but at most once a minute, so that strangers cannot make the server flood an issuer.
package final class IssuerDirectory: Sendable {
    /// The time for which read keys are used.
    static let lifetime: Duration = .seconds(3_600)
    /// The time between two requests to an issuer for the sake of unknown keys, or after a failure.
    static let rest: Duration = .seconds(60)
    /// The number of issuers whose keys are cached; a full cache is emptied.
    static let capacity = 100
    /// The threads that wait for issuers.
    package static let width = 2

    private struct Known {
        var keys: IssuerKeySet?
        /// The instant of the last request to the issuer.
        var instant: ContinuousClock.Instant
        /// The error of that request; `nil` if it succeeded.
        var failure: PlatformError?
    }

    private let client: any IssuerClient
    private let work: WorkExecutor
    private let now: @Sendable () -> ContinuousClock.Instant
    private let known = Mutex<[String: Known]>([:])
    /// A gate that lets one request of an issuer's keys wait for another, instead of repeating it.
    private let reading = AsyncGate(width: width)

    /// - Parameter now: A clock that never jumps.
    package init(
        client: any IssuerClient, work: WorkExecutor,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.client = client
        self.work = work
        self.now = now
    }

    /// Throws `invalidRequest` unless a text can be the URL of an issuer.
    package func requireUsable(_ issuer: String) throws(PlatformError) { try client.requireUsable(issuer) }

    /// Returns the key that has signed a token of an issuer if it is genuine; `nil` if the issuer publishes none.
    ///
    /// Throws `busy` if the keys cannot be read and none are cached.
    package func key(for token: IdentityToken, of issuer: String) async throws(PlatformError) -> IssuerKey? {
        if let key = cached(issuer)?.key(for: token) { return key }
        return try await reading.pass { () throws(PlatformError) in
            // Another request may have read the keys meanwhile.
            if let key = cached(issuer)?.key(for: token) { return key }
            let last = known.withLock { $0[issuer] }
            if let last, now() - last.instant < Self.rest {
                if last.keys == nil, let failure = last.failure { throw failure }
                return last.keys?.key(for: token)
            }
            do throws(PlatformError) {
                let keys = try await work.run { () throws(PlatformError) in try read(issuer) }
                note(keys, nil, of: issuer)
                return keys.key(for: token)
            } catch {
                note(last?.keys, error, of: issuer)
                // While the issuer does not respond, its last keys remain in use.
                guard let keys = last?.keys else { throw error }
                return keys.key(for: token)
            }
        }
    }

    private func cached(_ issuer: String) -> IssuerKeySet? {
        known.withLock { known in
            guard let own = known[issuer], now() - own.instant < Self.lifetime else { return nil }
            return own.keys
        }
    }

    private func note(_ keys: IssuerKeySet?, _ failure: PlatformError?, of issuer: String) {
        let instant = now()
        known.withLock { known in
            if known[issuer] == nil, known.count >= Self.capacity { known.removeAll() }
            known[issuer] = Known(keys: keys, instant: instant, failure: failure)
        }
    }

    /// Reads the keys from the issuer; blocks.
    private func read(_ issuer: String) throws(PlatformError) -> IssuerKeySet {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let page = "\(base)/.well-known/openid-configuration"
        let document = JSON(parsing: try client.document(at: page))
        guard document?["issuer"]?.string == issuer else {
            throw Self.unreadable(issuer, "\(page) names another issuer, or is no JSON")
        }
        guard let place = document?["jwks_uri"]?.string else {
            throw Self.unreadable(issuer, "\(page) has no 'jwks_uri'")
        }
        // Over HTTP, the network could replace the keys of an issuer that is read over HTTPS.
        guard !issuer.hasPrefix("https://") || place.hasPrefix("https://") else {
            throw Self.unreadable(issuer, "'jwks_uri' is no https:// URL")
        }
        do throws(PlatformError) { try client.requireUsable(place) } catch {
            throw Self.unreadable(issuer, "'jwks_uri' is no usable URL")
        }
        guard let keys = IssuerKeySet(parsing: try client.document(at: place)) else {
            throw Self.unreadable(issuer, "its keys are no JSON Web Key Set")
        }
        return keys
    }

    private static func unreadable(_ issuer: String, _ cause: String) -> PlatformError {
        PlatformError(
            .busy, "The keys of the issuer '\(issuer)' cannot be read now. Try again in a minute.", cause: cause,
            retryAfter: 60)
    }
}

package import Domain
package import Execution
import Ground
import Synchronization

/// The keys and endpoints of the issuers of identity tokens, read from the documents that the issuers publish (OpenID
/// Connect Discovery).
///
/// Both are cached for an hour. A token by an unknown key makes the directory read them again, since issuers rotate
/// keys, but at most once a minute, so that strangers cannot make the server flood an issuer.
package final class IssuerDirectory: Sendable {
    /// The time for which read keys are used.
    static let lifetime: Duration = .seconds(3_600)
    /// The time between two requests to an issuer for the sake of unknown keys, or after a failure.
    static let rest: Duration = .seconds(60)
    /// The number of issuers whose keys are cached; a full cache is emptied.
    static let capacity = 100
    /// The threads that wait for issuers.
    package static let width = 4

    /// The documents that an issuer publishes.
    private struct Documents: Sendable {
        let keys: IssuerKeySet
        /// The description with the endpoints, whose URLs are not checked.
        let description: JSON
    }

    /// The state of one issuer.
    private final class Issuer: Sendable {
        struct State {
            var documents: Documents?
            /// The instant at which the documents were read.
            var readAt: ContinuousClock.Instant?
            /// The instant of the last request, and its error; `nil` before the first one.
            var last: (instant: ContinuousClock.Instant, failure: PlatformError?)?
        }

        let state = Mutex(State())
        /// A gate that lets one request for the keys wait for another, instead of repeating it.
        let reading = AsyncGate(width: 1)
    }

    private let client: any IssuerClient
    private let work: WorkExecutor
    private let log: any Log
    private let now: @Sendable () -> ContinuousClock.Instant
    private let known = Mutex<[String: Issuer]>([:])

    /// - Parameters:
    ///   - work: The pool that waits for issuers.
    ///   - now: A clock that never jumps.
    package init(
        client: any IssuerClient, work: WorkExecutor, log: any Log,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.client = client
        self.work = work
        self.log = log
        self.now = now
    }

    /// Throws `invalidRequest` unless a text can be the URL of an issuer.
    package func requireUsable(_ issuer: String) throws(PlatformError) { try client.requireUsable(issuer) }

    /// Returns the key that has signed a token of an issuer if it is genuine; `nil` if the issuer publishes none.
    ///
    /// Throws `busy` if the keys cannot be read and none were read before.
    package func key(for token: IdentityToken, of url: String) async throws(PlatformError) -> IssuerKey? {
        try await find(url) { $0.keys.key(for: token) }
    }

    /// Returns the endpoints at which people sign in with an issuer.
    ///
    /// Throws `busy` if its description cannot be read and was not read before, or has no usable endpoints.
    func endpoints(of url: String) async throws(PlatformError) -> SignInEndpoints {
        guard let description = try await find(url, { $0.description }) else {
            throw Self.unreadable(url, "its description is not read")
        }
        do throws(SignInEndpoints.Fault) {
            let endpoints = try SignInEndpoints(description)
            for endpoint in endpoints.urls { try requireEndpoint(endpoint, of: url) }
            return endpoints
        } catch {
            throw Self.unreadable(url, error.text)
        }
    }

    /// Returns a part of an issuer's documents, which are read again if they are too old or lack it.
    private func find<Part: Sendable>(
        _ url: String, _ part: @Sendable (Documents) -> Part?
    ) async throws(PlatformError) -> Part? {
        let issuer = issuer(url)
        if let found = fresh(issuer).flatMap(part) { return found }
        return try await issuer.reading.pass { () throws(PlatformError) in
            // Another request may have read the documents meanwhile.
            if let found = fresh(issuer).flatMap(part) { return found }
            let (old, last) = issuer.state.withLock { ($0.documents, $0.last) }
            if let last, now() - last.instant < Self.rest {
                if old == nil, let failure = last.failure { throw failure }
                return old.flatMap(part)
            }
            do throws(PlatformError) {
                let documents = try await work.run { () throws(PlatformError) in try read(url) }
                let instant = now()
                issuer.state.withLock { $0 = Issuer.State(documents: documents, readAt: instant, last: (instant, nil)) }
                return part(documents)
            } catch {
                let instant = now()
                issuer.state.withLock { $0.last = (instant, error) }
                log.write("issuer.unreadable", ["issuer": url, "cause": error.cause ?? error.message])
                // While the issuer does not respond, its last documents remain in use.
                guard let old else { throw error }
                return part(old)
            }
        }
    }

    private func issuer(_ url: String) -> Issuer {
        known.withLock { known in
            if let own = known[url] { return own }
            if known.count >= Self.capacity { known.removeAll() }
            let new = Issuer()
            known[url] = new
            return new
        }
    }

    /// Returns the documents unless they were read too long ago.
    private func fresh(_ issuer: Issuer) -> Documents? {
        issuer.state.withLock { state in
            guard let readAt = state.readAt, now() - readAt < Self.lifetime else { return nil }
            return state.documents
        }
    }

    /// Reads the documents of the issuer; blocks.
    private func read(_ issuer: String) throws(PlatformError) -> Documents {
        do throws(PlatformError) { try client.requireUsable(issuer) } catch {
            throw Self.unreadable(issuer, error.message)
        }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let page = "\(base)/.well-known/openid-configuration"
        guard let document = JSON(parsing: try client.document(at: page)), document["issuer"]?.string == issuer else {
            throw Self.unreadable(issuer, "\(page) names another issuer, or is no JSON")
        }
        guard let place = document["jwks_uri"]?.string else {
            throw Self.unreadable(issuer, "\(page) has no 'jwks_uri'")
        }
        do throws(PlatformError) { try client.requireUsable(place) } catch {
            throw Self.unreadable(issuer, "'jwks_uri' is no usable URL")
        }
        // Over HTTP, the network could replace the keys of an issuer that is read over HTTPS.
        guard !issuer.hasPrefix("https://") || place.hasPrefix("https://") else {
            throw Self.unreadable(issuer, "'jwks_uri' is no https:// URL")
        }
        guard let keys = IssuerKeySet(parsing: try client.document(at: place)) else {
            throw Self.unreadable(issuer, "its keys are no JSON Web Key Set")
        }
        return Documents(keys: keys, description: document)
    }

    private func requireEndpoint(_ url: String, of issuer: String) throws(SignInEndpoints.Fault) {
        do throws(PlatformError) { try client.requireUsable(url) } catch {
            throw SignInEndpoints.Fault("an endpoint is no usable URL")
        }
        guard !issuer.hasPrefix("https://") || url.hasPrefix("https://") else {
            throw SignInEndpoints.Fault("an endpoint is no https:// URL")
        }
    }

    private static func unreadable(_ issuer: String, _ cause: String) -> PlatformError {
        PlatformError(
            .busy, "The documents of the issuer '\(issuer)' cannot be read now. Try again in a minute.", cause: cause,
            retryAfter: 60)
    }
}

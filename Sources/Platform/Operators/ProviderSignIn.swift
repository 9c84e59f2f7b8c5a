package import Domain
package import Execution
import Ground

/// The use case of signing in by a provider: authorization code with PKCE (decision 0087).
package final class ProviderSignIn: Sendable {
    /// The number of callbacks that are handled at once; a further one gets `busy`.
    package static let capacity = 32
    /// The limit on the bytes of a code.
    package static let maximumCodeLength = 4_096

    private let store: any SignInStore
    private let directory: IssuerDirectory
    private let client: any IssuerClient
    private let issuerWork: WorkExecutor
    private let work: WorkExecutor
    private let hasher: PasswordHasher
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let attempts: SignInGuard
    private let log: any Log
    private let limit = SignInLimit(capacity)

    /// - Parameters:
    ///   - issuerWork: The pool that waits for issuers.
    ///   - work: The pool that verifies signatures.
    package init(
        store: any SignInStore, directory: IssuerDirectory, client: any IssuerClient, issuerWork: WorkExecutor,
        work: WorkExecutor, hasher: PasswordHasher, cryptography: any Cryptography, clock: any WallClock,
        attempts: SignInGuard, log: any Log
    ) {
        self.store = store
        self.directory = directory
        self.client = client
        self.issuerWork = issuerWork
        self.work = work
        self.hasher = hasher
        self.cryptography = cryptography
        self.clock = clock
        self.attempts = attempts
        self.log = log
    }

    /// A client of the operators' API that signs in.
    package struct Visitor: Sendable {
        /// The addresses that count as one.
        package let group: String
        /// The address, which the audit log records.
        package let address: String

        package init(group: String, address: String) {
            self.group = group
            self.address = address
        }
    }

    /// An attempt that has begun.
    package struct Begun: Sendable {
        /// The URL of the provider to which the browser goes.
        package let url: String
        /// The secret for the browser's cookie.
        package let browserSecret: String
    }

    /// The parameters of the callback of a provider.
    package struct Callback: Sendable {
        package let state: String
        package let code: String?
        package let error: String?
        package let issuer: String?

        package init(state: String, code: String?, error: String?, issuer: String?) {
            self.state = state
            self.code = code
            self.error = error
            self.issuer = issuer
        }
    }

    /// Begins an attempt; throws `signInProviderNotFound` and `providerUnavailable`.
    ///
    /// - Parameter callback: The URL of the callback, which the provider knows.
    package func begin(
        _ name: SignInProviderName, to destination: SignInDestination, callback: String, _ visitor: Visitor
    ) async throws(PlatformError) -> Begun {
        guard let known = try await store.signInProvider(name) else { throw SignInProviders.noProvider(name) }
        let endpoints = try await endpoints(of: known.provider)
        let secrets = SignInSecrets(by: cryptography)
        try await store.addSignInAttempt(
            SignInAttempt(
                stateHash: secrets.stateHash(by: cryptography), browserHash: secrets.browserHash(by: cryptography),
                provider: name, destination: destination, addressGroup: visitor.group, createdAt: clock.now()))
        return Begun(
            url: endpoints.authorizationURL(for: known.provider, callback: callback, secrets, by: cryptography),
            browserSecret: secrets.browser)
    }

    /// Ends an attempt with a session.
    ///
    /// Throws `signInExpired` unless the attempt is open and of this browser, `signInRefused` if the provider or its ID
    /// token refuses the person, `noMatchingGroup`, `userDisabled`, `userExists`, `providerUnavailable`, `rateLimited` after
    /// failures from the address, and `busy`.
    ///
    /// - Parameter browserSecret: The secret in the browser's cookie.
    package func finish(
        _ name: SignInProviderName, _ callback: Callback, browserSecret: String?, at url: String, _ visitor: Visitor
    ) async throws(PlatformError) -> (signedIn: Sessions.SignedIn, destination: SignInDestination) {
        // A page of another site can make a visitor's browser send callbacks, but not the cookie. They are no guesses,
        // and must not delay the visitor.
        guard let secrets = SignInSecrets(state: callback.state, browser: browserSecret ?? "") else {
            throw Self.isOver
        }
        try attempts.begin(nil, from: visitor.group)
        do throws(PlatformError) {
            let result = try await limit.run { () async throws(PlatformError) in
                try await finish(name, callback, secrets, url, visitor)
            }
            attempts.end(nil, from: visitor.group, isSuccess: true)
            return result
        } catch {
            // Only these can be guesses.
            if ![.signInExpired, .signInRefused].contains(error.code) {
                attempts.end(nil, from: visitor.group, isSuccess: false)
            }
            log.write(
                "sign-in.refused",
                [
                    "address": visitor.address, "code": error.code.rawValue, "provider": name.text,
                    "cause": error.cause ?? error.message,
                ])
            throw error
        }
    }

    private static let isOver = PlatformError(
        .signInExpired,
        "This attempt to sign in is over, or began in another browser. Open the sign-in page of the console at its "
            + "public URL, and sign in again.")

    private func finish(
        _ name: SignInProviderName, _ callback: Callback, _ secrets: SignInSecrets, _ url: String, _ visitor: Visitor
    ) async throws(PlatformError) -> (signedIn: Sessions.SignedIn, destination: SignInDestination) {
        // Read first: a change of issuer or client removes the open attempts, and a later one is refused with the session.
        let known = try await store.signInProvider(name)
        guard
            let attempt = try await store.takeSignInAttempt(
                stateHash: secrets.stateHash(by: cryptography), browserHash: secrets.browserHash(by: cryptography),
                of: name, at: clock.now())
        else { throw Self.isOver }
        guard let known else { throw SignInProviders.noProvider(name) }
        let endpoints = try await endpoints(of: known.provider)
        let code = try Self.code(of: callback, from: known.provider, endpoints)
        let (token, access) = try await exchange(code, of: known, endpoints, secrets, at: url)
        try await verify(token, of: known.provider, secrets)
        let groups = try await groups(of: token, access, known.provider, endpoints)
        let person = try Self.person(token.claims, in: groups, of: known.provider)
        return (try await beginSession(of: person, by: known, from: visitor.address), attempt.destination)
    }

    /// Returns the code of a callback; throws `signInRefused` if the callback reports an error or comes from another
    /// issuer (RFC 9207).
    private static func code(
        of callback: Callback, from provider: SignInProvider, _ endpoints: SignInEndpoints
    ) throws(PlatformError) -> String {
        guard callback.issuer == provider.issuer || callback.issuer == nil && !endpoints.namesIssuer else {
            throw refusal("The response of the provider names another issuer.")
        }
        if let error = callback.error {
            throw refusal("The provider '\(provider.name)' refuses: \(ShownText.of(error.utf8)).")
        }
        guard let code = callback.code, (1...maximumCodeLength).contains(code.utf8.count) else {
            throw refusal("The response of the provider has no usable code.")
        }
        return code
    }

    /// Exchanges a code for an ID token and, if the provider sends one, an access token.
    private func exchange(
        _ code: String, of known: StoredSignInProvider, _ endpoints: SignInEndpoints, _ secrets: SignInSecrets,
        at callback: String
    ) async throws(PlatformError) -> (token: IdentityToken, access: String?) {
        let request = endpoints.exchange(
            code, of: known.provider, known.secret, callback: callback, verifier: secrets.verifier(by: cryptography))
        let client = client
        let response = try await available(known.provider) { () throws(PlatformError) in
            try client.send(request.form, to: endpoints.token, authorization: request.authorization)
        }
        let json = JSON(parsing: response.body)
        guard response.status == 200 else {
            let error = ShownText.of((json?["error"]?.string ?? "").utf8)
            guard (400...499).contains(response.status), response.status != 429 else {
                throw Self.unavailable(known.provider, "the token endpoint responds with \(response.status)")
            }
            throw Self.refusal(
                "The provider '\(known.provider.name)' refuses the code: status \(response.status), '\(error)'.")
        }
        guard let text = json?["id_token"]?.string else {
            throw Self.refusal("The provider '\(known.provider.name)' sends no ID token.")
        }
        do throws(IdentityTokenFault) {
            return (try IdentityToken(parsing: text), json?["access_token"]?.string)
        } catch {
            throw Self.refusal(error.message)
        }
    }

    /// Throws `signInRefused` unless the ID token is genuine and of this attempt.
    private func verify(
        _ token: IdentityToken, of provider: SignInProvider, _ secrets: SignInSecrets
    ) async throws(PlatformError) {
        let key = try await mapped(provider) { () throws(PlatformError) in
            try await directory.key(for: token, of: provider.issuer)
        }
        let cryptography = cryptography
        let isGenuine = if let key { await work.run { cryptography.verify(token, by: key) } } else { false }
        guard isGenuine else {
            throw Self.refusal(
                "The ID token is not signed by a key that the provider publishes now. Try again in a minute.")
        }
        do throws(IdentityTokenFault) {
            try token.claims.requireSignIn(
                issuer: provider.issuer, client: provider.clientID, nonce: secrets.nonce(by: cryptography),
                at: clock.now())
        } catch {
            throw Self.refusal(error.message)
        }
    }

    /// Returns the groups in the ID token or, if it has no such claim, in the response of the userinfo endpoint.
    private func groups(
        of token: IdentityToken, _ access: String?, _ provider: SignInProvider, _ endpoints: SignInEndpoints
    ) async throws(PlatformError) -> [String]? {
        if let groups = token.claims.texts(of: provider.groupsClaim) { return groups }
        guard let access, let url = endpoints.userInfo else { return nil }
        let client = client
        let body = try await available(provider) { () throws(PlatformError) in
            try client.document(at: url, token: access)
        }
        guard let json = JSON(parsing: body), case let claims = IdentityClaims(json),
            claims.subject == token.claims.subject
        else { throw Self.refusal("The userinfo endpoint of the provider describes another person.") }
        return claims.texts(of: provider.groupsClaim)
    }

    private static func person(
        _ claims: IdentityClaims, in groups: [String]?, of provider: SignInProvider
    ) throws(PlatformError) -> IdentifiedPerson {
        guard let subject = claims.subject,
            (1...IdentifiedPerson.maximumSubjectLength).contains(subject.utf8.count)
        else { throw refusal("The ID token has no usable subject ('sub').") }
        guard let groups else {
            throw PlatformError(
                .noMatchingGroup,
                "The provider '\(provider.name)' sends no claim '\(provider.groupsClaim)', so you are in no group. An admin of "
                    + "the provider can add the claim to its tokens.")
        }
        let grants = provider.grants(of: groups)
        guard !grants.isEmpty else {
            throw PlatformError(
                .noMatchingGroup,
                "None of your groups (\(groups.count) in the claim '\(provider.groupsClaim)') has rights here. Ask an admin to "
                    + "add you to a group that has, or to give rights to one of yours.")
        }
        guard grants.count <= User.maximumGrants else {
            throw PlatformError(
                .noMatchingGroup,
                "Your groups have \(grants.count) grants together, and a user has at most \(User.maximumGrants). Ask an admin to "
                    + "join grants of the provider '\(provider.name)'.")
        }
        do throws(IdentityTokenFault) {
            return IdentifiedPerson(subject: subject, name: try provider.userName(in: claims), grants: grants)
        } catch {
            throw refusal(error.message)
        }
    }

    private func beginSession(
        of person: IdentifiedPerson, by known: StoredSignInProvider, from address: String
    ) async throws(PlatformError) -> Sessions.SignedIn {
        let secret = Hex.encode(cryptography.randomBytes(32))
        let (now, provider) = (clock.now(), JSON.Member("provider", .string(known.provider.name.text)))
        let (session, user) = try await store.beginSession(
            of: person, by: known, placeholder: PasswordHash(placeholderOf: hasher.cost, by: cryptography),
            secretHash: cryptography.sha256(Array(secret.utf8)), address: address, at: now
        ) { provided in
            let user = provided.user
            let begun = Operator(user: user, session: nil).at(address).audit(
                .beginSession, user.name.text, in: nil, at: now, [provider], change: .none)
            return Self.entry(about: provided, provider, at: now).map { [$0, begun] } ?? [begun]
        }
        return Sessions.SignedIn(session: session, user: user, secret: secret)
    }

    /// Returns the entry of the server about a user who was created or got other grants; `nil` for another one.
    private static func entry(about provided: ProvidedUser, _ provider: JSON.Member, at now: Timestamp) -> AuditEntry? {
        let user = provided.user
        guard let former = provided.formerGrants else {
            return Operator.server.audit(
                .createUser, user.name.text, in: nil, at: now, [provider], change: .created(user.auditMembers()))
        }
        guard former != user.grants else { return nil }
        let old = user.auditMembers(after: UserChange(grants: former, ending: .none))
        return Operator.server.audit(
            .changeUser, user.name.text, in: nil, at: now, [provider],
            change: .changed(from: old, to: user.auditMembers()))
    }

    // MARK: Issuers

    private func endpoints(of provider: SignInProvider) async throws(PlatformError) -> SignInEndpoints {
        try await mapped(provider) { () throws(PlatformError) in try await directory.endpoints(of: provider.issuer) }
    }

    /// Runs a request to a provider on the pool that waits for issuers.
    private func available<Result: Sendable>(
        _ provider: SignInProvider, _ body: @escaping @Sendable () throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        try await mapped(provider) { () throws(PlatformError) in try await issuerWork.run(body) }
    }

    /// Runs a body and throws `providerUnavailable` instead of `busy`.
    private func mapped<Result: Sendable>(
        _ provider: SignInProvider, _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        do throws(PlatformError) { return try await body() } catch {
            guard error.code == .busy else { throw error }
            throw Self.unavailable(provider, error.cause ?? error.message)
        }
    }

    private static func unavailable(_ provider: SignInProvider, _ cause: String) -> PlatformError {
        PlatformError(
            .providerUnavailable,
            "The sign-in provider '\(provider.name)' does not respond. Try again in a minute, or sign in with a password.",
            cause: cause, retryAfter: 60)
    }

    private static func refusal(_ message: String) -> PlatformError { PlatformError(.signInRefused, message) }
}

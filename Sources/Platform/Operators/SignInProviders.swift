package import Domain
import Ground

/// The use cases of managing the providers by which people sign in (decision 0087).
package struct SignInProviders: Sendable {
    private let store: any SignInStore
    private let directory: IssuerDirectory
    private let clock: any WallClock

    package init(store: any SignInStore, directory: IssuerDirectory, clock: any WallClock) {
        self.store = store
        self.directory = directory
        self.clock = clock
    }

    /// Returns the providers by name.
    package func providers() async throws(PlatformError) -> [StoredSignInProvider] { try await store.signInProviders() }

    /// Returns a provider, or throws `signInProviderNotFound`.
    package func requireProvider(_ name: SignInProviderName) async throws(PlatformError) -> StoredSignInProvider {
        guard let provider = try await store.signInProvider(name) else { throw Self.noProvider(name) }
        return provider
    }

    /// The result of a change that ends sessions.
    package struct Change: Sendable {
        package let stored: StoredSignInProvider
        /// The users whose sessions ended.
        package let users: [UserID]
        package let isNew: Bool
    }

    /// Creates or replaces a provider, which ends the sessions of its users.
    ///
    /// Throws `invalidRequest` for an issuer without a usable URL and for a missing secret, `preconditionFailed`, and the
    /// errors of ``SignInStore/putSignInProvider(_:_:over:audit:)``.
    ///
    /// - Parameter secret: The client secret; `nil` keeps that of the stored provider, unless its issuer or client differ.
    package func put(
        _ provider: SignInProvider, secret: ClientSecret?, ifMatch precondition: IfMatchPrecondition?,
        by author: Operator
    ) async throws(PlatformError) -> Change {
        try author.requireLasting()
        try directory.requireUsable(provider.issuer)
        let known = try await store.signInProvider(provider.name)
        try precondition?.require(
            known.map { String($0.revision) }, of: "The sign-in provider '\(provider.name)'", called: "revision")
        guard let kept = secret ?? Self.keptSecret(of: known, for: provider) else {
            throw PlatformError(
                .invalidRequest,
                "'clientSecret' must be \(ClientSecret.shape): the secret of the client at the provider. Only a change that "
                    + "keeps 'issuer' and 'clientId' may omit it.")
        }
        let replacesSecret = known.map { $0.secret != kept } ?? true
        let (stored, users) = try await store.putSignInProvider(
            provider, kept, over: known,
            audit: author.audit(
                .putSignInProvider, provider.name.text, in: nil, at: clock.now(),
                provider.members + [.init("replacesSecret", .bool(replacesSecret))],
                change: AuditChange(from: known?.provider.members, to: provider.members)))
        return Change(stored: stored, users: users, isNew: known == nil)
    }

    /// A secret is sent only to the issuer that it was given for.
    private static func keptSecret(of known: StoredSignInProvider?, for provider: SignInProvider) -> ClientSecret? {
        guard let known, known.provider.issuer == provider.issuer, known.provider.clientID == provider.clientID else {
            return nil
        }
        return known.secret
    }

    /// Removes a provider and ends the sessions of its users; throws `signInProviderNotFound` and `preconditionFailed`.
    package func remove(
        _ name: SignInProviderName, ifMatch precondition: IfMatchPrecondition?, by author: Operator
    ) async throws(PlatformError) -> Change {
        let known = try await requireProvider(name)
        try precondition?.require(
            String(known.revision), of: "The sign-in provider '\(name)'", called: "revision")
        let users = try await store.removeSignInProvider(
            known,
            audit: author.audit(
                .deleteSignInProvider, name.text, in: nil, at: clock.now(),
                change: .removed(known.provider.members)))
        return Change(stored: known, users: users, isNew: false)
    }

    static func noProvider(_ name: SignInProviderName) -> PlatformError {
        PlatformError(.signInProviderNotFound, "There is no sign-in provider '\(name)'.")
    }
}

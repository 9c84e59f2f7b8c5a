package import Ground

/// The store of sign-in providers, of attempts to sign in by them, and of the users that they identify.
package protocol SignInStore: Sendable {
    /// Returns the providers by name.
    func signInProviders() async throws(PlatformError) -> [StoredSignInProvider]
    func signInProvider(_ name: SignInProviderName) async throws(PlatformError) -> StoredSignInProvider?
    /// Inserts a provider or replaces `known`, which ends the sessions of its users; returns it with these users.
    ///
    /// Writes nothing if nothing differs. Throws `busy` if the stored provider of this name is not `known`, `appNotFound`
    /// or `channelNotFound` if a scope does not exist, and `conflict` if another provider has the issuer or there are too
    /// many.
    func putSignInProvider(
        _ provider: SignInProvider, _ secret: ClientSecret, over known: StoredSignInProvider?, audit: AuditEntry
    ) async throws(PlatformError) -> (stored: StoredSignInProvider, users: [UserID])
    /// Removes a provider, and ends the sessions of its users, which it returns; throws `busy` if it is not stored as it
    /// is.
    func removeSignInProvider(
        _ known: StoredSignInProvider, audit: AuditEntry
    ) async throws(PlatformError) -> [UserID]
    /// Stores an attempt, and removes those that are over and the oldest ones beyond the limits.
    func addSignInAttempt(_ attempt: SignInAttempt) async throws(PlatformError)
    /// Removes an open attempt and returns it; returns `nil` without a change if no attempt has all of this.
    func takeSignInAttempt(
        stateHash: SHA256Digest, browserHash: SHA256Digest, of provider: SignInProviderName, at now: Timestamp
    ) async throws(PlatformError) -> SignInAttempt?
    /// Begins a session of a person, after creating the user or replacing the grants of the user as needed.
    ///
    /// Throws `busy` if the stored provider is not `provider`, `userDisabled`, `userExists` if another user has the name,
    /// and `conflict` if there are too many users.
    ///
    /// - Parameters:
    ///   - placeholder: The hash that no password has, for a new user.
    ///   - audit: Returns the entries about the user and the session.
    func beginSession(
        of person: IdentifiedPerson, by provider: StoredSignInProvider, placeholder: PasswordHash,
        secretHash: SHA256Digest, address: String, at now: Timestamp, audit: @Sendable (ProvidedUser) -> [AuditEntry]
    ) async throws(PlatformError) -> (session: Session, user: User)
}

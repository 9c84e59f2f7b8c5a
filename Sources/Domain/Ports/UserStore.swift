package import Ground

/// The store of the people who operate the server, and of their sessions.
package protocol UserStore: Sendable {
    /// Returns the users by name.
    func users() async throws(PlatformError) -> [User]
    func user(_ name: UserName) async throws(PlatformError) -> User?
    /// Creates a user.
    ///
    /// Throws `userExists`, `appNotFound` or `channelNotFound` if a scope does not exist, and `conflict` if there are too
    /// many users.
    func createUser(
        _ name: UserName, grants: [Grant], password: PasswordHash, audit: AuditEntry
    ) async throws(PlatformError) -> User
    /// Changes a user and returns it; returns `nil` if there is none.
    ///
    /// Throws the errors of `precondition`, `appNotFound` or `channelNotFound` if a scope does not exist, and `conflict`
    /// if no admin without an expiry would remain, or the user has another password than ``UserChange/verified``.
    func changeUser(
        _ id: UserID, _ change: UserChange, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> User?
    /// Deletes a user with all sessions and returns it; returns `nil` if there is none.
    ///
    /// Throws the errors of `precondition`, and `conflict` if no admin without an expiry would remain.
    func deleteUser(
        _ id: UserID, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> User?
    /// Returns a user with the secrets; `nil` if there is none.
    func secrets(of name: UserName) async throws(PlatformError) -> (user: User, secrets: UserSecrets)?
    /// Replaces the second factor of a user with the result of `change`, within the transaction.
    ///
    /// Throws `userNotFound`, `conflict` if the user has another password than `verified`, and the errors of `change`.
    ///
    /// - Parameter verified: The hash of the password that the change was permitted by; `nil` if it needs none.
    func changeSecondFactor(
        of id: UserID, verified: PasswordHash?, audit: AuditEntry,
        by change: @Sendable (SecondFactor?) throws(PlatformError) -> SecondFactor?
    ) async throws(PlatformError)
    /// Begins a session of a user whose password was right.
    ///
    /// Removes sessions that are over, and the oldest ones beyond ``Session/maximumPerUser``. Returns `nil` without a change
    /// if the user is disabled, deleted, or has another password by now.
    ///
    /// - Parameters:
    ///   - verified: The hash that the password had.
    ///   - upgraded: The hash of the same password that replaces it; `nil` to keep it.
    ///   - use: Uses a code of the confirmed second factor, within the transaction; throws if there is no valid code.
    func beginSession(
        of id: UserID, secretHash: SHA256Digest, address: String, verified: PasswordHash, upgraded: PasswordHash?,
        audit: AuditEntry, using use: @Sendable (inout SecondFactor) throws(PlatformError) -> Void
    ) async throws(PlatformError) -> Session?
    /// Begins the session of a command line, and removes its request.
    ///
    /// Removes other sessions as the function above. Returns `nil` without a change if the request is refused, removed or
    /// over, or the session that has agreed has ended.
    ///
    /// - Parameter agreed: The session of a browser.
    func beginSession(
        agreedBy agreed: Int64, of id: UserID, to request: CommandLineRequest, audit: AuditEntry
    ) async throws(PlatformError) -> Session?
    /// Stores the request of a command line, and removes those that are over and the oldest ones beyond the limits.
    ///
    /// Throws `conflict` if there is one with the secret.
    func addCommandLineRequest(_ request: CommandLineRequest) async throws(PlatformError)
    /// Returns the request with a code, refused or not; `nil` if there is none that is open.
    func commandLineRequest(
        _ code: CommandLineCode, at now: Timestamp
    ) async throws(PlatformError) -> CommandLineRequest?
    /// Returns the request with a secret, refused or not; `nil` if there is none that is open.
    func commandLineRequest(
        secretHash: SHA256Digest, at now: Timestamp
    ) async throws(PlatformError) -> CommandLineRequest?
    /// Refuses the request with a code; returns `false` if there is none that is open.
    func refuseCommandLineRequest(
        _ code: CommandLineCode, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// Returns the session of a secret and its user, whether or not it is over.
    func session(secretHash: SHA256Digest) async throws(PlatformError) -> (session: Session, user: User)?
    /// Returns the sessions, of a user or of all, by id.
    func sessions(of user: UserID?) async throws(PlatformError) -> [Session]
    /// Returns those of some sessions that exist, whether or not they are over, with their users.
    func sessions(_ ids: [Int64]) async throws(PlatformError) -> [(session: Session, user: User)]
    /// Ends a session; returns `false` if there is none.
    func endSession(_ id: Int64, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Records the latest uses of sessions.
    func recordSessionUses(_ uses: [Int64: Timestamp]) async throws(PlatformError)
}

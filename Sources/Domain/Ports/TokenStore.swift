package import Ground

/// The store of operators' tokens, of which it keeps the hashes of the secrets.
package protocol TokenStore: Sendable {
    /// Creates a token; throws `appNotFound` or `channelNotFound` if its scope does not exist.
    func createToken(
        _ draft: TokenDraft, secretHash: SHA256Digest, audit: AuditEntry
    ) async throws(PlatformError) -> Token
    /// Returns the tokens by id, including revoked ones.
    func tokens() async throws(PlatformError) -> [Token]
    func token(_ id: Int64) async throws(PlatformError) -> Token?
    /// Returns those of some tokens that exist, including revoked ones.
    func tokens(_ ids: [Int64]) async throws(PlatformError) -> [Token]
    /// Returns the token whose current or former secret has this hash, unless it is revoked; also if it is expired.
    func token(secretHash: SHA256Digest) async throws(PlatformError) -> FoundToken?
    /// Changes a token and returns it; returns `nil` if there is none.
    ///
    /// Throws the errors of `precondition`, `conflict` for a revoked token, and `conflict` if no admin without an expiry
    /// would remain.
    func changeToken(
        _ id: Int64, _ change: TokenChange, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> Token?
    /// Revokes a token and returns it; returns `nil` if there is none, and an already revoked token unchanged.
    ///
    /// Throws the errors of `precondition`, and `conflict` if no admin without an expiry would remain.
    func revokeToken(
        _ id: Int64, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> Token?
    /// Records the latest uses of tokens, except within ``Token/useInterval`` after the recorded ones.
    func recordUses(_ uses: [Int64: Timestamp]) async throws(PlatformError)
}

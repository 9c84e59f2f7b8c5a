/// The store of operators' tokens, of which it keeps the hashes of the secrets.
package protocol TokenStore: Sendable {
    func createToken(
        name: String, role: Role, secretHash: SHA256Digest, audit: AuditEntry
    ) async throws(PlatformError) -> Token
    /// Returns the tokens by id, including revoked ones.
    func tokens() async throws(PlatformError) -> [Token]
    /// Returns the token with this hash, unless it is revoked.
    func token(secretHash: SHA256Digest) async throws(PlatformError) -> Token?
    /// Revokes a token and returns it; returns `nil` if there is none, and an already revoked token unchanged.
    ///
    /// Throws `conflict` for the last admin's token.
    func revokeToken(_ id: Int64, audit: AuditEntry) async throws(PlatformError) -> Token?
}

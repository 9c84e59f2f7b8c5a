/// The store of CI trusts, and of the tokens that CI jobs get by them.
package protocol CITrustStore: Sendable {
    /// Returns the trusts by name.
    func ciTrusts() async throws(PlatformError) -> [CITrust]
    func ciTrust(_ name: CITrustName) async throws(PlatformError) -> CITrust?
    /// Inserts a trust or replaces `known`, and ends the tokens that jobs have got by that one.
    ///
    /// Writes nothing if nothing differs. Throws `busy` if the stored trust of this name is not `known`, `appNotFound` or
    /// `channelNotFound` if the scope does not exist, and `conflict` if there are too many trusts.
    func putCITrust(_ trust: CITrust, over known: CITrust?, audit: AuditEntry) async throws(PlatformError)
    /// Removes a trust, and ends the tokens that jobs have got by it; throws `busy` if it is not stored as it is.
    func removeCITrust(_ known: CITrust, audit: AuditEntry) async throws(PlatformError)
    /// Creates the token of a CI job, and removes tokens of jobs that expired long ago.
    ///
    /// Throws `unauthorized` if the trust has changed meanwhile, and `rateLimited` if too many of its tokens are valid.
    func createToken(
        _ draft: TokenDraft, secretHash: SHA256Digest, by trust: CITrust, audit: AuditEntry
    ) async throws(PlatformError) -> Token
}

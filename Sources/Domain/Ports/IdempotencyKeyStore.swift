package import Ground

/// The store of the keys of requests; a key is claimed by the audit entry of a change (``AuditEntry/claim``).
package protocol IdempotencyKeyStore: Sendable {
    /// Returns the state of the request with a key; `nil` if it made no change, or more than 24 hours ago.
    func requestRecord(
        of key: IdempotencyKey, by holder: Principal, at now: Timestamp
    ) async throws(PlatformError) -> RequestRecord?
    /// Records the end of a request; does nothing if it has made no change.
    func finishRequest(
        _ claim: RequestClaim, fingerprint: SHA256Digest, response: KeptResponse?
    ) async throws(PlatformError)
}

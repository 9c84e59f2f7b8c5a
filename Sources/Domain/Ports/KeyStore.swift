/// The store of keys and of the signatures that they give artifacts.
package protocol KeyStore: Sendable {
    /// Returns the keys in use, in the order of insertion, regardless of clocks.
    func keys(of app: AppID) async throws(PlatformError) -> [AppKey]
    /// Returns the retired keys of a purpose, most recently retired first.
    func retiredKeys(
        _ purpose: KeyPurpose, of app: AppID, last count: Int
    ) async throws(PlatformError) -> [AppKey]
    /// Puts a signing or legacy key into use, and adds its signatures to existing artifacts.
    ///
    /// Throws `conflict` for a signing key that exists or existed; a legacy key may return, also with a private half
    /// that it lacked.
    func addKey(
        _ key: AppKey, signing artifacts: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError)
    /// Retires a key at `audit.time` and returns it; returns `nil` if there is none, and an already retired key
    /// unchanged.
    ///
    /// Deletes the private half of a signing key; a legacy key may return. Throws `conflict` for the root key, and for
    /// the last key of its purpose that is in use and valid.
    func retireKey(_ key: KeyID, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> AppKey?
    /// Returns the artifacts of all versions, released or not, that lack a signature by this key.
    func artifactsLackingSignature(by key: KeyID, of app: AppID) async throws(PlatformError) -> [Artifact]
    /// Adds signatures to existing artifacts; keeps an existing signature by the same key.
    ///
    /// Leaves the config version unchanged.
    func addSignatures(to artifacts: [SignedArtifact]) async throws(PlatformError)
}

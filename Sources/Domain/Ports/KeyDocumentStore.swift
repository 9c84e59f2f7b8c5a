/// The store of root keys' changes and of the `/keys.json` documents that root keys sign.
package protocol KeyDocumentStore: Sendable {
    /// Returns the content of a key document in one consistent read; `nil` if there is no root key.
    ///
    /// - Parameters:
    ///   - retired: The number of retired signing keys.
    ///   - changes: The number of changes of the root key.
    func keyFacts(of app: AppID, retired: Int, changes: Int) async throws(PlatformError) -> KeyFacts?
    func keyDocument(of app: AppID) async throws(PlatformError) -> SignedKeyDocument?
    /// Stores a key document; throws `conflict` unless its number grows and its signing key is in use.
    ///
    /// Leaves the config version unchanged.
    func saveKeyDocument(_ document: SignedKeyDocument, of app: AppID) async throws(PlatformError)
    /// Replaces the root key that signed `change`, and deletes its private half.
    ///
    /// Throws `conflict` if another root key is in use, or the number is not the next one.
    func changeRoot(to key: AppKey, saying change: RootChange, audit: AuditEntry) async throws(PlatformError)
    /// Returns the last changes of the root key, oldest first.
    func rootChanges(of app: AppID, last count: Int) async throws(PlatformError) -> [RootChange]
}

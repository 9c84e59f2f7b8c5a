/// The store of audit entries; the entry of a change is written by the change's own method.
package protocol AuditStore: Sendable {
    /// Returns the audit entries, newest first, before entry `before` if given.
    func audit(before: Int64?, limit: Int) async throws(PlatformError) -> [(id: Int64, entry: AuditEntry)]
    /// Inserts the entry of an action that changes no metadata.
    func recordAudit(_ entry: AuditEntry) async throws(PlatformError)
}

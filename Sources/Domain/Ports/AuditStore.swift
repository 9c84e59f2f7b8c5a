package import Ground

/// The store of audit entries; the entry of a change is written by the change's own method.
package protocol AuditStore: Sendable {
    /// Returns the audit entries, newest first, before entry `before` if given.
    func audit(before: Int64?, limit: Int) async throws(PlatformError) -> [(id: Int64, entry: AuditEntry)]
    /// Returns the audit entries of an app after entry `id`, oldest first.
    func audit(
        of app: AppID, after id: Int64, limit: Int
    ) async throws(PlatformError) -> [(id: Int64, entry: AuditEntry)]
    /// Returns the id of the newest entry before an instant, of all apps; 0 without any.
    func newestAudit(before instant: Timestamp) async throws(PlatformError) -> Int64
    /// Inserts the entry of an action that changes no metadata.
    func recordAudit(_ entry: AuditEntry) async throws(PlatformError)
}

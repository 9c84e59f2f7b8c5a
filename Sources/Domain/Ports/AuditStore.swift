package import Ground

/// The store of audit entries; the entry of a change is written by the change's own method.
package protocol AuditStore: Sendable {
    /// Returns up to `limit` audit entries of a range that match a filter, in the order of the range.
    func audit(
        _ filter: AuditFilter, in range: AuditRange, limit: Int
    ) async throws(PlatformError) -> [RecordedAuditEntry]
    /// Returns the audit entries of an app after entry `id`, oldest first.
    func audit(
        of app: AppID, after id: Int64, limit: Int
    ) async throws(PlatformError) -> [RecordedAuditEntry]
    /// Returns the id of the first entry after entry `id` whose time is in a range, of all apps.
    ///
    /// Times need not be in the order of the ids, since the clocks of nodes differ.
    func firstAudit(after id: Int64, within times: ClosedRange<Timestamp>) async throws(PlatformError) -> Int64?
    /// Returns the end of the log and of its chain.
    func auditHead() async throws(PlatformError) -> AuditHead
    /// Inserts the entry of an action that changes no metadata.
    func recordAudit(_ entry: AuditEntry) async throws(PlatformError)
}

extension AuditStore {
    /// Returns the audit entries, newest first, before entry `before` if given.
    package func audit(
        before: Int64?, limit: Int
    ) async throws(PlatformError) -> [RecordedAuditEntry] {
        try await audit(AuditFilter(), in: AuditRange(before: before), limit: limit)
    }
}

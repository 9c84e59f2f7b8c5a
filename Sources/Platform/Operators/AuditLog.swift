package import Domain

/// The audit log as admins read it: in pages, or as a whole.
package struct AuditLog: Sendable {
    /// The numbers of entries that a page may have.
    package static let pageSizes = 1...1_000
    /// The number of entries of a page whose size is not given.
    package static let page = 200
    /// The number of entries that an export reads at a time.
    package static let exportPage = 500

    private let store: any AuditStore

    package init(store: any AuditStore) {
        self.store = store
    }

    /// Returns the newest matching entries before an id, and whether older ones match as well.
    package func page(
        _ filter: AuditFilter, before id: Int64?, limit: Int
    ) async throws(PlatformError) -> (entries: [RecordedAuditEntry], hasMore: Bool) {
        let entries = try await store.audit(filter, in: AuditRange(before: id), limit: limit + 1)
        return (Array(entries.prefix(limit)), entries.count > limit)
    }

    /// Returns the first matching entries after an id and before another one, oldest first; empty at the end.
    package func exportPage(
        _ filter: AuditFilter, after id: Int64, before end: Int64
    ) async throws(PlatformError) -> [RecordedAuditEntry] {
        try await store.audit(
            filter, in: AuditRange(after: id, before: end, isNewestFirst: false), limit: Self.exportPage)
    }

    /// Returns the end of the log.
    package func head() async throws(PlatformError) -> AuditHead { try await store.auditHead() }
}

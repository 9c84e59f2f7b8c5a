package import Domain
package import Ground

extension HookedStore: ApprovalStore {
    package func createApproval(
        _ draft: ApprovalDraft, audit: @Sendable (ApprovalID) -> AuditEntry
    ) async throws(PlatformError) -> Approval {
        try await base.createApproval(draft, audit: audit)
    }
    package func approvals(of app: AppID) async throws(PlatformError) -> [Approval] {
        try await base.approvals(of: app)
    }
    package func approval(_ id: ApprovalID, of app: AppID) async throws(PlatformError) -> Approval? {
        try await base.approval(id, of: app)
    }
    package func expiredApprovals(at instant: Timestamp, limit: Int) async throws(PlatformError) -> [Approval] {
        try await base.expiredApprovals(at: instant, limit: limit)
    }
    package func decideApproval(audit: AuditEntry) async throws(PlatformError) {
        try await base.decideApproval(audit: audit)
    }
}

package import Ground

/// The store of requests for approvals.
///
/// An audit entry with an ``AuditEntry/decision`` records that decision in its transaction, and the transaction fails
/// with `conflict` unless the request is pending: two decisions at once are made once.
package protocol ApprovalStore: Sendable {
    /// Creates a request, and removes the oldest decided ones beyond ``Approval/keptDecided``.
    ///
    /// Throws `conflict` if the app has ``Approval/maximumPending`` pending requests, and `channelNotFound`.
    ///
    /// - Parameter audit: Returns the entry of the request with this number.
    func createApproval(
        _ draft: ApprovalDraft, audit: @Sendable (ApprovalID) -> AuditEntry
    ) async throws(PlatformError) -> Approval
    /// Returns the requests of an app by number.
    func approvals(of app: AppID) async throws(PlatformError) -> [Approval]
    func approval(_ id: ApprovalID, of app: AppID) async throws(PlatformError) -> Approval?
    /// Returns pending requests that have expired, at most `limit`.
    func expiredApprovals(at instant: Timestamp, limit: Int) async throws(PlatformError) -> [Approval]
    /// Records a decision that makes no other change.
    func decideApproval(audit: AuditEntry) async throws(PlatformError)
}

import Domain
import Ground

extension Database {
    /// Records a change that concerns devices: draws a config version and appends the audit entry of an operator's
    /// change.
    func change(_ app: AppID, at time: Timestamp, audit: AuditEntry? = nil) throws {
        try drawConfigVersion(of: app, at: time)
        if let audit { try append(audit) }
    }
}

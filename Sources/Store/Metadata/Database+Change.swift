import Domain

extension Database {
    /// What every change that devices hear of writes besides itself: the config version and, where an operator made
    /// it, the audit entry.
    func change(_ app: AppID, at time: Timestamp, audit: AuditEntry? = nil) throws {
        try drawConfigVersion(of: app, at: time)
        if let audit { try append(audit) }
    }
}

/// Who changed what, when; written in the transaction of the change.
package struct AuditEntry: Sendable, Equatable {
    package let time: Timestamp
    /// The token's name and number, or `server` for what the server did by itself.
    package let actor: String
    /// Subject and verb: `package.put`, `version.publish`, `release.make`.
    package let action: String
    package let app: AppID?
    /// What it was done to: `news@1.2.0`.
    package let subject: String
    /// Further facts; never a secret.
    package let details: [JSON.Member]
    /// Whether the change is a dry run: the transaction that writes this entry is rolled back.
    package let isRehearsal: Bool

    package init(
        time: Timestamp, actor: String, action: String, app: AppID?, subject: String, details: [JSON.Member] = [],
        isRehearsal: Bool = false
    ) {
        self.time = time
        self.actor = actor
        self.action = action
        self.app = app
        self.subject = subject
        self.details = details
        self.isRehearsal = isRehearsal
    }
}

package import Ground

/// A record of a change and its author, written in the transaction of the change.
package struct AuditEntry: Sendable, Equatable {
    package let time: Timestamp
    /// The token's name and id, or `server` for automatic changes.
    package let actor: String
    /// The subject and the verb: `package.put`, `version.publish`, `release.make`.
    package let action: String
    package let app: AppID?
    /// The changed object: `news@1.2.0`.
    package let subject: String
    /// The further facts; never a secret.
    package let details: [JSON.Member]
    /// How the change came to the server; `nil` in entries of earlier versions.
    package let source: AuditSource?
    /// Whether the change is a dry run: the transaction that writes this entry is rolled back.
    package let isRehearsal: Bool
    /// The claim of the change's request to its key, which the same transaction records; `nil` without a key.
    package let claim: RequestClaim?
    /// The decision on an approval request, which the same transaction records; `nil` for any other entry.
    package let decision: ApprovalDecision?
    /// The entries that the same transaction writes before this one.
    package let companions: [AuditEntry]

    package init(
        time: Timestamp, actor: String, action: String, app: AppID?, subject: String, details: [JSON.Member] = [],
        source: AuditSource? = nil, isRehearsal: Bool = false, claim: RequestClaim? = nil,
        decision: ApprovalDecision? = nil, companions: [AuditEntry] = []
    ) {
        self.time = time
        self.actor = actor
        self.action = action
        self.app = app
        self.subject = subject
        self.details = details
        self.source = source
        self.isRehearsal = isRehearsal
        self.claim = claim
        self.decision = decision
        self.companions = companions
    }

    /// Returns a copy with other details.
    package func with(details: [JSON.Member]) -> AuditEntry {
        AuditEntry(
            time: time, actor: actor, action: action, app: app, subject: subject, details: details, source: source,
            isRehearsal: isRehearsal, claim: claim, decision: decision, companions: companions)
    }

    /// Returns the entry with its id as publishers and the receivers of webhooks may see it.
    package func json(_ id: Int64) -> JSON { .object(members(id, isPublic: true)) }

    /// Returns the members of the entry with its id.
    ///
    /// - Parameter isPublic: Whether the members that only admins may read are left out: the source, which may contain an
    ///   address, and the object before and after the change.
    func members(_ id: Int64, isPublic: Bool) -> [JSON.Member] {
        let members: [(String, JSON?)] = [
            ("id", .integer(id)), ("time", .string(time.rfc3339)), ("actor", .string(actor)),
            ("action", .string(action)), ("app", app.map { .string($0.text) }), ("subject", .string(subject)),
            ("from", isPublic ? nil : source?.json), ("details", .object(isPublic ? publicDetails : details)),
        ]
        return members.compactMap { key, value in value.map { JSON.Member(key, $0) } }
    }

    private var publicDetails: [JSON.Member] { details.filter { !AuditChange.Name.all.contains($0.key) } }
}

package import Domain

/// Whoever makes a change: the holder of a token, or the server itself.
package struct Operator: Sendable, Equatable {
    package let name: String
    package let role: Role
    /// The id of the token; `nil` for the server itself.
    package let token: Int64?
    /// Whether what the operator changes is a dry run: every check is made, and nothing is kept.
    ///
    /// The store rolls back the transaction of each change, whose audit entry says so (``AuditEntry/isRehearsal``).
    package private(set) var isRehearsing = false

    init(token: Token) {
        name = "\(token.name) (#\(token.id))"
        role = token.role
        self.token = token.id
    }

    private init(name: String, role: Role) {
        self.name = name
        self.role = role
        token = nil
    }

    /// What the server does by itself.
    package static let server = Operator(name: "server", role: .admin)

    /// The operator, in a dry run.
    package var rehearsing: Operator {
        var other = self
        other.isRehearsing = true
        return other
    }

    /// Throws `forbidden` where the role is below what is needed.
    package func require(_ needed: Role) throws(PlatformError) {
        guard role >= needed else {
            throw PlatformError(
                .forbidden,
                "This token has the role '\(role.rawValue)'; what you asked for needs '\(needed.rawValue)'.")
        }
    }

    func audit(
        _ action: AuditAction, _ subject: String, in app: AppID?, at time: Timestamp, _ details: [JSON.Member] = []
    ) -> AuditEntry {
        AuditEntry(
            time: time, actor: name, action: action.rawValue, app: app, subject: subject, details: details,
            isRehearsal: isRehearsing)
    }
}

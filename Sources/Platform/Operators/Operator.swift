package import Domain

/// Whoever makes a change: the holder of a token, or the server itself.
package struct Operator: Sendable, Equatable {
    package let name: String
    package let role: Role
    /// The id of the token; `nil` for the server itself.
    package let token: Int64?

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

    /// Throws `forbidden` where the role is below what is needed.
    package func require(_ needed: Role) throws(PlatformError) {
        guard role >= needed else {
            throw PlatformError(
                .forbidden,
                "This token has the role '\(role.rawValue)'; what you asked for needs '\(needed.rawValue)'.")
        }
    }

    func audit(
        _ action: String, _ subject: String, in app: AppID?, at time: Timestamp, _ details: [JSON.Member] = []
    ) -> AuditEntry {
        AuditEntry(time: time, actor: name, action: action, app: app, subject: subject, details: details)
    }
}

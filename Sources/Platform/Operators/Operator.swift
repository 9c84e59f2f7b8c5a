package import Domain
import Ground

/// The author of a change: the holder of a token, or the server itself.
package struct Operator: Sendable, Equatable {
    package let name: String
    package let role: Role
    /// The id of the token; `nil` for the server itself.
    package let token: Int64?
    /// The address of the client that sent the request; `unknown` outside of one.
    package private(set) var address = "unknown"
    /// Whether the operator's changes are a dry run: every check runs, and no change is kept.
    package private(set) var isRehearsing = false
    /// The claim of the request to its key; `nil` without one.
    private var claim: RequestClaim?

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

    /// The author of automatic changes.
    package static let server = Operator(name: "server", role: .admin)

    /// A copy of this operator whose changes are dry runs.
    package var rehearsing: Operator {
        var other = self
        other.isRehearsing = true
        return other
    }

    /// Returns a copy of this operator whose changes claim the key of a request.
    package func claiming(_ claim: RequestClaim) -> Operator {
        var other = self
        other.claim = claim
        return other
    }

    /// A copy of this operator for preliminary steps, which leave the key to the change that the request is for.
    var unclaiming: Operator {
        var other = self
        other.claim = nil
        return other
    }

    /// Returns a copy of this operator who sends a request from an address.
    package func at(_ address: String) -> Operator {
        var other = self
        other.address = address
        return other
    }

    /// Throws `forbidden` if the role is below the required one.
    package func require(_ needed: Role) throws(PlatformError) {
        guard role >= needed else {
            throw PlatformError(
                .forbidden,
                "This token has the role '\(role.rawValue)'. The request requires the role '\(needed.rawValue)'.")
        }
    }

    /// Returns the entry of an action by the operator.
    ///
    /// - Parameter change: The object before and after the action; only admins read it.
    func audit(
        _ action: AuditAction, _ subject: String, in app: AppID?, at time: Timestamp, _ details: [JSON.Member] = [],
        change: AuditChange
    ) -> AuditEntry {
        AuditEntry(
            time: time, actor: name, action: action.rawValue, app: app, subject: subject,
            details: details + change.members,
            source: token.map { .token($0, address: address) } ?? .server, isRehearsal: isRehearsing,
            claim: claim)
    }
}

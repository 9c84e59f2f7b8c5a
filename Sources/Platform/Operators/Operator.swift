package import Domain
package import Ground

/// The author of a change: the holder of a token, or the server itself.
package struct Operator: Sendable, Equatable {
    package let name: String
    package let grants: [Grant]
    /// The id of the token; `nil` for the server itself.
    package let token: Int64?
    /// The first instant at which the operator is no longer authenticated; `nil` if there is none.
    package let end: Timestamp?
    /// The address of the client that sent the request; `unknown` outside of one.
    package private(set) var address = "unknown"
    /// Whether the operator's changes are a dry run: every check runs, and no change is kept.
    package private(set) var isRehearsing = false
    /// The claim of the request to its key; `nil` without one.
    private var claim: RequestClaim?

    init(_ found: FoundToken) {
        name = "\(found.token.name) (#\(found.token.id))"
        grants = [found.token.grant]
        token = found.token.id
        end = found.end
    }

    private init(name: String, grants: [Grant]) {
        self.name = name
        self.grants = grants
        token = nil
        end = nil
    }

    /// The author of automatic changes.
    package static let server = Operator(name: "server", grants: [Grant(.admin, on: .everything)])

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

    /// The highest role in any scope.
    package var role: Role { grants.map(\.role).max() ?? .viewer }

    /// The roles with their scopes, in words.
    package var roles: String { grants.map(\.words).joined(separator: ", ") }

    /// Returns whether the operator has a role in all of a scope.
    package func has(_ role: Role, on scope: Scope) -> Bool { meets(Requirement(role, .on(scope))) }

    /// Returns whether the operator may read anything of an app.
    package func mayRead(_ app: AppID) -> Bool { meets(Requirement(.viewer, .within(app))) }

    /// Throws `forbidden` if no grant has what the request needs, and `appNotFound` for an app of which the operator must
    /// not know.
    package func require(_ requirement: Requirement) throws(PlatformError) {
        guard !meets(requirement) else { return }
        if let app = requirement.app, !mayRead(app) { throw .noApp(app) }
        let needed =
            grants.allSatisfy { $0.scope == .everything } ? "'\(requirement.role.rawValue)'" : requirement.words
        throw PlatformError(.forbidden, "This token has the role \(roles). The request requires the role \(needed).")
    }

    /// Throws the errors of ``require(_:)`` unless the operator has a role in all of a scope.
    package func require(_ role: Role, on scope: Scope) throws(PlatformError) {
        try require(Requirement(role, .on(scope)))
    }

    private func meets(_ requirement: Requirement) -> Bool { grants.contains { $0.meets(requirement) } }

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

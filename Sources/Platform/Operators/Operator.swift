package import Domain
package import Ground

/// The author of a change: the holder of a token, a user who is signed in, or the server itself.
package struct Operator: Sendable, Equatable {
    package let name: String
    package let grants: [Grant]
    /// The identity; `nil` for the server itself.
    package let principal: Principal?
    /// The user who is signed in; `nil` for a token and for the server itself.
    package let person: Person?
    /// The first instant at which the operator is no longer authenticated; `nil` if there is none.
    package let end: Timestamp?
    /// The address of the client that sent the request; `unknown` outside of one.
    package private(set) var address = "unknown"
    /// Whether the operator's changes are a dry run: every check runs, and no change is kept.
    package private(set) var isRehearsing = false
    /// The claim of the request to its key; `nil` without one.
    private var claim: RequestClaim?

    /// The permission to start or widen releases on a protected channel; `nil` without one.
    private(set) var clearance: Clearance?

    /// A permission to start or widen releases on a protected channel (decision 0081).
    enum Clearance: Sendable, Equatable {
        /// - Parameter audit: The entry of the approval, whose transaction is the one of the change.
        case approved(Approval, audit: AuditEntry)
        case breakGlass(reason: String, on: ChannelName)
    }

    /// A user who is signed in.
    package struct Person: Sendable, Equatable {
        package let user: UserID
        package let name: UserName
        package let session: Int64
        /// Whether the session is that of a browser, and not of a command line.
        package let isBrowser: Bool
    }

    init(_ found: FoundToken) {
        name = "\(found.token.name) (#\(found.token.id))"
        grants = [found.token.grant]
        principal = .token(found.token.id)
        person = nil
        end = found.end
    }

    /// - Parameter session: The session; `nil` while it begins.
    init(user: User, session: Session?) {
        name = user.actor
        grants = user.grants
        principal = .user(user.id)
        person = session.map { Person(user: user.id, name: user.name, session: $0.id, isBrowser: $0.machine == nil) }
        end = session?.idleEnd
    }

    private init(name: String, grants: [Grant]) {
        self.name = name
        self.grants = grants
        principal = nil
        person = nil
        end = nil
    }

    /// The author of automatic changes.
    package static let server = Operator(name: "server", grants: [Grant(.admin, on: .everything)])

    /// The id of the token; `nil` without one.
    package var token: Int64? {
        guard case .token(let id) = principal else { return nil }
        return id
    }

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

    /// Returns a copy of this operator whose changes may start or widen releases on a protected channel.
    func cleared(by clearance: Clearance) -> Operator {
        var other = self
        other.clearance = clearance
        return other
    }

    /// A copy of this operator for preliminary steps, which leave the key and the permission to the change that the request is
    /// for.
    var unclaiming: Operator {
        var other = self
        other.claim = nil
        other.clearance = nil
        return other
    }

    /// Returns a copy of this operator who sends a request from an address.
    package func at(_ address: String) -> Operator {
        var other = self
        other.address = address
        return other
    }

    /// Returns the user who is signed in; throws `forbidden` for a token.
    package func requirePerson() throws(PlatformError) -> Person {
        guard let person else {
            throw PlatformError(.forbidden, "This request is for users who are signed in, and tokens have no user.")
        }
        return person
    }

    /// Throws `forbidden` unless the user is signed in by a browser.
    ///
    /// A stolen secret of a command line could otherwise sign in further command lines, or remove the second factor, and
    /// both outlast it.
    ///
    /// - Parameter act: The act, as it follows "can", such as `sign in a command line`.
    package func requireBrowser(for act: String) throws(PlatformError) {
        guard try requirePerson().isBrowser else {
            throw PlatformError(.forbidden, "Only a browser can \(act). Open the console.")
        }
    }

    /// The highest role in any scope.
    package var role: Role { grants.map(\.role).max() ?? .viewer }

    /// The operator with the roles and their scopes, as the beginning of a sentence.
    package var roles: String {
        let roles = grants.map(\.words).joined(separator: ", ")
        return person.map { "The user '\($0.name)' has the role \(roles)." } ?? "This token has the role \(roles)."
    }

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
        throw PlatformError(.forbidden, "\(roles) The request requires the role \(needed).")
    }

    /// Throws `forbidden` for a token that ends, since a user or a trust that it makes would outlast it.
    func requireLasting() throws(PlatformError) {
        guard case .token = principal, let end else { return }
        throw PlatformError(
            .forbidden,
            "The secret of this request ends at \(end.rfc3339), and users and CI trusts last longer. Use a token without an "
                + "expiry, or sign in.")
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
        change: AuditChange, decision: ApprovalDecision? = nil
    ) -> AuditEntry {
        var details = details
        var companions: [AuditEntry] = []
        switch clearance {
        case .approved(let approval, let audit):
            details += [.init("approval", .integer(approval.id.value)), .init("approvedBy", .string(audit.actor))]
            companions.append(audit)
        case .breakGlass(let reason, let channel):
            companions.append(
                AuditEntry(
                    time: time, actor: name, action: AuditAction.breakGlass.rawValue, app: app, subject: channel.text,
                    details: [
                        .init("reason", .string(reason)), .init("action", .string(action.rawValue)),
                        .init("object", .string(subject)),
                    ], source: source, isRehearsal: isRehearsing))
            details.append(.init("breakGlass", .string(reason)))
        case nil: break
        }
        return AuditEntry(
            time: time, actor: name, action: action.rawValue, app: app, subject: subject,
            details: details + change.members, source: source, isRehearsal: isRehearsing, claim: claim,
            decision: decision, companions: companions)
    }

    private var source: AuditSource {
        switch principal {
        case .token(let id): .token(id, address: address)
        case .user(let id): .session(id, address: address)
        case nil: .server
        }
    }
}

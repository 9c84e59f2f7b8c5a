import Domain
import Ground
import HTTP
import Platform

/// The routes of tokens.
///
/// All of them require an admin of the token's scope, except the one that describes the caller's token.
struct TokenRoutes {
    let routes: OperatorRoutes

    private static let one = "/tokens/{id}"

    /// The states by which tokens can be filtered.
    private enum State: String, CaseIterable {
        case active
        case expired
        case revoked
    }

    /// A token in the list, whose state depends on the time.
    private struct ListedToken {
        let token: Token
        let instant: Timestamp

        var state: State {
            token.revokedAt != nil ? .revoked : token.isValid(at: instant) ? .active : .expired
        }
    }

    private static let list = ObjectList<ListedToken>(
        sorts: [
            .init("id") { [.number($0.token.id)] }, .init("name") { [.text($0.token.name), .number($0.token.id)] },
        ],
        filters: [.choice("role", Role.self) { $0.token.role }, .choice("state", State.self) { $0.state }])

    func add(to router: inout OperatorRouter) {
        let tokens = routes.services.tokens
        routes.add(.get, "/tokens", .admin, to: &router, scope: .any, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let now = routes.services.clock.now()
            let all = try await tokens.tokens(for: call.author).map { ListedToken(token: $0, instant: now) }
            return try Self.list.respond("tokens", all, to: call) { .object(Self.members(of: $0.token)) }
        }
        routes.add(.get, "/token", .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            .json(.ok, .object(Self.members(of: call.author)))
        }
        routes.add(.get, Self.one, .admin, to: &router, scope: .any) { call throws(PlatformError) in
            Self.respond(try await tokens.requireToken(try call.parameters.read(.token), for: call.author))
        }
        addChanges(to: &router)
        addEnd(to: &router)
    }

    private func addChanges(to router: inout OperatorRouter) {
        let (tokens, follower) = (routes.services.tokens, routes.services.auditFollower)
        routes.add(.post, "/tokens", .admin, to: &router, scope: .any, idempotency: .keepsOutcome) {
            call throws(PlatformError) in
            var body = try await call.json()
            let name = try body.string("name") ?? ""
            let grant = try body.grant()
            let expiresAt = try body.time("expiresAt")
            try body.finish()
            let made = try await tokens.create(
                name: name, role: grant.role, on: grant.scope, expiresAt: expiresAt, by: call.author)
            return Self.respond(made, .created, isRehearsing: call.author.isRehearsing)
        }
        routes.add(.patch, Self.one, .admin, to: &router, scope: .any, hasTag: true) { call throws(PlatformError) in
            let id = try call.parameters.read(.token)
            var body = try await call.json()
            let name = try body.string("name")
            let expiresAt = try body.optionalTime("expiresAt")
            try body.finish()
            guard name != nil || expiresAt != nil else {
                throw PlatformError(.invalidRequest, "Give 'name', 'expiresAt' or both.")
            }
            return Self.respond(
                try await tokens.change(
                    id, name: name, expiresAt: expiresAt, ifMatch: call.precondition, by: call.author))
        }
        routes.add(
            .post, Self.one + "/rotate", .admin, to: &router, scope: .any, idempotency: .keepsOutcome, hasTag: true
        ) { call throws(PlatformError) in
            let id = try call.parameters.read(.token)
            var body = try await call.json()
            let seconds = try body.integer("overlapSeconds", in: Token.overlapSeconds)
            try body.finish()
            let made = try await tokens.rotate(
                id, overlapSeconds: seconds ?? Token.standardOverlapSeconds, ifMatch: call.precondition,
                by: call.author)
            // A stream that the former secret opened begins anew by a secret that is valid then.
            if !call.author.isRehearsing { follower.end(.token(id)) }
            return Self.respond(made, .ok, isRehearsing: call.author.isRehearsing)
        }
    }

    private func addEnd(to router: inout OperatorRouter) {
        let (tokens, uploads) = (routes.services.tokens, routes.services.uploads)
        let follower = routes.services.auditFollower
        routes.add(.delete, Self.one, .admin, to: &router, scope: .any, hasTag: true) { call throws(PlatformError) in
            let id = try call.parameters.read(.token)
            let token = try await tokens.revoke(id, ifMatch: call.precondition, by: call.author)
            if !call.author.isRehearsing { follower.end(.token(id)) }
            // The token's uploads have no owner now; the next start removes files that cannot be removed here.
            if !call.author.isRehearsing { try? await uploads.deleteAll(of: .token(id)) }
            return Self.respond(token)
        }
    }

    private static func respond(_ token: Token) -> Response {
        .json(.ok, .object(members(of: token)), fields: [.etag: "\"\(token.revision)\""])
    }

    /// Responds with a token and its new secret, which only this response contains.
    ///
    /// A dry run's secret is not stored, so it is not shown either.
    static func respond(
        _ made: TokenAuthority.Made, _ status: Status, isRehearsing: Bool = false
    ) -> Response {
        let secret = isRehearsing ? [] : [JSON.Member("token", .string(made.secret))]
        return .json(
            status, .object(members(of: made.token) + secret), fields: [.etag: "\"\(made.token.revision)\""])
    }

    /// Returns the description of the caller's own token.
    private static func members(of author: Operator) -> [JSON.Member] {
        let id: [JSON.Member] = [
            .init("id", author.token.map { .integer($0) } ?? .null), .init("actor", .string(author.name)),
        ]
        let end = author.end.map { [JSON.Member("expiresAt", .string($0.rfc3339))] } ?? []
        return id + (author.grants.first?.members ?? []) + end
    }

    private static func members(of token: Token) -> [JSON.Member] {
        let named: [JSON.Member] = [.init("id", .integer(token.id)), .init("name", .string(token.name))]
        let times = [
            ("createdAt", token.createdAt), ("expiresAt", token.expiresAt), ("lastUsedAt", token.lastUsedAt),
            ("revokedAt", token.revokedAt), ("previousSecretExpiresAt", token.previousSecretExpiresAt),
        ].compactMap { name, time in time.map { JSON.Member(name, .string($0.rfc3339)) } }
        let owner = token.owner.map { [JSON.Member("owner", .string($0))] } ?? []
        return named + token.grant.members + owner + times
    }
}

extension JSONReader {
    /// Takes the members of a grant: `role`, and the optional `app` and `channel`.
    mutating func grant() throws(PlatformError) -> Grant {
        guard let role = try string("role").flatMap(Role.init(rawValue:)) else {
            throw Self.wrong("role", "one of " + Role.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let (app, channel) = (try string("app"), try string("channel"))
        let scope = Scope(
            app: try app.map { (app) throws(PlatformError) in try NameKind.app.read(app) },
            channel: try channel.map { (channel) throws(PlatformError) in try NameKind.channel.read(channel) })
        guard let scope else {
            throw PlatformError(.invalidRequest, "'channel' needs 'app', the app that has the channel.")
        }
        return Grant(role, on: scope)
    }

    /// Takes a time; returns `.some(nil)` for `null`.
    mutating func optionalTime(_ key: String) throws(PlatformError) -> Timestamp?? {
        guard let value = take(key) else { return nil }
        guard value != .null else { return .some(nil) }
        guard let time = value.string.flatMap(Timestamp.init(rfc3339:)) else {
            throw Self.wrong(key, "null, or a time in the format of RFC 3339, such as \"2026-12-01T00:00:00Z\"")
        }
        return time
    }
}

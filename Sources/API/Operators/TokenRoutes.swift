import Domain
import Ground
import HTTP
import Platform

/// The routes of tokens.
///
/// All of them require an admin, except the one that describes the caller's token.
struct TokenRoutes {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let (tokens, uploads) = (routes.services.tokens, routes.services.uploads)
        let follower = routes.services.auditFollower
        routes.add(.get, "/tokens", .admin, to: &router) { _ throws(PlatformError) in
            .json(.ok, .object(["tokens": .array(try await tokens.tokens().map(Self.json))]))
        }
        routes.add(.get, "/token", .publisher, to: &router) { call throws(PlatformError) in
            .json(
                .ok,
                .object([
                    "id": call.author.token.map { .integer($0) } ?? .null, "actor": .string(call.author.name),
                    "role": .string(call.author.role.rawValue),
                ]))
        }
        routes.add(.post, "/tokens", .admin, to: &router, idempotency: .keepsOutcome) { call throws(PlatformError) in
            var body = try await call.json()
            let name = try body.string("name") ?? ""
            guard let role = try body.string("role").flatMap(Role.init(rawValue:)) else {
                throw JSONReader.wrong("role", "one of " + Role.allCases.map(\.rawValue).joined(separator: ", "))
            }
            try body.finish()
            let (token, secret) = try await tokens.create(name: name, role: role, by: call.author)
            // A dry run's secret is not stored, so it is not shown either.
            let more = call.author.isRehearsing ? [] : [JSON.Member("token", .string(secret))]
            return .json(.created, .object((Self.json(token).members ?? []) + more))
        }
        routes.add(.delete, "/tokens/{id}", .admin, to: &router) { call throws(PlatformError) in
            let id = try call.parameters.read(.token)
            let token = try await tokens.revoke(id, by: call.author)
            if !call.author.isRehearsing { follower.end(token: id) }
            // The token's uploads have no owner now; the next start removes files that cannot be removed here.
            if !call.author.isRehearsing { try? await uploads.deleteAll(ofToken: id) }
            return .json(.ok, Self.json(token))
        }
    }

    private static func json(_ token: Token) -> JSON {
        .object([
            "id": .integer(token.id), "name": .string(token.name), "role": .string(token.role.rawValue),
            "createdAt": .string(token.createdAt.rfc3339),
            "revokedAt": token.revokedAt.map { .string($0.rfc3339) },
        ])
    }
}

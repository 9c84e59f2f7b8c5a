import Domain
import Ground
import HTTP

/// The router of the service with a description of the routes that need a role.
struct OperatorRouter {
    /// The description of a route, as `GET /api/v1` shows it.
    struct Description: Sendable {
        let method: Method
        let path: String
        /// The role; `nil` for a route that needs neither a token nor a session (``OperatorRoutes/addOpen(_:_:unneeded:to:_:)``).
        let role: Role?
        let scope: RouteScope
        let parameters: QueryParameters
        var idempotency = IdempotencySupport.keepsResponse
        /// Whether the target of the route has an entity tag, which a change may require.
        var hasTag = false

        var json: JSON {
            .object([
                "method": .string(method.token), "path": .string(path),
                "role": role.map { .string($0.rawValue) } ?? .null,
                "scope": .string(scope.rawValue),
                "parameters": .array(parameters.names.map { .string($0) }),
                "parameterPrefix": parameters.prefix.map { .string($0) },
            ])
        }
    }

    var router = Router<APIEndpoint>()
    private(set) var descriptions: [Description] = []

    mutating func add(_ description: Description, _ endpoint: APIEndpoint) {
        router.add(description.method, description.path, endpoint)
        descriptions.append(description)
    }
}

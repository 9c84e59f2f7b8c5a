/// The result of routing a request.
package enum RouteMatch<Endpoint: Sendable>: Sendable {
    /// The endpoint with the values of its placeholders.
    case found(Endpoint, PathValues, RouteID)
    /// The path exists for other methods: 405 with these methods in `Allow`.
    case methodNotAllowed(allow: [Method])
    /// The target is the server as a whole, `OPTIONS *` (RFC 9110 §9.3.7); these are the methods of all paths.
    case server(allow: [Method])
    /// No route has the path: 404.
    case notFound
    /// The path is rejected: 400. See ``Router/match(_:_:)``.
    case badPath
}

/// Where a request leads.
package enum RouteMatch<Endpoint: Sendable>: Sendable {
    /// To an endpoint.
    case found(Endpoint, PathParameters, RouteID)
    /// To a path that knows other methods: 405 with these in `Allow`.
    case methodNotAllowed(allow: [Method])
    /// To the server as a whole, `OPTIONS *` (RFC 9110 §9.3.7): these are the methods that some path knows.
    case server(allow: [Method])
    /// Nowhere: 404.
    case notFound
    /// To a path that is refused: 400. See ``Router/match(_:_:)``.
    case badPath
}

import HTTP

/// A host that serves only uploaded content, so that its pages have another origin than the console.
struct ContentHost: Sendable {
    /// The host's name without port: no other port of this name serves anything else.
    private let name: [UInt8]
    let router: Router<APIEndpoint>
    /// The application's ids of the routes of `router`.
    private let routes: [RouteID]

    /// - Parameter names: The names of the application's routes, which include those of `router`.
    init(at url: PublicURL, router: Router<APIEndpoint>, among names: [String]) {
        name = Array(url.host.utf8)
        self.router = router
        routes = router.names.map { name in names.firstIndex(of: name).map { RouteID($0) } ?? RouteID.none }
    }

    /// Returns whether a request is for this host.
    func isAsked(by head: RequestHead) -> Bool {
        head.bytes(of: .host).map { PublicURL.hostName(in: Array($0)) == name } ?? false
    }

    /// Returns the application's id of a route of `router`.
    func route(_ route: RouteID) -> RouteID { routes[Int(route.index)] }
}

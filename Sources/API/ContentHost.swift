import HTTP

/// A host that serves nothing but what was uploaded, so that its pages are of another origin than the console.
struct ContentHost: Sendable {
    /// Whatever the port: at another one of the same name there is nothing else either.
    private let name: [UInt8]
    let router: Router<APIEndpoint>
    /// What the routes of its router are called among those of the application.
    private let routes: [RouteID]

    /// - Parameter names: What the routes of the application are called, among which those of `router` are.
    init(at url: PublicURL, router: Router<APIEndpoint>, among names: [String]) {
        name = Array(url.host.utf8)
        self.router = router
        routes = router.names.map { name in names.firstIndex(of: name).map { RouteID($0) } ?? RouteID.none }
    }

    /// Whether a request is for this host.
    func isAsked(by head: RequestHead) -> Bool {
        head.bytes(of: .host).map { PublicURL.hostName(in: Array($0)) == name } ?? false
    }

    /// The application's own word for a route of the router.
    func route(_ route: RouteID) -> RouteID { routes[Int(route.index)] }
}

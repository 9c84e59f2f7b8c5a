import HTTP

/// A host that serves nothing but what was uploaded, so that its pages are of another origin than the console.
struct ContentHost: Sendable {
    /// What `Host` says in requests for it, in lower case.
    private let names: [[UInt8]]
    let router: Router<APIEndpoint>
    /// What the routes of its router are called among those of the application.
    private let routes: [RouteID]

    /// - Parameter names: What the routes of the application are called, among which those of `router` are.
    init(at url: PublicURL, router: Router<APIEndpoint>, among names: [String]) {
        self.names = url.hostFields.map { Array($0.utf8) }
        self.router = router
        routes = router.names.map { name in names.firstIndex(of: name).map { RouteID($0) } ?? RouteID.none }
    }

    /// Whether a request is for this host.
    func isAsked(by head: RequestHead) -> Bool {
        guard let host = head.bytes(of: .host) else { return false }
        return names.contains { name in
            name.count == host.count
                && zip(name, host).allSatisfy { $0 == ((0x41...0x5A).contains($1) ? $1 | 0x20 : $1) }
        }
    }

    /// The application's own word for a route of the router.
    func route(_ route: RouteID) -> RouteID { routes[Int(route.index)] }
}

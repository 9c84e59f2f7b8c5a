import Domain
import HTTP
import Platform

/// `/metrics`, for whoever has a token: what the routes are and how busy they are is nobody else's business.
struct MetricsRoute {
    static let path = "/metrics"

    let routes: OperatorRoutes
    let traffic: any TrafficSource

    /// Adds the route; it comes last, since it knows all names up to its own.
    func add(to router: inout Router<APIEndpoint>) {
        let traffic = traffic
        let names = router.names + ["\(Method.get.token) \(Self.path)"]
        routes.add(.get, path: Self.path, .publisher, to: &router) { _ throws(PlatformError) in
            let text = MetricsDocument(await traffic.traffic(), routes: names).text
            return Response(
                .ok,
                fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: .bytes(Array(text.utf8)))
        }
    }
}

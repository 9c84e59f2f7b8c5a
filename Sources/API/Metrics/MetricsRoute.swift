import Domain
import HTTP
import Platform

/// The route `/metrics`, which requires a token because it shows the routes and their load.
struct MetricsRoute {
    let routes: OperatorRoutes
    let traffic: any TrafficSource
    let names: RouteNames

    func add(to router: inout Router<APIEndpoint>) {
        let (traffic, names, devices) = (traffic, names, routes.services.devicesSeen)
        let (blobs, reports, contact) = (routes.services.blobs, routes.services.reports, routes.services.contact)
        let nodes = routes.services.nodes
        routes.add(.get, path: "/metrics", .publisher, to: &router) { _ throws(PlatformError) in
            let text = MetricsDocument(
                await traffic.traffic(), routes: names.all, devices: devices.figures,
                snapshotAge: contact.snapshotAge ?? 0, spool: reports.spoolFigures, blobs: blobs.figures,
                nodes: nodes
            ).text
            return Response(
                .ok,
                fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: .bytes(Array(text.utf8)))
        }
    }
}

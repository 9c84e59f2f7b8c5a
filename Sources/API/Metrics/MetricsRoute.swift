import Domain
import HTTP
import Platform

/// The route `/metrics`, which requires a token because it shows the routes and their load.
struct MetricsRoute {
    let routes: OperatorRoutes
    let traffic: any TrafficSource
    let reportCounters: ReportCounters
    /// The number of requests that may wait on `/push`.
    let pollLimit: Int
    let names: RouteNames

    func add(to router: inout OperatorRouter) {
        let (traffic, names, pollLimit, devices) = (traffic, names, pollLimit, routes.services.devicesSeen)
        let (blobs, reports, contact) = (routes.services.blobs, routes.services.reports, routes.services.contact)
        let (nodes, webhooks, counters) = (routes.services.nodes, routes.services.webhookSender, reportCounters)
        routes.add(.get, path: "/metrics", .viewer, to: &router) { _ throws(PlatformError) in
            let text = MetricsDocument(
                await traffic.traffic(), routes: names.all, pollLimit: pollLimit, devices: devices.figures,
                snapshotAge: contact.snapshotAge ?? 0, reports: counters.figures,
                knownSeconds: reports.knownSeconds, spool: reports.spoolFigures, webhooks: webhooks.counts,
                blobs: blobs.figures, nodes: nodes
            ).text
            return Response(
                .ok,
                fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: .bytes(Array(text.utf8)))
        }
    }
}

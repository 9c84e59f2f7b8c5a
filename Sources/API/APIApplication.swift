import Domain
package import HTTP
import Platform

/// The application that the server runs: all routes of the service.
package final class APIApplication: Application {
    private let router: Router<APIEndpoint>
    private let contentHost: ContentHost?
    private let log: any Log

    /// - Parameters:
    ///   - publicURL: The base of the URLs in responses.
    ///   - isPublicURLSet: Whether the operator has set `publicURL`; signing in by a provider needs that.
    ///   - cdnURL: The base of the URLs of blobs in responses for devices, if a cache in front of the server sends them.
    ///   - contentURL: The separate host of uploaded pages; without it the pages share the host and are sandboxed.
    ///   - console: The files under `/console/`.
    ///   - facts: The facts that the process knows of itself.
    ///   - traffic: The source of the figures of `/metrics`.
    ///   - maxConnections: The limit of the server's connections, most of which may wait on `/push`.
    ///   - limits: The requests per second that one address or token may make.
    ///   - elapsed: A clock that never jumps.
    package init(
        services: Services, publicURL: PublicURL, isPublicURLSet: Bool = true, contentURL: PublicURL? = nil,
        cdnURL: PublicURL? = nil, console: [ConsoleFile], facts: ServerFacts,
        traffic: any TrafficSource, maxConnections: Int, limits: RateLimits,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        var operatorRouter = OperatorRouter()
        let gates = RateGates(limits, elapsed: elapsed)
        let operators = OperatorRoutes(
            services: services, publicURL: publicURL, isPublicURLSet: isPublicURLSet, gates: gates)
        let unshared = ResponseBudget()
        let reportCounters = ReportCounters()
        let blobURL = cdnURL ?? publicURL
        let isolation = UnpackedFiles.Isolation(isHostShared: contentURL == nil)
        let lookups = LookupQueue()
        let context = DialectContext(
            services: services, blobURL: blobURL, isolation: isolation, lookups: lookups, unshared: unshared)
        let endpoints = services.dialects.map { $0.makeEndpoint(in: context) }
        ClientRoutes(
            services: services, blobURL: blobURL, contentURL: contentURL ?? publicURL, gates: gates,
            reportCounters: reportCounters, unshared: unshared, dialects: endpoints, maxConnections: maxConnections
        ).add(to: &operatorRouter.router)
        let content = ContentRoutes(
            blobs: BlobEndpoint(services),
            online: OnlineEndpoint(services: services, isolation: isolation, lookups: lookups),
            dialects: endpoints,
            log: services.log)
        content.add(to: &operatorRouter.router, redirectingTo: contentURL)
        operators.add(to: &operatorRouter)
        SystemRoutes(services: services, console: console).add(to: &operatorRouter.router)
        let names = RouteNames()
        let pollLimit = PushAdmission.capacity(ofConnections: maxConnections)
        MetricsRoute(
            routes: operators, traffic: traffic, reportCounters: reportCounters,
            pollLimit: pollLimit, names: names
        ).add(to: &operatorRouter)
        SystemRoute(routes: operators, facts: facts, traffic: traffic, pollLimit: pollLimit).add(to: &operatorRouter)
        operators.addList(to: &operatorRouter)
        operators.addDescription(to: &operatorRouter)
        router = operatorRouter.router
        names.set(router.names)
        contentHost = contentURL.map { url in
            var router = Router<APIEndpoint>()
            content.add(to: &router)
            return ContentHost(at: url, router: router, among: names.all)
        }
        log = services.log
    }

    package var routes: [String] { router.names }

    package func decide(_ head: RequestHead) -> Decision {
        guard let contentHost, contentHost.isAsked(by: head) else { return decide(head, router) }
        var decision = decide(head, contentHost.router)
        decision.route = contentHost.route(decision.route)
        return decision
    }

    private func decide(_ head: RequestHead, _ router: Router<APIEndpoint>) -> Decision {
        var route = RouteID.none
        do throws(PlatformError) {
            guard !head.hasTooManyParameters else { return Decision(.respond(tooManyParameters)) }
            switch router.match(head.method, head) {
            case .found(let endpoint, let values, let id):
                route = id
                return Decision(try endpoint.respond(head, PathParameters(values)), by: id)
            case .methodNotAllowed(let allowed), .server(let allowed):
                return Decision(.respond(respond(to: head.method, allowed: allowed)))
            case .notFound:
                throw PlatformError(.notFound, "No route or file exists at this path.")
            case .badPath:
                throw PlatformError(.invalidRequest, "The path is invalid.")
            }
        } catch {
            return Decision(.respond(error.response(log: log)), by: route)
        }
    }

    private var tooManyParameters: Response {
        PlatformError(
            .invalidRequest,
            "The query has more than \(Query.maximumPairs) parameters. Send at most \(Query.maximumPairs)."
        ).response(log: log).readableByPages
    }

    /// Returns the response to a method without an endpoint: the allowed methods for `OPTIONS`, otherwise an error.
    private func respond(to method: Method, allowed: [Method]) -> Response {
        let methods = (allowed.filter { $0 != .options } + [.options]).map(\.token).joined(separator: ", ")
        guard method != .options else { return Response(.noContent, fields: [.allow: methods]) }
        var response = PlatformError(
            .methodNotAllowed, "This path does not allow \(method). Allowed methods: \(methods)."
        ).response(log: log)
        response.fields[.allow] = methods
        return response
    }
}

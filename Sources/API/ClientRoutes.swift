import Domain
import Ground
import HTTP
import Platform

/// The routes that apps call, except ``ContentRoutes``; they need no token and allow CORS.
struct ClientRoutes {
    let services: Services
    let publicURL: PublicURL
    /// The base URL of the unpacked copies.
    let contentURL: PublicURL
    let gates: RateGates
    /// The package whose newest archive is at `/@`.
    let newestPackageAt: PackageID?

    func add(to router: inout Router<APIEndpoint>) {
        let unshared = ResponseBudget()
        let config = ConfigEndpoint(
            services: services, publicURL: publicURL, contentURL: contentURL, unshared: unshared)
        let push = PushEndpoint(live: services.live)
        let report = ReportEndpoint(live: services.live, intake: services.reports)
        let keys = KeysEndpoint(services: services)
        let permissions = PermissionsEndpoint(services: services)
        let log = services.log
        let gates = gates

        for prefix in ClientBase.patterns {
            router.addForPages(.get, prefix + "/config", log) { head, parameters throws(PlatformError) in
                try config.answer(head, try parameters.base())
            }
            router.addForPages(.get, prefix + "/push", log) { head, parameters throws(PlatformError) in
                try push.answer(head, try parameters.base())
            }
            router.addForPages(.get, prefix + "/report", log) { head, parameters throws(PlatformError) in
                try gates.admitReport(from: head.client)
                return .respond(try report.bare(try parameters.base()))
            }
            router.addForPages(.post, prefix + "/report", log) { head, parameters throws(PlatformError) in
                try gates.admitReport(from: head.client)
                let base = try parameters.base()
                return .handle(bodyLimit: ReportEndpoint.bodyLimit) { request in
                    await readable(log) { () throws(PlatformError) in try await report.answer(request, base) }
                }
            }
            router.addForPages(.get, prefix + "/keys.json", log) { head, parameters throws(PlatformError) in
                try keys.answer(head, try parameters.base())
            }
            router.addForPages(.get, prefix + "/permissions", log) { head, parameters throws(PlatformError) in
                try gates.admitGrant(from: head.client)
                return try permissions.answer(head, try parameters.base())
            }
            for path in ["/config", "/push", "/keys.json", "/permissions"] {
                router.addPreflight([.get, .head], prefix + path)
            }
            router.addPreflight([.get, .head, .post], prefix + "/report")
        }
        addDialects(to: &router, unshared)
    }

    /// - Parameter unshared: The budget of responses that only one client gets.
    private func addDialects(to router: inout Router<APIEndpoint>, _ unshared: ResponseBudget) {
        let newest = NewestPackageEndpoint(services: services, publicURL: publicURL, packageAt: newestPackageAt)
        let info = InfoJSONEndpoint(services: services, unshared: unshared)
        let resources = ResourcesEndpoint(services: services, publicURL: publicURL, unshared: unshared)
        let log = services.log

        for prefix in ClientBase.patterns {
            router.addForPages(.post, prefix + "/getNewestPackage", log) { _, parameters throws(PlatformError) in
                let base = try parameters.base()
                return .handle(bodyLimit: NewestPackageEndpoint.bodyLimit) { request in
                    await readable(log) { () throws(PlatformError) in try await newest.answer(request, base) }
                }
            }
            router.addPreflight([.post], prefix + "/getNewestPackage")
            router.addForPages(.get, prefix + "/packages/{package}/info.json", log) {
                head, parameters throws(PlatformError) in
                try info.answer(head, parameters)
            }
            router.addPreflight([.get, .head], prefix + "/packages/{package}/info.json")
            for path in ["/packages/{package}/resources.json", "/resources.json"] {
                router.addForPages(.get, prefix + path, log) { head, parameters throws(PlatformError) in
                    try resources.answer(head, parameters)
                }
                router.addPreflight([.get, .head], prefix + path)
            }
        }
        router.addForPages(.get, "/@", log) { head, _ throws(PlatformError) in .respond(try newest.newest(head)) }
        router.addPreflight([.get, .head], "/@")
    }
}

extension Router where Endpoint == APIEndpoint {
    /// Adds the response to the preflight requests that browsers send before a page's request.
    mutating func addPreflight(_ methods: [Method], _ pattern: String) {
        let answer = CORS.preflight(methods)
        add(.options, pattern) { _, _ throws(PlatformError) in .prepared(answer) }
    }

    /// Adds a route whose error responses carry CORS fields, so that pages see the error instead of a network failure.
    mutating func addForPages(
        _ method: Method, _ pattern: String, _ log: any Log,
        answer: @escaping @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
    ) {
        add(method, pattern) { head, parameters throws(PlatformError) in
            do throws(PlatformError) { return try answer(head, parameters) } catch {
                return .respond(error.response(log: log).readableByPages)
            }
        }
    }
}

/// Runs a handler and returns its response, or the error response for the error that it throws.
func answering(
    _ log: any Log, _ body: () async throws(PlatformError) -> Response
) async -> Response {
    do throws(PlatformError) { return try await body() } catch { return error.response(log: log) }
}

/// Runs a client route's handler and returns a response that pages of any origin can read.
func readable(
    _ log: any Log, _ body: () async throws(PlatformError) -> Response
) async -> Response {
    await answering(log, body).readableByPages
}

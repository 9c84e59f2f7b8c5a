package import Domain
import Ground
package import HTTP
import Platform

/// The routes that apps call, except ``ContentRoutes``; they need no token and allow CORS.
struct ClientRoutes {
    let services: Services
    /// The base of the URLs of archives and patches.
    let blobURL: PublicURL
    /// The base URL of the unpacked copies.
    let contentURL: PublicURL
    let gates: RateGates
    let reportCounters: ReportCounters
    /// The budget of responses that only one client gets.
    let unshared: ResponseBudget
    let dialects: [any DialectEndpoint]
    let maxConnections: Int

    func add(to router: inout Router<APIEndpoint>) {
        let config = ConfigEndpoint(
            services: services, blobURL: blobURL, contentURL: contentURL, unshared: unshared)
        let push = PushEndpoint(services: services, maxConnections: maxConnections)
        let report = ReportEndpoint(services: services, counters: reportCounters)
        let schema = ReportSchemaEndpoint(services: services)
        let keys = KeysEndpoint(services: services)
        let permissions = PermissionsEndpoint(services: services)
        let log = services.log
        let gates = gates
        let contact = services.contact

        for prefix in ClientBase.patterns {
            router.addForPages(.get, prefix + "/config", log) { head, parameters throws(PlatformError) in
                let disposition = try config.respond(head, try parameters.base())
                guard let age = contact.snapshotAge else { return disposition }
                return disposition.with(.larderSnapshotAge, String(age))
            }
            router.addForPages(.get, prefix + "/push", log) { head, parameters throws(PlatformError) in
                try push.respond(head, try parameters.base())
            }
            router.addForPages(.get, prefix + "/report", log) { head, parameters throws(PlatformError) in
                try gates.admitReport(from: head.client)
                return .respond(try report.bare(try parameters.base()))
            }
            router.addForPages(.post, prefix + "/report", log) { head, parameters throws(PlatformError) in
                try gates.admitReport(from: head.client)
                let base = try parameters.base()
                return .handle(bodyLimit: ReportEndpoint.bodyLimit) { request in
                    await readable(log) { () throws(PlatformError) in try await report.respond(request, base) }
                }
            }
            router.addForPages(.get, prefix + "/report/schema.json", log) { head, parameters throws(PlatformError) in
                try schema.respond(head, try parameters.base())
            }
            router.addForPages(.get, prefix + "/keys.json", log) { head, parameters throws(PlatformError) in
                try keys.respond(head, try parameters.base())
            }
            router.addForPages(.get, prefix + "/permissions", log) { head, parameters throws(PlatformError) in
                try gates.admitGrant(from: head.client)
                return try permissions.respond(head, try parameters.base())
            }
            for path in ["/config", "/push", "/report/schema.json", "/keys.json", "/permissions"] {
                router.addPreflight([.get, .head], prefix + path)
            }
            router.addPreflight([.get, .head, .post], prefix + "/report")
        }
        for dialect in dialects { dialect.addRoutes(to: &router) }
    }
}

/// Runs a handler and returns its response, or the error response for the error that it throws.
package func respondingToErrors(
    _ log: any Log, _ body: () async throws(PlatformError) -> Response
) async -> Response {
    do throws(PlatformError) { return try await body() } catch { return error.response(log: log) }
}

/// Runs a client route's handler and returns a response that pages of any origin can read.
package func readable(
    _ log: any Log, _ body: () async throws(PlatformError) -> Response
) async -> Response {
    await respondingToErrors(log, body).readableByPages
}

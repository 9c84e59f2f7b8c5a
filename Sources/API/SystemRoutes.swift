import Domain
import Ground
import HTTP
import Platform

/// The routes of health checks and the console.
struct SystemRoutes {
    let services: Services
    let console: [ConsoleFile]

    func add(to router: inout Router<APIEndpoint>) {
        let alive = PreparedResponse(
            .ok, fields: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: Array("ok\n".utf8))
        router.add(.get, "/healthz") { _, _ throws(PlatformError) in .prepared(alive) }

        let services = services
        router.add(.get, "/readyz") { _, _ throws(PlatformError) in
            .handle(bodyLimit: 0) { _ in
                do throws(PlatformError) {
                    try await services.live.check()
                    return .json(.ok, .object(["status": "ready"]))
                } catch {
                    services.log.write("readiness.failed", ["cause": error.cause ?? error.message])
                    return .json(.serviceUnavailable, .object(["status": "unavailable", "store": "not answering"]))
                }
            }
        }

        let console = ConsoleEndpoint(files: console, services: services)
        router.add(.get, "/console/{path...}") { head, parameters throws(PlatformError) in
            try console.respond(head, path: parameters.rest ?? "")
        }
        let redirect = PreparedResponse(.found, fields: [.location: "/console/", .cacheControl: "no-cache"])
        for path in ["/", "/console"] {
            router.add(.get, path) { _, _ throws(PlatformError) in .prepared(redirect) }
        }
    }
}

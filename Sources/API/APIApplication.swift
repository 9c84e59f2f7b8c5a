import Domain
package import HTTP
import Platform

/// All routes of the service, as the server asks for them.
package final class APIApplication: Application {
    private let router: Router<APIEndpoint>
    private let log: any Log

    /// - Parameters:
    ///   - publicURL: What the URLs in answers begin with.
    ///   - console: The files under `/console/`.
    package init(services: Services, publicURL: PublicURL, console: [ConsoleFile]) {
        var router = Router<APIEndpoint>()
        ClientRoutes(services: services, publicURL: publicURL).add(to: &router)
        OperatorRoutes(services: services, publicURL: publicURL).add(to: &router)
        SystemRoutes(services: services, console: console).add(to: &router)
        self.router = router
        log = services.log
    }

    package func disposition(of head: RequestHead) -> Disposition {
        do throws(PlatformError) {
            switch router.match(head.method, head) {
            case .found(let endpoint, let parameters, _): return try endpoint.answer(head, parameters)
            case .methodNotAllowed(let allowed):
                var response = PlatformError(
                    .methodNotAllowed,
                    "\(head.method) means nothing here; allowed: "
                        + allowed.map(\.token).joined(separator: ", ") + "."
                ).response(log: log)
                response.fields[.allow] = allowed.map(\.token).joined(separator: ", ")
                return .respond(response)
            case .notFound:
                throw PlatformError(.notFound, "There is nothing at this path.")
            case .badPath:
                throw PlatformError(.invalidRequest, "The path is not a valid one.")
            }
        } catch {
            return .respond(error.response(log: log))
        }
    }
}

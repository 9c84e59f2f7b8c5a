import Domain
import Ground
import HTTP
import Platform

/// The routes of grants, which allow native APIs to pages outside packages.
struct PageGrantRoutes {
    let routes: OperatorRoutes

    private static let list = ObjectList<PageGrant>(
        sorts: [
            .init("name") { [.text($0.name.text)] },
            .init("expires") { [.number($0.expiresAt.milliseconds), .text($0.name.text)] },
        ], filters: [.text { [$0.name.text, $0.origin.text + $0.path.text] }])

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let pattern = "/apps/{app}/page-grants"
        routes.add(.get, pattern, .viewer, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let grants = try await routes.services.pageGrants.pageGrants(of: try routes.app(call.parameters))
            return try Self.list.respond("pageGrants", grants, to: call, Self.json)
        }
        routes.add(.get, pattern + "/{grant}", .viewer, to: &router) { call throws(PlatformError) in
            let grant = try await routes.services.pageGrants.requirePageGrant(
                try call.parameters.read(.grant), of: try routes.app(call.parameters))
            return Self.respond(.ok, grant, routes)
        }
        routes.add(.put, pattern + "/{grant}", .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let name = try call.parameters.readNew(.grant)
            var body = try await call.json()
            let grant = try Self.grant(name, &body, at: routes.services.clock.now())
            let isNew = try await routes.services.pageGrants.putPageGrant(
                grant, of: app, ifMatch: call.precondition, by: call.author)
            return Self.respond(isNew ? .created : .ok, grant, routes)
        }
        routes.add(.delete, pattern + "/{grant}", .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let name = try call.parameters.read(.grant)
            let removed = try await routes.services.pageGrants.removePageGrant(
                name, of: app, ifMatch: call.precondition, by: call.author)
            return .json(.ok, Self.json(removed))
        }
    }

    private static func grant(
        _ name: GrantName, _ body: inout JSONReader, at now: Timestamp
    ) throws(PlatformError) -> PageGrant {
        let (origin, path) = (try body.string("origin") ?? "", try body.string("path") ?? "")
        let apis = try body.apiNames("apis", upTo: PageGrant.maximumAPIs)
        let expires = try body.string("expires").flatMap { Timestamp(rfc3339: $0) }
        try body.finish()
        guard let apis, !apis.isEmpty else {
            throw JSONReader.wrong("apis", "an array of the names of native APIs that the pages may use, at least one")
        }
        guard let expires, expires > now else {
            throw JSONReader.wrong("expires", "a future time, such as \"2030-01-31T00:00:00Z\"")
        }
        return PageGrant(
            name: name, origin: try read("origin") { () throws(PageFault) in try PageOrigin(origin) },
            path: try read("path") { () throws(PageFault) in try PagePath(path).prefix() },
            apis: apis, expiresAt: expires)
    }

    private static func read<Value>(
        _ key: String, _ body: () throws(PageFault) -> Value
    ) throws(PlatformError) -> Value {
        do throws(PageFault) { return try body() } catch {
            throw PlatformError(.invalidRequest, "'\(key)' \(error.message)")
        }
    }

    private static func respond(_ status: Status, _ grant: PageGrant, _ routes: OperatorRoutes) -> Response {
        .json(status, json(grant), tag: grant.tag(by: routes.services.cryptography))
    }

    private static func json(_ grant: PageGrant) -> JSON {
        .object([
            "name": .string(grant.name.text), "origin": .string(grant.origin.text), "path": .string(grant.path.text),
            "apis": .array(grant.apis.map { .string($0) }), "expires": .string(grant.expiresAt.rfc3339),
        ])
    }
}

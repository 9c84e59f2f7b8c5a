import Domain
import HTTP
import Platform

/// Builds of the host app: which native APIs each has, as its CI knows them.
struct BuildRoutes {
    let routes: OperatorRoutes

    func add(to router: inout Router<APIEndpoint>) {
        let routes = routes
        routes.add(.get, "/apps/{app}/builds", .publisher, to: &router) { call throws(PlatformError) in
            let builds = try await routes.services.store.builds(of: try routes.app(call.parameters).id)
            let list = builds.sorted { $0.key < $1.key }.map { Self.json($0.key, $0.value.sorted()) }
            return .json(.ok, .object(["builds": .array(list)]))
        }
        routes.add(.put, "/apps/{app}/builds/{appVersion}", .publisher, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            var body = try await call.json()
            let names = try body.apiNames("apis", upTo: HostBuild.maximumAPIs)
            try body.finish()
            guard let names else { throw JSONReader.wrong("apis", "a list of names of native APIs") }
            guard let build = HostBuild(appVersion: call.parameters["appVersion"] ?? "", apis: names) else {
                throw JSONReader.wrong("appVersion", "1 to \(DeviceFacts.maximumLength) bytes long")
            }
            let isNew = try await routes.services.catalogue.putBuild(build, of: app, by: call.author)
            return .json(isNew ? .created : .ok, Self.json(build.appVersion, build.apis))
        }
    }

    private static func json(_ appVersion: String, _ apis: [String]) -> JSON {
        .object(["appVersion": .string(appVersion), "apis": .array(apis.map { .string($0) })])
    }
}

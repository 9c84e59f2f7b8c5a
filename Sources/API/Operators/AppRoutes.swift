import Domain
import Ground
import HTTP
import Platform

/// The routes of apps and their channels.
struct AppRoutes {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.get, "/apps", .viewer, to: &router, scope: .any) { call throws(PlatformError) in
            let apps = routes.services.live.all.map(\.id).filter(call.author.mayRead).sorted()
            return .json(.ok, .object(["apps": .array(apps.map { .object(["id": .string($0.text)]) })]))
        }
        routes.add(.put, "/apps/{app}", .admin, to: &router, scope: .everything) { call throws(PlatformError) in
            try await call.json().finish()
            let id = try call.parameters.readNew(.app)
            let isNew = try await routes.services.catalogue.createApp(id, by: call.author)
            return .json(isNew ? .created : .ok, .object(["id": .string(id.text)]))
        }
        routes.add(.get, "/apps/{app}/health", .viewer, to: &router) { call throws(PlatformError) in
            Self.respond(try await routes.services.healthJudge.defaults(of: try routes.app(call.parameters).id))
        }
        routes.add(.put, "/apps/{app}/health", .releaser, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let policy = try HealthPolicy.read(try await call.body())
            try await routes.services.healthJudge.setDefaults(policy, of: app, by: call.author)
            return Self.respond(policy)
        }
        routes.add(.get, "/apps/{app}/channels", .viewer, to: &router) { call throws(PlatformError) in
            let channels = try await routes.services.catalogue.channels(of: try routes.app(call.parameters))
            return .json(.ok, .object(["channels": .array(channels.map { .object(["name": .string($0.text)]) })]))
        }
        routes.add(.put, "/apps/{app}/channels/{channel}", .releaser, to: &router) { call throws(PlatformError) in
            try await call.json().finish()
            let app = try routes.app(call.parameters)
            let channel = try call.parameters.readNew(.channel)
            let isNew = try await routes.services.catalogue.declareChannel(channel, of: app, by: call.author)
            return .json(isNew ? .created : .ok, .object(["name": .string(channel.text)]))
        }
    }

    /// Responds with the health rules of an app's new releases.
    private static func respond(_ policy: HealthPolicy?) -> Response {
        .json(.ok, .object(["health": policy?.json ?? .null]))
    }
}

import Domain
import Ground
import HTTP
import Platform

/// The routes of apps and their channels.
struct AppRoutes {
    let routes: OperatorRoutes

    private static let apps = ObjectList<AppID>(
        sorts: [.init("id") { [.text($0.text)] }], filters: [.text { [$0.text] }])
    private static let channels = ObjectList<Channel>(
        sorts: [.init("name") { [.text($0.name.text)] }], filters: [.text { [$0.name.text] }])

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.get, "/apps", .viewer, to: &router, scope: .any, parameters: Self.apps.parameters) {
            call throws(PlatformError) in
            let apps = routes.services.live.all.map(\.id).filter(call.author.mayRead)
            return try Self.apps.respond("apps", apps, to: call) { Self.json($0) }
        }
        routes.add(.get, "/apps/{app}", .viewer, to: &router) { call throws(PlatformError) in
            Self.respond(.ok, try routes.app(call.parameters).id, routes)
        }
        routes.add(.put, "/apps/{app}", .admin, to: &router, scope: .everything, hasTag: true) {
            call throws(PlatformError) in
            try await call.json().finish()
            let id = try call.parameters.readNew(.app)
            let isNew = try await routes.services.catalogue.createApp(
                id, ifMatch: call.precondition, by: call.author)
            return Self.respond(isNew ? .created : .ok, id, routes)
        }
        addHealth(to: &router)
        addChannels(to: &router)
    }

    private func addHealth(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.get, "/apps/{app}/health", .viewer, to: &router) { call throws(PlatformError) in
            Self.respond(try await routes.services.healthJudge.defaults(of: try routes.app(call.parameters).id), routes)
        }
        routes.add(.put, "/apps/{app}/health", .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let policy = try HealthPolicy.read(try await call.body())
            try await routes.services.healthJudge.setDefaults(
                policy, of: app, ifMatch: call.precondition, by: call.author)
            return Self.respond(policy, routes)
        }
    }

    private func addChannels(to router: inout OperatorRouter) {
        let routes = routes
        let catalogue = routes.services.catalogue
        let one = "/apps/{app}/channels/{channel}"
        routes.add(
            .get, "/apps/{app}/channels", .viewer, to: &router, parameters: Self.channels.parameters
        ) { call throws(PlatformError) in
            let channels = try await catalogue.channels(of: try routes.app(call.parameters))
            return try Self.channels.respond("channels", channels, to: call) { Self.json($0) }
        }
        routes.add(.get, one, .viewer, to: &router) { call throws(PlatformError) in
            let channel = try await catalogue.requireChannel(
                try call.parameters.read(.channel), of: try routes.app(call.parameters))
            return Self.respond(.ok, channel, routes)
        }
        routes.add(.put, one, .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            var body = try await call.json()
            let approvals = try body.integer("approvals", in: Channel.approvalCounts)
            try body.finish()
            let (channel, isNew) = try await catalogue.putChannel(
                try call.parameters.readNew(.channel), approvals: approvals, of: try routes.app(call.parameters),
                ifMatch: call.precondition, by: call.author)
            return Self.respond(isNew ? .created : .ok, channel, routes)
        }
        routes.add(.delete, one, .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let channel = try await catalogue.deleteChannel(
                try call.parameters.read(.channel), of: try routes.app(call.parameters), ifMatch: call.precondition,
                by: call.author)
            return .json(.ok, Self.json(channel))
        }
    }

    private static func json(_ app: AppID) -> JSON { .object(["id": .string(app.text)]) }

    private static func json(_ channel: Channel) -> JSON { .object(channel.members) }

    private static func respond(_ status: Status, _ app: AppID, _ routes: OperatorRoutes) -> Response {
        .json(status, json(app), tag: app.tag(by: routes.services.cryptography))
    }

    private static func respond(_ status: Status, _ channel: Channel, _ routes: OperatorRoutes) -> Response {
        .json(status, json(channel), tag: channel.tag(by: routes.services.cryptography))
    }

    /// Responds with the health rules of an app's new releases.
    private static func respond(_ policy: HealthPolicy?, _ routes: OperatorRoutes) -> Response {
        .json(.ok, .object(["health": policy?.json ?? .null]), tag: routes.services.healthJudge.tag(of: policy))
    }
}

import Domain
import Ground
import HTTP
import Platform

/// The routes of the host app's builds: the native APIs of each build, as registered by its CI.
struct BuildRoutes {
    let routes: OperatorRoutes

    private static let pattern = "/apps/{app}/builds"
    private static let list = ObjectList<RegisteredBuild>(
        sorts: [
            .init("appVersion") { [.text($0.build.appVersion)] },
            .init("changedAt") { [.number($0.changedAt.milliseconds), .text($0.build.appVersion)] },
        ],
        filters: [
            .text { [$0.build.appVersion] },
            .init("api") { (api) throws(PlatformError) in { $0.build.apis.contains(api) } },
        ])

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.get, Self.pattern, .viewer, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let builds = try await routes.services.builds.builds(of: try routes.app(call.parameters))
            return try Self.list.respond("builds", builds, to: call) { .object(Self.members($0)) }
        }
        routes.add(.get, Self.pattern + "/{appVersion}", .viewer, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let name = try call.parameters.read(.appVersion)
            let build = try await routes.services.builds.requireBuild(name, of: app)
            return Self.respond(.ok, Self.members(build), build.build, routes)
        }
        routes.add(
            .put, Self.pattern + "/{appVersion}", .publisher, to: &router, hasTag: true
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            var body = try await call.json()
            let names = try body.apiNames("apis", upTo: HostBuild.maximumAPIs)
            try body.finish()
            guard let names else { throw JSONReader.wrong("apis", "an array of names of native APIs") }
            guard let build = HostBuild(appVersion: try call.parameters.readNew(.appVersion), apis: names) else {
                throw JSONReader.wrong("appVersion", "1 to \(DeviceFacts.maximumLength) bytes long")
            }
            let isNew = try await routes.services.builds.putBuild(
                build, of: app, ifMatch: call.precondition, by: call.author)
            return Self.respond(isNew ? .created : .ok, Self.members(build), build, routes)
        }
        routes.add(
            .delete, Self.pattern + "/{appVersion}", .releaser, to: &router, hasTag: true
        ) { call throws(PlatformError) in
            let removed = try await routes.services.builds.deleteBuild(
                try call.parameters.read(.appVersion), of: try routes.app(call.parameters), ifMatch: call.precondition,
                by: call.author)
            return .json(.ok, .object(Self.members(removed)))
        }
    }

    private static func respond(
        _ status: Status, _ members: [JSON.Member], _ build: HostBuild, _ routes: OperatorRoutes
    ) -> Response {
        .json(status, .object(members), tag: build.tag(by: routes.services.cryptography))
    }

    private static func members(_ registered: RegisteredBuild) -> [JSON.Member] {
        members(registered.build) + [.init("changedAt", .string(registered.changedAt.rfc3339))]
    }

    private static func members(_ build: HostBuild) -> [JSON.Member] {
        [
            .init("appVersion", .string(build.appVersion)), .init("apis", .array(build.apis.map { .string($0) })),
        ]
    }
}

import Domain
import Execution
import Ground
import HTTP
import Platform

/// The routes of device lists, which a release can include or exclude.
struct DeviceListRoutes {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.get, "/apps/{app}/device-lists", .viewer, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let lists = try await routes.services.deviceLists.deviceLists(of: app)
            return .json(.ok, .object(["deviceLists": .array(lists.map(Self.json))]))
        }
        routes.add(
            .put, "/apps/{app}/device-lists/{list}", .releaser, to: &router, bodyLimit: DeviceListReader.bodyLimit,
            hasTag: true
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let name = try call.parameters.readNew(.deviceList)
            let devices = try await Self.devices(call, of: app.id, routes.services)
            let list = try await routes.services.deviceLists.putDeviceList(
                name, devices, of: app, ifMatch: call.precondition, by: call.author)
            return .json(
                list.revision == 1 ? .created : .ok, Self.json(list), fields: [.etag: "\"\(list.revision)\""])
        }
    }

    /// Parses the body piece by piece, off the event loop.
    private static func devices(
        _ call: OperatorRoutes.Call, of app: AppID, _ services: Services
    ) async throws(PlatformError) -> DeviceSet {
        let reader = DeviceListReader(app: app, cryptography: services.cryptography)
        while let piece = try await next(of: call.request.body) {
            try await services.work.run { () throws(PlatformError) in try reader.read(piece) }
        }
        return try await services.work.run { () throws(PlatformError) in try reader.finished() }
    }

    private static func next(of body: RequestBody) async throws(PlatformError) -> [UInt8]? {
        do throws(BodyError) { return try await body.next() } catch { throw error.platformError }
    }

    private static func json(_ list: DeviceListSummary) -> JSON {
        .object([
            "name": .string(list.name.text), "devices": .integer(Int64(list.count)),
            "revision": .integer(list.revision), "changedAt": .string(list.changedAt.rfc3339),
        ])
    }
}

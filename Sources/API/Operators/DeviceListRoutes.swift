import Domain
import Execution
import Ground
import HTTP
import Platform

/// The routes of device lists, which a release can include or exclude.
struct DeviceListRoutes {
    let routes: OperatorRoutes

    private static let list = ObjectList<DeviceListSummary>(
        sorts: [
            .init("name") { [.text($0.name.text)] },
            .init("changedAt") { [.number($0.changedAt.milliseconds), .text($0.name.text)] },
            .init("devices") { [.number(Int64($0.count)), .text($0.name.text)] },
        ], filters: [.text { [$0.name.text] }])

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let lists = routes.services.deviceLists
        let one = "/apps/{app}/device-lists/{list}"
        routes.add(.get, "/apps/{app}/device-lists", .viewer, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let all = try await lists.deviceLists(of: try routes.app(call.parameters))
            return try Self.list.respond("deviceLists", all, to: call, Self.json)
        }
        routes.add(.get, one, .viewer, to: &router) { call throws(PlatformError) in
            let name = try call.parameters.read(.deviceList)
            let list = try await lists.requireDeviceList(name, of: try routes.app(call.parameters))
            return .json(.ok, Self.json(list), tag: list.tag)
        }
        routes.add(.delete, one, .releaser, to: &router, hasTag: true) { call throws(PlatformError) in
            let list = try await lists.deleteDeviceList(
                try call.parameters.read(.deviceList), of: try routes.app(call.parameters),
                ifMatch: call.precondition, by: call.author)
            return .json(.ok, Self.json(list))
        }
        routes.add(
            .put, one, .releaser, to: &router, bodyLimit: DeviceListReader.bodyLimit,
            hasTag: true
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let name = try call.parameters.readNew(.deviceList)
            let devices = try await Self.devices(call, of: app.id, routes.services)
            let list = try await lists.putDeviceList(
                name, devices, of: app, ifMatch: call.precondition, by: call.author)
            return .json(list.revision == 1 ? .created : .ok, Self.json(list), tag: list.tag)
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

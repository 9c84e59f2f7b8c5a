import Domain
import Ground
import HTTP
import Platform

/// The routes of one device: what is known of it, what it is offered and why, and its erasure.
struct DeviceRoutes {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        for pattern in ["/apps/{app}/devices/{device}", "/apps/{app}/devices"] { add(pattern, to: &router) }
    }

    private func add(_ pattern: String, to router: inout OperatorRouter) {
        let routes = routes
        let services = routes.services
        routes.add(.get, pattern, .releaser, to: &router, parameters: ["id"]) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let id = try Self.id(call)
            let (identity, record) = try await services.devices.record(of: id, in: app)
            let channels = record.seen.isEmpty ? [.production] : record.seen.keys.sorted { $0.text < $1.text }
            return await .json(.ok, on: services.work) {
                .object([
                    "app": .string(app.id.text), "device": .string(id),
                    "bucket": .integer(Int64(identity.bucket.value)),
                    "seen": .array(record.seen.sorted { $0.key.text < $1.key.text }.map(Self.json)),
                    "installed": .object(
                        record.installed.sorted { $0.key < $1.key }.map { package, event in
                            JSON.Member(package.text, Self.installation(event))
                        }),
                    "events": .array(record.events.map(Self.json)),
                    "truncated": .bool(record.isTruncated),
                    "offers": .array(
                        channels.compactMap { channel in
                            app.view(of: channel).map { Self.offer(in: $0, to: identity, record.seen[channel]) }
                        }),
                ])
            }
        }
        routes.add(.delete, pattern, .admin, to: &router, parameters: ["id"]) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let receipt = try await services.devices.erase(try Self.id(call), in: app, by: call.author)
            return .json(.ok, Self.json(receipt))
        }
    }

    /// Returns the device id of the path, or of the query parameter `id`, which may contain slashes.
    private static func id(_ call: OperatorRoutes.Call) throws(PlatformError) -> String {
        let id = call.request.head.query["id"]
        guard call.parameters.has(.device) else { return id ?? "" }
        guard id == nil else {
            throw PlatformError(
                .invalidRequest, "The path and the parameter 'id' name a device each. Send one of them.")
        }
        return try call.parameters.readNew(.device)
    }

    private static func json(_ channel: ChannelName, _ device: SeenDevice) -> JSON {
        .object([
            "channel": .string(channel.text), "seenAt": .string(device.seenAt.rfc3339),
            "facts": JSON(parsing: Array(device.facts.utf8)) ?? .object([]),
            "have": device.have.map { ExplainRoute.json(Holdings($0)) } ?? .null,
            "cut": .bool(device.isCut),
        ])
    }

    private static func installation(_ event: DeviceRecord.Event) -> JSON {
        .object([
            "version": .string(event.version), "event": .string(event.event), "time": .string(event.time.rfc3339),
        ])
    }

    private static func json(_ event: DeviceRecord.Event) -> JSON {
        .object([
            "eventId": .string(event.eventID), "package": .string(event.package.text),
            "version": .string(event.version), "event": .string(event.event), "time": .string(event.time.rfc3339),
            "receivedAt": .string(event.receivedAt.rfc3339), "details": event.details,
        ])
    }

    /// Returns what a channel offers the device now, by the facts that it sent last.
    private static func offer(in view: ChannelView, to identity: DeviceIdentity, _ device: SeenDevice?) -> JSON {
        var facts = device.map { SeenDevice.read($0.facts) } ?? DeviceFacts()
        facts.identity = identity
        facts.holdings = device?.have.map { Holdings($0) }
        return .object([
            "channel": .string(view.channel.text), "instant": .string(view.instant.rfc3339),
            "packages": .array(Explanation.all(of: view, to: facts, only: nil).map { ExplainRoute.json($0) }),
        ])
    }

    private static func json(_ receipt: DeviceRecords.Receipt) -> JSON {
        let erasure = receipt.erasure
        return .object([
            "receipt": .string(receipt.id), "erasedAt": .string(receipt.erasedAt.rfc3339),
            "channels": .integer(Int64(erasure.channels)), "reports": .integer(Int64(erasure.reports)),
            "lists": .array(erasure.lists.map { .string($0.text) }), "complete": .bool(receipt.isComplete),
            "unreachableBefore": (receipt.unreachableBefore?.rfc3339).map { .string($0) },
        ])
    }
}

import Domain
import Ground
import HTTP
import Platform

/// The route that counts which versions of a package seen devices use, and why some do not use the newest one.
struct AdoptionRoute {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let services = routes.services
        routes.add(
            .get, "/apps/{app}/packages/{package}/adoption", .viewer, to: &router,
            parameters: ["days", "channel", "release"]
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let package = try await routes.package(call.parameters)
            let query = call.request.head.query
            let days = try Self.days(query["days"])
            var channel = try NameKind.channel.read(query["channel"] ?? ChannelName.production.text)
            let release: Release?
            if let id = query["release"] {
                let found = try await services.releaser.find(
                    .release(try NameKind.release.read(id), of: package.id), of: app
                ).group.members[0]
                guard !found.hasEnded else {
                    throw PlatformError(
                        .conflict,
                        "Release \(found.id) was rolled back, so it is for no device. Give another release.")
                }
                (release, channel) = (found, found.channel)
            } else {
                let instant = try app.requireView(of: channel).instant
                release = ChannelReleases(try await services.releaser.releases(of: package), on: channel)
                    .newest(of: package.id, at: instant)
            }
            let adoption = try await services.devicesSeen.adoption(
                of: package, on: channel, release: release, days: days)
            return await .json(.ok, on: services.work) { [channel] in
                Self.json(adoption, of: package, on: channel)
            }
        }
    }

    private static func days(_ text: String?) throws(PlatformError) -> Int {
        guard let text else { return SeenWindow.days }
        guard let days = Int(text), Adoption.days.contains(days) else {
            let known = Adoption.days.map(String.init).joined(separator: ", ")
            throw PlatformError(.invalidRequest, "'days' must be one of \(known).")
        }
        return days
    }

    private static func json(_ adoption: Adoption, of package: Package, on channel: ChannelName) -> JSON {
        let versions = adoption.versions.sorted { ($0.value, $1.key.text) > ($1.value, $0.key.text) }
        let causes = adoption.causes.map { cause, devices in (members(of: cause), devices) }
            .sorted { ($0.1, $1.0.text) > ($1.1, $0.0.text) }
        return .object([
            "package": .string(package.id.text), "channel": .string(channel.text),
            "days": .integer(Int64(adoption.days)),
            "at": .string(adoption.instant.rfc3339),
            "release": adoption.release.map { .integer($0.id.value) } ?? .null,
            "version": adoption.release.map { .string($0.version.text) } ?? .null,
            "seen": .integer(Int64(adoption.seen)),
            "versions": .array(
                versions.map { .object(["version": .string($0.key.text), "devices": .integer(Int64($0.value))]) }),
            "unpublished": .integer(Int64(adoption.unpublished)), "noVersion": .integer(Int64(adoption.noVersion)),
            "unknownVersion": .integer(Int64(adoption.unknownVersion)),
            "otherVersion": .integer(Int64(adoption.otherVersion)),
            "causes": .array(
                causes.map { members, devices in
                    .object((members.members ?? []) + [.init("devices", .integer(Int64(devices)))])
                }),
            "truncated": .object([
                "devices": .bool(adoption.areDevicesTruncated), "reports": .bool(adoption.areReportsTruncated),
            ]),
            "coverage": .object([
                "since": adoption.since.map { .string($0.rfc3339) } ?? .null, "cut": .integer(Int64(adoption.cut)),
                "dropped": .integer(Int64(adoption.figures.dropped)), "limit": .integer(Int64(adoption.figures.limit)),
                "limitReached": .bool(adoption.figures.isLimitReached),
            ]),
            "history": .array(adoption.history.map(json)),
        ])
    }

    private static func members(of cause: AdoptionCause) -> JSON {
        switch cause {
        case .refused(let refusal):
            .object([
                "cause": .string(cause.name), "rule": .string(refusal.rule),
                "refusal": JSON(refusal, isOfDevice: false),
            ])
        case .failed(let event, let reason):
            .object([
                "cause": .string(cause.name), "event": .string(event), "reason": reason.map { .string($0) },
            ])
        default: .object(["cause": .string(cause.name)])
        }
    }

    private static func json(_ day: AdoptionDay) -> JSON {
        let start = SeenWindow.start(ofDay: Int(day.day)).rfc3339
        return .object([
            "day": .string(String(start.prefix(10))), "version": .string(day.version.text),
            "devices": .integer(Int64(day.devices)),
        ])
    }
}

import Domain
import Ground
import HTTP
import Platform

/// The routes that count how many of the seen devices a release, existing or proposed, is for, and show what its rules could
/// compare.
struct AudienceRoutes {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        let services = routes.services
        routes.add(.get, ReleaseRoutes.Face.release.groupPattern + "/readiness", .viewer, to: &router) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let release = try await services.releaser.find(
                .release(try call.parameters.read(.release), of: package.id), of: try routes.app(call.parameters)
            ).group.members[0]
            guard !release.hasEnded else {
                throw PlatformError(
                    .conflict,
                    "Release \(release.id) was rolled back, so it is for no device. Give another release.")
            }
            let count = try await services.devicesSeen.count(for: release)
            return .json(.ok, .object(Self.readiness(of: release, count)))
        }
        routes.add(.post, "/apps/{app}/packages/{package}/audience-estimate", .viewer, to: &router) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            var body = try await call.json()
            let draft = try await ReleaseRequestReader(services: services).draft(&body, of: package)
            let release = try await services.releaser.rehearse(draft)
            let count = try await services.devicesSeen.count(for: release, .finally)
            return .json(.ok, .object(Self.estimate(for: release, count)))
        }
        routes.add(
            .get, "/apps/{app}/device-facts", .releaser, to: &router, scope: .channel, parameters: ["channel"]
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let channel = try NameKind.channel.read(call.request.head.query["channel"] ?? ChannelName.production.text)
            try call.author.require(.releaser, on: .channel(channel, of: app.id))
            let facts = try await services.devicesSeen.facts(on: channel, of: app.id)
            return .json(
                .ok,
                .object([
                    "channel": .string(channel.text), "days": .integer(Int64(SeenWindow.days)),
                    "devices": .integer(Int64(facts.devices)), "facts": .array(facts.entries.map(Self.json)),
                ]))
        }
    }

    private static func json(_ entry: FactSample.Entry) -> JSON {
        .object([
            "fact": .string(entry.fact.description),
            "values": .array(
                entry.values.map { .object(["value": .string($0.text), "devices": .integer(Int64($0.devices))]) }),
        ])
    }

    private static func readiness(of release: Release, _ count: AudienceCount) -> [JSON.Member] {
        [.init("release", .integer(release.id.value))] + audience(of: release, count) + [
            .init("holding", .integer(Int64(count.holding))),
            .init("silent", .integer(Int64(count.silent))),
            .init("percent", share(count.holding, of: count.matching)),
        ] + basis(of: count)
    }

    private static func estimate(for release: Release, _ count: AudienceCount) -> [JSON.Member] {
        audience(of: release, count) + [
            .init("percent", share(count.matching, of: count.seen)),
            .init(
                "refused",
                .array(
                    count.refusals.map { refused in
                        .object([
                            "rule": .string(refused.rule.rule), "refusal": JSON(refused.rule, isOfDevice: false),
                            "devices": .integer(Int64(refused.devices)),
                        ])
                    })),
        ] + basis(of: count)
    }

    private static func audience(of release: Release, _ count: AudienceCount) -> [JSON.Member] {
        [
            .init("version", .string(release.version.text)), .init("channel", .string(release.channel.text)),
            .init("at", .string(count.instant.rfc3339)), .init("reach", count.percent.json),
            .init("seen", .integer(Int64(count.seen))), .init("matching", .integer(Int64(count.matching))),
        ]
    }

    private static func basis(of count: AudienceCount) -> [JSON.Member] {
        let coverage = count.coverage
        return [
            .init("days", .integer(Int64(SeenWindow.days))),
            .init(
                "coverage",
                .object([
                    "sayingWhatTheyHave": .integer(Int64(coverage.reportingVersions)),
                    "cut": .integer(Int64(coverage.cut)),
                    "since": coverage.since.map { .string($0.rfc3339) } ?? .null,
                    "dropped": .integer(Int64(coverage.figures.dropped)),
                    "limit": .integer(Int64(coverage.figures.limit)),
                    "limitReached": .bool(coverage.figures.isLimitReached),
                ])),
        ]
    }

    /// Returns a share in basis points, rounded down so that 100 % means all; `null` if the whole is zero.
    private static func share(_ part: Int, of whole: Int) -> JSON {
        whole == 0 ? .null : BasisPoints(part * BasisPoints.all.value / whole)?.json ?? .null
    }
}

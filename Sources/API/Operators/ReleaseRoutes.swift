import Domain
import HTTP
import Platform

/// Releases: who is offered what, from when.
struct ReleaseRoutes {
    let routes: OperatorRoutes

    func add(to router: inout Router<APIEndpoint>) {
        let routes = routes
        let pattern = "/apps/{app}/packages/{package}/releases"
        routes.add(.get, pattern, .publisher, to: &router) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let app = try routes.app(call.parameters)
            let releases = try await routes.services.store.releases(of: package.id, in: package.app)
            let now = app.decisionInstant(routes.services.clock.now())
            let offered = PatchPlan.offered(ofEach: releases, at: now)
            let patches = try await routes.services.store.patches(
                to: Array(Set(offered.map(\.version))), of: package.id, in: package.app)
            let shipped = try await routes.services.store.shippedVersions(of: package.id, in: package.app)
            let list: [JSON] = releases.sorted { $0.rank > $1.rank }.map { release in
                let isOffered = offered.contains { $0.id == release.id }
                return Self.json(
                    release, state: Self.state(of: release, in: app, at: now),
                    patchesReady: isOffered
                        ? PatchPlan.isReady(release, among: releases, shipped: shipped, patches: patches) : nil)
            }
            return .json(.ok, .object(["releases": .array(list)]))
        }
        routes.add(.post, pattern, .releaser, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let package = try await routes.package(call.parameters)
            var body = try await call.json()
            let draft = try Self.draft(&body, of: package)
            let made = try await routes.services.releaser.release(draft, by: call.author)
            let state = Self.state(of: made.release, in: app, at: app.decisionInstant(routes.services.clock.now()))
            var members = Self.json(made.release, state: state, patchesReady: made.arePatchesReady).members ?? []
            members.append(.init("shadows", Self.others(made.shadowing.shadows)))
            members.append(.init("shadowedBy", Self.others(made.shadowing.shadowedBy)))
            return .json(.created, .object(members))
        }
    }

    private static func draft(_ body: inout JSONReader, of package: Package) throws(PlatformError) -> ReleaseDraft {
        guard let text = try body.string("version"), let version = VersionString(text) else {
            throw JSONReader.wrong("version", "the version string to offer: \(VersionString.shape)")
        }
        let channel = try PathParameters.channel(try body.string("channel") ?? ChannelName.production.text)
        let isMandatory = try body.bool("mandatory") ?? false
        var activeTime: Timestamp?
        if let text = try body.string("activeTime") {
            guard let time = Timestamp(rfc3339: text) else {
                throw JSONReader.wrong("activeTime", "a time by RFC 3339, such as \"2026-12-01T00:00:00Z\"")
            }
            activeTime = time
        }
        try body.finish()
        return ReleaseDraft(
            app: package.app, package: package.id, channel: channel, version: version, isMandatory: isMandatory,
            activeTime: activeTime)
    }

    /// `scheduled` before its moment, `active` while devices get it, `superseded` when another one hides it.
    private static func state(of release: Release, in app: LiveApp, at now: Timestamp) -> String {
        let entry = app.view(of: release.channel)?.entries.first { $0.package.id == release.package }
        if entry?.current?.release.id == release.id { return "active" }
        return release.isActive(at: now) ? "superseded" : "scheduled"
    }

    /// - Parameter patchesReady: `nil` where no patches are wanted.
    private static func json(_ release: Release, state: String, patchesReady: Bool?) -> JSON {
        .object([
            "id": .integer(release.id.value), "package": .string(release.package.text),
            "version": .string(release.version.text), "channel": .string(release.channel.text),
            "mandatory": .bool(release.isMandatory), "activeTime": .string(release.activeTime.rfc3339),
            "createdAt": .string(release.createdAt.rfc3339), "rank": .integer(release.rank.value),
            "state": .string(state), "patchesReady": patchesReady.map { .bool($0) },
        ])
    }

    private static func others(_ others: [Shadowing.Other]) -> JSON {
        .array(
            others.map { other in
                .object([
                    "release": .integer(other.release.id.value), "version": .string(other.release.version.text),
                    "from": .string(other.from.rfc3339),
                ])
            })
    }
}

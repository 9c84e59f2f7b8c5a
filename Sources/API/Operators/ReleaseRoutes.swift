import Domain
import Ground
import HTTP
import Platform

/// The routes of releases and of release sets, which offer the same calls under two paths.
struct ReleaseRoutes {
    /// The kind of group that a path names.
    enum Face {
        case release
        case set

        var pattern: String {
            switch self {
            case .release: "/apps/{app}/packages/{package}/releases"
            case .set: "/apps/{app}/release-sets"
            }
        }

        var groupPattern: String {
            switch self {
            case .release: pattern + "/{release}"
            case .set: pattern + "/{set}"
            }
        }
    }

    let routes: OperatorRoutes
    let face: Face

    /// A release in the list, whose state depends on the other releases of its package.
    private struct ListedRelease {
        let release: Release
        let releases: [Release]
        let instant: Timestamp

        var state: ReleaseState { release.state(among: releases, at: instant) }
    }

    private static let releases = ObjectList<ListedRelease>(
        sorts: [
            .init("-rank") { [.number($0.release.rank.value), .number($0.release.id.value)] },
            .init("id") { [.number($0.release.id.value)] },
        ],
        filters: [
            .channel { $0.release.channel }, .choice("state", ReleaseState.self) { $0.state },
            .init("version") { (version) throws(PlatformError) in { $0.release.version.text == version } },
        ])
    private static let sets = ObjectList<Releaser.Status>(
        sorts: [
            .init("-id") { status in
                guard case .set(let id) = status.group.id else { return [.number(0)] }
                return [.number(id.value)]
            }
        ],
        filters: [.channel { $0.group.channel }, .choice("state", ReleaseState.self) { $0.state }])

    func add(to router: inout OperatorRouter) {
        let parameters =
            switch face {
            case .release: Self.releases.parameters
            case .set: Self.sets.parameters
            }
        routes.add(.get, face.pattern, .viewer, to: &router, parameters: parameters) { call throws(PlatformError) in
            switch face {
            case .release: try await releases(call)
            case .set: try await sets(call)
            }
        }
        routes.add(.get, face.groupPattern, .viewer, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let status = try await routes.services.releaser.find(try await id(call), of: app)
            let gaps =
                switch face {
                case .release: try await routes.services.patchBackfill.gaps(of: status)
                case .set: await gapsIfKnown(of: status)
                }
            let verdicts = try await routes.services.healthJudge.verdicts(on: status.group.members)
            return Self.respond(ReleaseGroupJSON(status: status, gaps: gaps, verdicts: verdicts))
        }
        routes.add(.post, face.pattern, .releaser, to: &router, scope: .channel) { call throws(PlatformError) in
            try await make(call)
        }
        addActions(to: &router)
        routes.add(.post, face.groupPattern + "/rollback", .releaser, to: &router, scope: .channel, hasTag: true) {
            call throws(PlatformError) in
            try await rollBack(call)
        }
    }

    /// Adds `PATCH`, and a route for each action without a body.
    private func addActions(to router: inout OperatorRouter) {
        routes.add(.patch, face.groupPattern, .releaser, to: &router, scope: .channel, hasTag: true) {
            call throws(PlatformError) in
            var body = try await call.json()
            if let json = body.take(ReleaseTerms.Name.health) { return try await judge(by: json, body, call) }
            return try await act(try Self.change(&body), body, call)
        }
        for action: ReleaseAction in [.pause, .resume, .halt, .complete] {
            routes.add(
                .post, face.groupPattern + "/" + action.kind.rawValue, .releaser, to: &router, scope: .channel,
                hasTag: true
            ) { call throws(PlatformError) in
                try await act(action, try await call.json(), call)
            }
        }
    }

    // MARK: Handlers

    private func releases(_ call: OperatorRoutes.Call) async throws(PlatformError) -> Response {
        let package = try await routes.package(call.parameters)
        let releases = try await routes.services.releaser.releases(of: package)
        let now = try routes.app(call.parameters).decisionInstant(routes.services.clock.now())
        let page = try Self.releases.page(
            of: releases.map { ListedRelease(release: $0, releases: releases, instant: now) }, for: call.request.head)
        let gaps = try await routes.services.patchBackfill.gaps(
            of: package.id, in: package.app, releases: releases, at: now)
        let verdicts = try await routes.services.healthJudge.verdicts(on: page.items.map(\.release))
        let list = page.items.map(\.release).map { release in
            JSON.object(
                ReleaseJSON(
                    release: release, releases: releases, instant: now, gaps: gaps[release.id],
                    verdict: verdicts[release.id]
                ).members())
        }
        return .json(.ok, .object(["releases": .array(list)]), fields: page.fields)
    }

    private func sets(_ call: OperatorRoutes.Call) async throws(PlatformError) -> Response {
        let sets = try await routes.services.releaser.sets(of: try routes.app(call.parameters))
        let page = try Self.sets.page(of: sets, for: call.request.head)
        let verdicts = try await routes.services.healthJudge.verdicts(on: page.items.flatMap(\.group.members))
        let list = page.items.map { JSON.object(ReleaseGroupJSON(status: $0, verdicts: verdicts).members()) }
        return .json(.ok, .object(["releaseSets": .array(list)]), fields: page.fields)
    }

    private func make(_ call: OperatorRoutes.Call) async throws(PlatformError) -> Response {
        let app = try routes.app(call.parameters)
        let reader = ReleaseRequestReader(services: routes.services)
        let request: ReleaseRequest
        var body: JSONReader
        let isForced: Bool
        switch face {
        case .release:
            let package = try await routes.package(call.parameters)
            body = try await call.json()
            isForced = try body.bool("force") ?? false
            request = ReleaseRequest(try await reader.draft(&body, of: package))
        case .set:
            body = try await call.json()
            isForced = try body.bool("force") ?? false
            request = try await reader.set(&body, of: app)
        }
        let made = try await routes.services.releaser.release(request, isForced: isForced, by: call.author)
        let json = ReleaseGroupJSON(status: made.status, gaps: await gapsIfKnown(of: made.status))
        let warnings = JSON.Member("warnings", .array(json.warnings.map { .string($0) }))
        return Self.respond(json, .created, json.shadowing, [warnings])
    }

    private func act(
        _ action: ReleaseAction, _ body: JSONReader, _ call: OperatorRoutes.Call
    ) async throws(PlatformError) -> Response {
        var body = body
        let isForced = try body.bool("force") ?? false
        try body.finish()
        let app = try routes.app(call.parameters)
        let status = try await routes.services.releaser.apply(
            action, to: try await id(call), of: app, ifMatch: call.precondition, isForced: isForced, by: call.author)
        let json = ReleaseGroupJSON(status: status, gaps: await gapsIfKnown(of: status))
        guard action == .halt else { return Self.respond(json, .ok, json.shadowing) }
        return Self.respond(json, .ok, zip(json.shadowing, json.fallbacks).map { $0 + $1 })
    }

    /// Replaces the health rules of a group.
    private func judge(
        by json: JSON, _ body: JSONReader, _ call: OperatorRoutes.Call
    ) async throws(PlatformError) -> Response {
        try body.finish()
        let policy = json == .null ? nil : try HealthPolicy.read(json)
        let status = try await routes.services.releaser.judge(
            try await id(call), of: try routes.app(call.parameters), by: policy, ifMatch: call.precondition,
            author: call.author)
        let json = ReleaseGroupJSON(status: status, gaps: await gapsIfKnown(of: status))
        return Self.respond(json, .ok, json.shadowing)
    }

    private func rollBack(_ call: OperatorRoutes.Call) async throws(PlatformError) -> Response {
        // The package is checked before the body is read.
        if face == .release { _ = try await routes.package(call.parameters) }
        let app = try routes.app(call.parameters)
        var body = try await call.json()
        var versions: [PackageID: VersionString] = [:]
        switch face {
        case .release:
            if let version = try body.version("to") {
                versions[try call.parameters.read(.package)] = version
            }
        case .set: versions = try body.versions("to") ?? [:]
        }
        let isMandatory = try body.bool("mandatory") ?? false
        let isDryRun = try call.isDryRun(&body)
        let isForced = try body.bool("force") ?? false
        try body.finish()
        let done = try await routes.services.releaser.rollBack(
            try await id(call), of: app, to: versions, isMandatory: isMandatory, isDryRun: isDryRun,
            ifMatch: call.precondition, isForced: isForced, by: call.author)
        return .json(done.isDryRun ? .ok : .created, .object(done.members))
    }

    // MARK: Parts

    /// Returns the group that a path names; the package of a release has to exist.
    private func id(_ call: OperatorRoutes.Call) async throws(PlatformError) -> ReleaseGroup.ID {
        switch face {
        case .release:
            let package = try await routes.package(call.parameters)
            return .release(try call.parameters.read(.release), of: package.id)
        case .set:
            return .set(try call.parameters.read(.releaseSet))
        }
    }

    /// Parses the action of a `PATCH`.
    private static func change(_ body: inout JSONReader) throws(PlatformError) -> ReleaseAction {
        let percent = try body.percent("percent")
        let moment = try body.time("activeTime")
        switch (percent, moment) {
        case (let percent?, nil): return .widen(percent)
        case (nil, let moment?): return .reschedule(moment)
        default:
            throw PlatformError(
                .invalidRequest,
                "Give either 'percent', to widen the release, 'activeTime', to move it, or 'health', to change its health "
                    + "rules.")
        }
    }

    /// Reads the versions without a patch; returns an empty result if they cannot be read.
    ///
    /// After a change an error would make the client repeat what is committed. A shown set has no gaps then
    /// either, since one unreadable package would hide the others.
    private func gapsIfKnown(of status: Releaser.Status) async -> [ReleaseID: [PatchGap]] {
        do throws(PlatformError) { return try await routes.services.patchBackfill.gaps(of: status) } catch {
            routes.services.log.write(
                "release.patches-unknown", ["code": error.code.rawValue, "cause": error.cause ?? error.message])
            return [:]
        }
    }

    private static func respond(
        _ json: ReleaseGroupJSON, _ status: Status = .ok, _ more: [[JSON.Member]] = [], _ last: [JSON.Member] = []
    ) -> Response {
        .json(status, .object(json.members(more) + last), fields: [.etag: json.etag])
    }
}

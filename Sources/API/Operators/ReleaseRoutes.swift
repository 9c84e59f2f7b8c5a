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

    private static let releaseSorts = ["-rank", "id"]
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
            case .release: ListRequest.parameters(filters: ["channel", "state", "version"])
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
                case .set: await routes.services.gapsIfKnown(of: status)
                }
            let verdicts = try await routes.services.healthJudge.verdicts(on: status.group.members)
            return Self.respond(ReleaseGroupJSON(status: status, gaps: gaps, verdicts: verdicts))
        }
        routes.add(.post, face.pattern, .releaser, to: &router, scope: .channel) { call throws(PlatformError) in
            // The package is checked before the body is read.
            let package = face == .release ? try await routes.package(call.parameters) : nil
            return try await changes(call).make(of: package)
        }
        addActions(to: &router)
        routes.add(.post, face.groupPattern + "/rollback", .releaser, to: &router, scope: .channel, hasTag: true) {
            call throws(PlatformError) in
            try await rollBack(call)
        }
    }

    /// Adds `PATCH`, and a route for each action without values.
    private func addActions(to router: inout OperatorRouter) {
        routes.add(.patch, face.groupPattern, .releaser, to: &router, scope: .channel, hasTag: true) {
            call throws(PlatformError) in
            let changes = try await changes(call)
            return try await changes.change(try await id(call))
        }
        for action: ReleaseAction in [.pause, .resume, .halt, .complete] {
            routes.add(
                .post, face.groupPattern + "/" + action.kind.rawValue, .releaser, to: &router, scope: .channel,
                hasTag: true
            ) { call throws(PlatformError) in
                let changes = try await changes(call)
                return try await changes.act(action, on: try await id(call))
            }
        }
    }

    /// Returns the changes that a request states.
    private func changes(_ call: OperatorRoutes.Call) async throws(PlatformError) -> ReleaseChanges {
        ReleaseChanges(
            services: routes.services, face: face, app: try routes.app(call.parameters),
            body: try await call.jsonBody(),
            author: call.author, precondition: call.precondition)
    }

    // MARK: Handlers

    private func releases(_ call: OperatorRoutes.Call) async throws(PlatformError) -> Response {
        let package = try await routes.package(call.parameters)
        let (app, services) = (try routes.app(call.parameters), routes.services)
        let request = try ListRequest(call.request.head, sorts: Self.releaseSorts)
        let parameters = call.request.head.query
        let order: ReleaseQuery.Order = request.sort.name == "id" ? .id : .rank
        var query = ReleaseQuery(
            channel: try parameters["channel"].map { (text) throws(PlatformError) in try NameKind.channel.read(text) },
            package: package.id, order: order, isDescending: request.sort.isDescending,
            after: try ReleaseListRoute.position(request, by: order), limit: request.limit)
        let state = try parameters["state"].map { (text) throws(PlatformError) in try Self.state(text) }
        if let text = parameters["version"] {
            // No version has a malformed string.
            guard let version = VersionString(text) else {
                return .json(.ok, .object(["releases": .array([])]))
            }
            query.version = version
        }
        let page = try await services.releaser.releases(of: app, query, in: state.map { [$0] })
        return try await ReleaseListRoute.respond(
            page, to: request, query, gaps: try await services.patchBackfill.gaps(of: package, in: app, page), services)
    }

    private static func state(_ text: String) throws(PlatformError) -> ReleaseState {
        guard let state = ReleaseState(rawValue: text) else {
            let states = ReleaseState.allCases.map(\.rawValue).joined(separator: ", ")
            throw JSONReader.wrong("state", "one of \(states)")
        }
        return state
    }

    private func sets(_ call: OperatorRoutes.Call) async throws(PlatformError) -> Response {
        let sets = try await routes.services.releaser.sets(of: try routes.app(call.parameters))
        let page = try Self.sets.page(of: sets, for: call.request.head)
        let verdicts = try await routes.services.healthJudge.verdicts(on: page.items.flatMap(\.group.members))
        let list = page.items.map { JSON.object(ReleaseGroupJSON(status: $0, verdicts: verdicts).members()) }
        return .json(.ok, .object(["releaseSets": .array(list)]), fields: page.fields)
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

    private static func respond(_ json: ReleaseGroupJSON) -> Response {
        .json(.ok, .object(json.members()), fields: [.etag: json.etag])
    }
}

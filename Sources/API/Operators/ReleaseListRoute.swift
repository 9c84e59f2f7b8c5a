import Domain
import Ground
import HTTP
import Platform

/// The route of the releases of all packages of an app.
struct ReleaseListRoute {
    let routes: OperatorRoutes

    private static let sorts = ["-id", "activeTime"]
    private static let filters = ["channel", "state", "package", "text"]

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(
            .get, "/apps/{app}/releases", .viewer, to: &router,
            parameters: ListRequest.parameters(filters: Self.filters)
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let request = try ListRequest(call.request.head, sorts: Self.sorts)
            let query = try Self.query(request, call.request.head.query)
            let states = try call.request.head.query["state"].map(Self.states)
            let page = try await routes.services.releaser.releases(of: app, query, in: states)
            return try await Self.respond(page, to: request, query, gaps: [:], routes.services)
        }
    }

    /// Returns the response with a page of releases.
    ///
    /// - Parameter gaps: The versions without a patch, by release.
    static func respond(
        _ page: Releaser.Page, to request: ListRequest, _ query: ReleaseQuery, gaps: [ReleaseID: [PatchGap]],
        _ services: Services
    ) async throws(PlatformError) -> Response {
        let verdicts = try await services.healthJudge.verdicts(on: page.releases)
        var response = await Response.json(.ok, on: services.work) {
            let list = page.releases.map { release in
                JSON.object(
                    ReleaseJSON(
                        release: release, releases: page.open[release.package, release.channel],
                        instant: page.open.instant, gaps: gaps[release.id], verdict: verdicts[release.id]
                    ).members())
            }
            return .object(["releases": .array(list)])
        }
        if let end = page.end {
            let position = query.position(of: end)
            let id = ListKey.number(position.id.value)
            response.fields[.link] = request.link(after: query.order == .id ? [id] : [.number(position.key), id])
        }
        return response
    }

    private static func query(_ request: ListRequest, _ query: Query) throws(PlatformError) -> ReleaseQuery {
        let order: ReleaseQuery.Order = request.sort.name == "activeTime" ? .activeTime : .id
        let after = try Self.position(request, by: order)
        return ReleaseQuery(
            channel: try query["channel"].map { (text) throws(PlatformError) in try NameKind.channel.read(text) },
            package: try query["package"].map { (text) throws(PlatformError) in try NameKind.package.read(text) },
            text: query["text"], order: order, isDescending: request.sort.isDescending, after: after,
            limit: request.limit)
    }

    /// Returns the position after which the page of a request begins.
    static func position(
        _ request: ListRequest, by order: ReleaseQuery.Order
    ) throws(PlatformError) -> ReleaseQuery.Position? {
        try request.numbers(order == .id ? 1 : 2).map { keys in
            ReleaseQuery.Position(key: keys[0], id: ReleaseID(keys[keys.count - 1]))
        }
    }

    /// Parses states that are separated by commas.
    private static func states(_ text: String) throws(PlatformError) -> Set<ReleaseState> {
        var states: Set<ReleaseState> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let state = ReleaseState(rawValue: String(name)) else {
                let all = ReleaseState.allCases.map(\.rawValue).joined(separator: ", ")
                throw JSONReader.wrong("state", "states separated by commas, each one of \(all)")
            }
            states.insert(state)
        }
        return states
    }
}

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
            let verdicts = try await routes.services.healthJudge.verdicts(on: page.releases)
            let list = page.releases.map { release in
                JSON.object(
                    ReleaseJSON(
                        release: release, releases: page.open[release.package, release.channel],
                        instant: page.open.instant, gaps: nil, verdict: verdicts[release.id]
                    ).members())
            }
            var fields = Fields()
            if let end = page.end {
                let id = ListKey.number(end.id.value)
                fields[.link] = request.link(
                    after: query.order == .id ? [id] : [.number(end.activeTime.milliseconds), id])
            }
            return .json(.ok, .object(["releases": .array(list)]), fields: fields)
        }
    }

    private static func query(_ request: ListRequest, _ query: Query) throws(PlatformError) -> ReleaseQuery {
        let order: ReleaseQuery.Order = request.sort.name == "activeTime" ? .activeTime : .id
        let keys = try request.numbers(order == .id ? 1 : 2)
        let after = keys.map { keys in
            ReleaseQuery.Position(
                activeTime: Timestamp(milliseconds: keys[0]), id: ReleaseID(keys[keys.count - 1]))
        }
        return ReleaseQuery(
            channel: try query["channel"].map { (text) throws(PlatformError) in try NameKind.channel.read(text) },
            package: try query["package"].map { (text) throws(PlatformError) in try NameKind.package.read(text) },
            text: query["text"], order: order, isDescending: request.sort.isDescending, after: after,
            limit: request.limit)
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

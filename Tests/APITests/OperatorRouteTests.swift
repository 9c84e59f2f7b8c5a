import API
import Domain
import FoundationEssentials
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the rules that hold for every route of the operators' API, by the list that the API gives of itself.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct OperatorRouteTests {
    private struct Route {
        let method: String
        let path: String
        let role: String

        /// A target that no object has, since the rules hold before a route looks for one.
        var target: String { path.replacing(/\{[^}]*\}/, with: "none") }
    }

    private func routes(_ desk: Desk) async throws -> [Route] {
        let list = try #require(try await desk.call("GET", Desk.api, as: .publisher).json["routes"]?.elements)
        return try list.map { route in
            Route(
                method: try #require(route["method"]?.string), path: try #require(route["path"]?.string),
                role: route["role"]?.string ?? "none")
        }
    }

    private func send(_ route: Route, _ query: String, _ desk: Desk) async throws -> TestResponse {
        try await desk.service.send(TestRequest(route.method, route.target + query).by(desk.token(.admin)))
    }

    @Test func `the list has every route under its role in the documentation`() async throws {
        let desk = try await Desk()
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let listed = try await routes(desk)
        let paths = desk.service.application.routes.filter { $0.contains(" /api/v1") && !$0.hasPrefix("OPTIONS") }
        #expect(Set(listed.map { "\($0.method) \($0.path)" }) == Set(paths + ["GET /metrics"]))
        for route in listed where route.path.hasPrefix("/api/v1/") {
            let name = "\(route.method) \(route.path.dropFirst("/api/v1".count))"
            #expect(page.contains("| `\(name)` | \(route.role) |"), "\(name)")
        }
    }

    @Test func `every route refuses parameters that it does not know, and those that are repeated`() async throws {
        let desk = try await Desk()
        // A provider decides on the parameters of its callback.
        for route in try await routes(desk) where !route.path.hasSuffix("/oidc/{provider}/callback") {
            let unknown = try await send(route, "?unheard-of=1", desk)
            // The response to HEAD has no body.
            let hasBody = route.method != "HEAD"
            #expect(unknown.status == 400, "\(route)")
            #expect(!hasBody || unknown.detail.contains("'unheard-of' is not a parameter of this route."), "\(route)")
            guard route.method != "GET", hasBody else { continue }
            let misspelt = try await send(route, "?dry_run=1", desk)
            #expect(misspelt.status == 400 && misspelt.detail.hasSuffix("Write 'dryRun'."), "\(route)")
            let repeated = try await send(route, "?dryRun=0&dryRun=1", desk)
            #expect(repeated.status == 400 && repeated.detail.contains("'dryRun' is repeated"), "\(route)")
        }
    }

    @Test func `an unknown parameter is refused with those that the route takes`() async throws {
        let desk = try await Desk()
        func refusal(_ target: String) async throws -> String {
            try await desk.call("GET", Desk.api + target).detail
        }
        #expect(
            try await refusal("/apps/default/events?before=3")
                == "'before' is not a parameter of this route. It takes after.")
        #expect(
            try await refusal("/token?limit=3") == "'limit' is not a parameter of this route. The route takes none.")
        #expect(try await refusal("/apps/default/explain?fact=1").hasSuffix(", attr.…."))
        #expect(try await desk.call("GET", Desk.api + "/apps/default/explain?attr.fact=1").status == 200)
    }
}

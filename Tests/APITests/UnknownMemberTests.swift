import Domain
import Ground
import ServiceKit
import TestKit
import Testing

/// Tests that no route ignores a member that it does not know.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct UnknownMemberTests {
    /// The routes whose body is JSON or empty.
    static let routes = OperatorRoute.all.filter { route in
        ["PUT", "POST", "PATCH"].contains(route.method) && !route.path.hasPrefix("/uploads")
            && !["?version=", "/device-lists/", "/keys/signing", "/keys/legacy"].contains { route.path.contains($0) }
    }

    @Test(arguments: routes)
    func `a route refuses an unknown member by its name`(route: OperatorRoute) async throws {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        var request = try await desk.request(route, authorization: "Bearer \(desk.token(.admin))")
        let members =
            route.path == "/ci-trusts/ci"
            ? try OperatorRoute.ciTrust(on: .everything).members : route.body?.members ?? []
        request.body = JSON.object(members + [.init("colour", "red")]).bytes()
        let response = try await desk.service.send(request)
        #expect(
            response.status == 400 && response.code == "invalid-request" && response.detail.contains("'colour'"),
            "\(response.status) \(response.text)")
        request.body = Array("[]".utf8)
        #expect(try await desk.service.send(request).status == 400)
    }
}

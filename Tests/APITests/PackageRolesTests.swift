import Domain
import Ground
import ServiceKit
import TestKit
import Testing

@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct PackageRolesTests {
    private func put(_ body: String, by token: String, to service: TestService) async throws -> TestResponse {
        try await service.send(
            TestRequest("PUT", "/api/v1/apps/default/packages/news", body: Array(body.utf8)).by(token))
    }

    @Test(arguments: [
        #"{"enable":false}"#, #"{"priority":1}"#, #"{"name":"N","enable":false,"priority":999}"#,
    ])
    func `changes that take effect on every device at once require a releaser`(body: String) async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let before = try await service.get("/config").text
        let refused = try await put(body, by: try await service.makeToken(.publisher), to: service)
        #expect(refused.status == 403)
        #expect(refused.code == "forbidden")
        #expect(refused.detail.contains("'releaser'"))
        #expect(try await service.get("/config").text == before)
        #expect(try await put(body, by: try await service.makeToken(.releaser), to: service).status == 200)
        #expect(try await service.get("/config").text != before)
    }

    @Test func `only a releaser may turn a dialect on or off, except on a new package`() async throws {
        let service = try await TestService()
        let (publisher, releaser) = try await (service.makeToken(.publisher), service.makeToken(.releaser))
        try await service.ship("1.0.0")
        for (body, expected) in [(#"{"dialects":["info-json"]}"#, 200), (#"{"dialects":[]}"#, 404)] {
            let refused = try await put(body, by: publisher, to: service)
            #expect(refused.status == 403 && refused.detail.contains("'dialects'"))
            #expect(try await service.get("/packages/news/info.json").status != expected)
            #expect(try await put(body, by: releaser, to: service).status == 200)
            #expect(try await service.get("/packages/news/info.json").status == expected)
        }
        let new = TestRequest(
            "PUT", "/api/v1/apps/default/packages/new", body: Array(#"{"dialects":["newest-package"]}"#.utf8))
        #expect(try await service.send(new.by(publisher)).status == 201)
    }

    @Test func `a publisher changes the rest, and may send both as they are`() async throws {
        let service = try await TestService()
        let token = try await service.makeToken(.publisher)
        let new = try await put(#"{"enable":false,"priority":7}"#, by: token, to: service)
        #expect(new.status == 201)
        let body = #"{"name":"News","urlPrefix":"/news/","entry":null,"enable":false,"priority":7}"#
        let response = try await put(body, by: token, to: service)
        #expect(response.status == 200)
        #expect(try response.json["name"]?.string == "News")
    }
}

import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// The health rules and verdicts in the operators' API.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct HealthRouteTests {
    private static let rules = JSON(
        parsing: Array(
            #"{"devices":50,"window":"1d","coolDown":"1h","rules":[{"metric":"crashes","ceiling":5,"action":"halt"}]}"#
                .utf8))

    private func desk() async throws -> Desk {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        return try await Desk(service)
    }

    private func make(_ desk: Desk, _ members: KeyValuePairs<String, JSON?>) async throws -> TestResponse {
        let body = JSON.object([.init("version", "1.0.0")] + (JSON.object(members).members ?? []))
        return try await desk.call("POST", "\(Desk.news)/releases", body, as: .releaser)
    }

    private func path(_ made: TestResponse) throws -> String {
        "\(Desk.news)/releases/\(try #require(try made.json["id"]?.integer))"
    }

    @Test func `a release has the rules that it is made with, until others replace them`() async throws {
        let desk = try await desk()
        let made = try await make(desk, ["health": Self.rules])
        #expect(try made.status == 201 && made.json["health"] == Self.rules)
        let path = try path(made)
        let fewer = JSON(parsing: Array(#"{"rules":[{"metric":"crashes","ceiling":1}]}"#.utf8))
        let changed = try await desk.call("PATCH", path, .object(["health": fewer]), as: .releaser)
        #expect(try changed.status == 200 && changed.json["health"]?["rules"]?.elements?[0]["ceiling"] == .integer(1))
        #expect(try changed.json["revision"] == .integer(2))
        for none in [JSON.null, .object(["rules": .array([])])] {
            let response = try await desk.call("PATCH", path, .object([.init("health", none)]), as: .releaser)
            #expect(try response.status == 200 && response.json["health"] == nil)
        }
        let audit = try await desk.call("GET", "/api/v1/audit")
        #expect(audit.text.contains(#""action":"release.health""#))
    }

    @Test(arguments: [#"{"health": 1}"#, #"{"health": {}}"#, #"{"health": null, "percent": 5}"#])
    func `rules with a fault change nothing`(body: String) async throws {
        let desk = try await desk()
        let path = try path(try await make(desk, ["percent": 1]))
        let response = try await desk.call("PATCH", path, JSON(parsing: Array(body.utf8)), as: .releaser)
        #expect(response.status == 400)
        #expect(try await desk.call("GET", path).json["revision"] == .integer(1))
    }

    @Test func `only releasers change rules, of the revision that they name, and a dry run keeps none`() async throws {
        let desk = try await desk()
        let path = try path(try await make(desk, [:]))
        let body = JSON.object(["health": Self.rules])
        #expect(try await desk.call("PATCH", path, body, as: .publisher).status == 403)
        #expect(try await desk.call("PATCH", path + "?dryRun=1", body, as: .releaser).status == 200)
        #expect(try await desk.call("GET", path).json["health"] == nil)
        let request = try TestRequest("PATCH", path, body: body.bytes()).by(desk.token(.releaser))
        #expect(try await desk.service.send(request.with("If-Match", "\"9\"")).status == 412)
    }

    @Test func `new releases get the rules of the app unless they give their own`() async throws {
        let desk = try await desk()
        let path = "/api/v1/apps/default/health"
        #expect(try await desk.call("GET", path, as: .publisher).text == #"{"health":null}"#)
        #expect(try await desk.call("PUT", path, Self.rules, as: .publisher).status == 403)
        let put = try await desk.call("PUT", path, Self.rules, as: .releaser)
        #expect(try put.status == 200 && put.json["health"] == Self.rules)
        #expect(try await desk.call("GET", path).text == put.text)
        #expect(try await make(desk, [:]).json["health"] == Self.rules)
        #expect(try await make(desk, ["health": .object(["rules": .array([])])]).json["health"] == nil)
        #expect(
            try await desk.call("PUT", path, .object(["rules": .array([])]), as: .releaser).text == #"{"health":null}"#)
        #expect(try await desk.call("PUT", path, .object([]), as: .releaser).status == 400)
    }

    @Test func `the verdict with its numbers is in the API and in explain`() async throws {
        let desk = try await desk()
        let service = desk.service
        let path = try path(try await make(desk, ["health": Self.rules]))
        #expect(try await desk.call("GET", path).json["verdict"] == nil)
        let (now, package) = (service.clock.now(), try #require(PackageID("news")))
        let reports = (0..<12).map { device in
            Report(
                app: .default, eventID: "1", deviceID: "\(device)", package: package,
                version: "1.0.0", event: "crash", time: now, details: [])
        }
        _ = try await service.store.insertReports(reports, at: now, keeping: ReportWindow())
        #expect(await service.healthJudge.pass().isEmpty)
        let verdict = try #require(try await desk.call("GET", path).json["verdict"])
        #expect(verdict["state"] == "waiting" && verdict["devices"] == .integer(12))
        #expect(verdict["note"]?.string?.contains("12 of 50 devices") == true)
        let list = try await desk.call("GET", "\(Desk.news)/releases")
        #expect(try list.json["releases"]?.elements?[0]["verdict"] == verdict)
        let explained = try await desk.call("GET", "/api/v1/apps/default/explain?deviceId=d")
        #expect(try explained.json["packages"]?.elements?[0]["releases"]?.elements?[0]["verdict"] == verdict)
    }
}

import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests `If-Match` for objects that operators change.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PreconditionTests {
    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        return desk
    }

    private func put(
        _ desk: Desk, _ path: String, _ body: String, ifMatch tag: String? = nil, method: String = "PUT"
    ) async throws -> TestResponse {
        let request = try TestRequest(method, Desk.api + path, body: Array(body.utf8)).by(desk.token(.admin))
        return try await desk.service.send(tag.map { request.with("If-Match", $0) } ?? request)
    }

    @Test(arguments: [
        ("/apps/default/packages/news", #"{"name": "One"}"#, #"{"name": "Two"}"#),
        ("/apps/default/builds/8.3.0", #"{"apis": ["camera"]}"#, #"{"apis": ["nfc"]}"#),
        ("/apps/default/device-lists/testers", "ann", "bob"),
    ])
    func `a change based on an outdated state is refused`(
        path: String, one: String, two: String
    ) async throws {
        let desk = try await ready()
        let seen = try #require(try await put(desk, path, one)["ETag"])
        #expect(seen.hasPrefix("\"") && seen.hasSuffix("\""))
        let mine = try await put(desk, path, two, ifMatch: seen)
        #expect(mine.status == 200 && mine["ETag"] != seen)
        let late = try await put(desk, path, one, ifMatch: seen)
        #expect(late.status == 412 && late.code == "precondition-failed" && late.detail.contains("Read it again"))
        let now = try #require(mine["ETag"])
        for tag in ["*", now, "\"x\", \(now)", "W/\(now), \(now)"] {
            #expect(try await put(desk, path, two, ifMatch: tag).status == 200, "\(tag)")
            guard !path.contains("device-lists") else { break }
        }
        #expect(try await put(desk, path, one, ifMatch: "W/\(now)").status == 412)
        let missing = path + "0"
        for tag in ["*", now] { #expect(try await put(desk, missing, one, ifMatch: tag).status == 412) }
        #expect(try await put(desk, missing, one).status == 201)
    }

    @Test func `a package shows its tag, which changes with each of its settings`() async throws {
        let desk = try await ready()
        let path = "/apps/default/packages/news"
        var tags: Set<String> = []
        for body in [
            #"{"name": "N"}"#, #"{"entry": null}"#, #"{"urlPrefix": "/n/"}"#, #"{"enable": false}"#,
            #"{"priority": 1}"#,
            #"{"permissions": {"apis": ["camera"]}}"#, #"{"resources": {"timeFormat": "epoch-ms"}}"#,
        ] {
            let tag = try #require(try await put(desk, path, body)["ETag"])
            #expect(try await desk.call("GET", Desk.news)["ETag"] == tag)
            #expect(tags.insert(tag).inserted, "\(body)")
        }
        let online = try await put(desk, path + "/online", #"{"for": "1h"}"#, method: "POST")
        #expect(online.status == 200)
        #expect(try await desk.call("GET", Desk.news)["ETag"].map { tags.contains($0) } == false)
    }

    @Test func `a build is deleted only in the state that was seen`() async throws {
        let desk = try await ready()
        let path = "/apps/default/builds/8.3.0"
        let seen = try #require(try await put(desk, path, #"{"apis": ["camera"]}"#)["ETag"])
        _ = try await put(desk, path, #"{"apis": []}"#)
        #expect(try await put(desk, path, "", ifMatch: seen, method: "DELETE").status == 412)
        #expect(try await put(desk, path, "", ifMatch: "*", method: "DELETE").status == 200)
    }

    @Test func `pages come from the network only for the package that was seen`() async throws {
        let desk = try await ready()
        let path = "/apps/default/packages/news"
        let seen = try #require(try await put(desk, path, #"{"name": "One"}"#)["ETag"])
        _ = try await put(desk, path, #"{"name": "Two"}"#)
        let refused = try await put(desk, path + "/online", #"{"for": "1h"}"#, ifMatch: seen, method: "POST")
        #expect(refused.status == 412)
        #expect(try await put(desk, path + "/online", "", ifMatch: seen, method: "DELETE").status == 412)
        #expect(try await desk.call("GET", Desk.news).json["onlineUntil"] == nil)
    }

    @Test(arguments: OperatorRoute.all.filter { !["GET", "HEAD"].contains($0.method) })
    func `every route that changes state honours If-Match`(route: OperatorRoute) async throws {
        let desk = try await ready()
        let request = try await desk.request(route, authorization: "Bearer \(desk.token(.admin))")
        let before = try await desk.call("GET", Desk.api + "/audit").text
        let stale = try await desk.service.send(request.with("If-Match", "\"never\""))
        #expect(stale.status == 412 && stale.code == "precondition-failed", "\(stale.text)")
        for malformed in ["never", "\"a", "\"a\" \"b\"", ",", "\"a\", b"] {
            let response = try await desk.service.send(request.with("If-Match", malformed))
            #expect(
                response.status == 400 && response.code == "malformed-precondition", "\(malformed): \(response.text)")
        }
        #expect(try await desk.call("GET", Desk.api + "/audit").text == before)
    }
}

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

    private static let grant =
        #"{"origin": "https://shop.example", "path": "/", "expires": "2030-01-01T00:00:00Z", "apis": "#

    @Test(arguments: [
        ("/apps/default/packages/news", #"{"name": "One"}"#, #"{"name": "Two"}"#),
        ("/apps/default/page-grants/shop", grant + #"["camera"]}"#, grant + #"["nfc"]}"#),
        ("/apps/default/packages/news/waivers/secret", #"{"reason": "One"}"#, #"{"reason": "Two"}"#),
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
            // Each change of these counts or dates it.
            guard !path.contains("device-lists"), !path.contains("waivers") else { break }
        }
        #expect(try await put(desk, path, one, ifMatch: "W/\(now)").status == 412)
        // Grants of other names need other pages, waivers another code.
        guard !path.contains("page-grants"), !path.contains("waivers") else { return }
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

    /// Requests that change one object, with a number that the object shows, and its reading.
    struct Counted: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let target: String
        let method: String
        /// Where the object is read.
        let source: String
        let body: @Sendable (Int) -> JSON
        let number: @Sendable (JSON) -> Int?

        init(
            _ name: String, _ method: String, _ target: String, from source: String? = nil,
            body: @escaping @Sendable (Int) -> JSON, number: @escaping @Sendable (JSON) -> Int?
        ) {
            (testDescription, self.target, self.method) = (name, target, method)
            self.source = source ?? target
            (self.body, self.number) = (body, number)
        }

        private static func text(_ key: String) -> @Sendable (JSON) -> Int? {
            { json in json[key]?.string.map { Int($0.split(separator: " ").last ?? "") } ?? 0 }
        }

        static let all: [Counted] = {
            let package = "/apps/default/packages/news"
            return [
                Counted("a package", "PUT", package) {
                    .object(["priority": .integer(Int64($0))])
                } number: {
                    $0["priority"]?.integer.map { $0 == 999 ? 0 : Int($0) }
                },
                Counted("notes", "PUT", package + "/versions/1.0.0/notes", from: package + "/versions/1.0.0") {
                    .object(["notes": .string("note \($0)")])
                } number: { json in
                    json["notes"] == nil ? 0 : text("notes")(json)
                },
                Counted("a waiver", "PUT", package + "/waivers/secret") {
                    .object(["reason": .string("reason \($0)")])
                } number: {
                    text("reason")($0)
                },
                Counted("a page grant", "PUT", "/apps/default/page-grants/shop") {
                    .object([
                        "origin": "https://shop.example", "path": "/", "expires": "2030-01-01T00:00:00Z",
                        "apis": .array([.string("api\($0)")]),
                    ])
                } number: { json in
                    json["apis"]?.elements?.first?.string.flatMap { Int($0.dropFirst(3)) } ?? 0
                },
                Counted("a host build", "PUT", "/apps/default/builds/8.3.0") {
                    .object(["apis": .array([.string("api\($0)")])])
                } number: { json in
                    json["apis"]?.elements?.first?.string.flatMap { Int($0.dropFirst(3)) } ?? 0
                },
                Counted("a webhook", "PATCH", "/apps/default/webhooks/1") {
                    .object(["url": .string("http://localhost:9/\($0)")])
                } number: { json in
                    json["url"]?.string.flatMap { Int($0.split(separator: "/").last ?? "") } ?? 0
                },
            ]
        }()
    }

    /// The changes that each of two operators makes.
    private static let changes = 200

    @Test(arguments: Counted.all)
    func `of two operators who change one object 200 times each, none overwrites a change of the other`(
        object: Counted
    ) async throws {
        let desk = try await ready()
        switch object.target {
        case let path where path.contains("/waivers/"):
            _ = try await put(desk, path, #"{"reason": "reason 0"}"#)
        case let path where path.contains("/webhooks/"):
            _ = try await put(desk, "/apps/default/webhooks", #"{"url": "http://localhost:9/0"}"#, method: "POST")
        case let path where path.contains("/builds/"):
            _ = try await put(desk, path, #"{"apis": ["api0"]}"#)
        case let path where path.contains("/page-grants/"):
            _ = try await put(desk, path, Self.grant + #"["api0"]}"#)
        default: break
        }
        let refusals = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var (made, refused) = (0, 0)
                    while made < Self.changes {
                        let seen = try await desk.call("GET", Desk.api + object.source)
                        let number = try #require(object.number(try seen.json), "\(seen.text)")
                        let body = String(decoding: object.body(number + 1).bytes(), as: UTF8.self)
                        let tag: String = try #require(seen["ETag"])
                        let done = try await put(desk, object.target, body, ifMatch: tag, method: object.method)
                        switch done.status {
                        case 200: made += 1
                        case 412: refused += 1
                        default: throw TestFailure(done.text)
                        }
                    }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
        let end = try await desk.call("GET", Desk.api + object.source)
        #expect(object.number(try end.json) == 2 * Self.changes)
        // Without an interleaving the test would not test anything.
        #expect(refusals > 0)
    }

    /// An unexpected response.
    private struct TestFailure: Error, CustomStringConvertible {
        let description: String

        init(_ text: String) { description = text }
    }

    @Test func `health rules of an app have a tag`() async throws {
        let desk = try await ready()
        let path = "/apps/default/health"
        let rules = #"{"rules": [{"metric": "crashes", "ceiling": 1}]}"#
        let empty = try #require(try await desk.call("GET", Desk.api + path)["ETag"])
        let set = try #require(try await put(desk, path, rules, ifMatch: empty)["ETag"])
        #expect(set != empty)
        #expect(try await desk.call("GET", Desk.api + path)["ETag"] == set)
        #expect(try await put(desk, path, rules, ifMatch: empty).status == 412)
    }

    @Test func `a response that shows one object has its tag, and a deletion requires it`() async throws {
        let desk = try await ready()
        try await desk.makeUnused()
        _ = try await put(desk, "/apps/default/page-grants/shop", Self.grant + #"["camera"]}"#)
        _ = try await put(desk, "/apps/default/packages/news/waivers/secret", #"{"reason": "r"}"#)
        _ = try await put(
            desk, "/apps/default/presets", #"{"appVersion": "8", "packages": {"news": "1.0.0"}}"#, method: "POST")
        _ = try await put(desk, "/apps/default/webhooks", #"{"url": "http://localhost:9/0"}"#, method: "POST")
        for path in [
            "/apps/default/channels/unused", "/apps/default/packages/unused", "/apps/default/device-lists/unused",
            "/apps/default/page-grants/shop", "/apps/default/packages/news/waivers/secret", "/apps/default/presets/8",
            "/apps/default/webhooks/1",
        ] {
            let tag = try #require(try await desk.call("GET", Desk.api + path)["ETag"], "\(path)")
            let late = try await put(desk, path, "", ifMatch: "\"old\"", method: "DELETE")
            #expect(late.status == 412, "\(path): \(late.text)")
            let done = try await put(desk, path, "", ifMatch: tag, method: "DELETE")
            #expect(done.status == 200, "\(path): \(done.text)")
            #expect(try await desk.call("GET", Desk.api + path).status == 404)
            #expect(try await put(desk, path, "", ifMatch: tag, method: "DELETE").status == 412)
            #expect(try await put(desk, path, "", method: "DELETE").status == 404)
        }
    }

    @Test func `a version's tag changes with its notes and its retirement, and a key's with its retirement`()
        async throws
    {
        let desk = try await ready()
        let version = "/apps/default/packages/news/versions/1.0.0"
        let first = try #require(try await desk.call("GET", Desk.api + version)["ETag"])
        let noted = try await put(desk, version + "/notes", #"{"notes": "n"}"#, ifMatch: first)
        let second = try #require(noted["ETag"])
        #expect(second != first)
        let late = try await put(desk, version + "/retire", #"{"reason": "r"}"#, ifMatch: first, method: "POST")
        #expect(late.status == 412)
        let retired = try await put(desk, version + "/retire", #"{"reason": "r"}"#, ifMatch: second, method: "POST")
        let third = try #require(retired["ETag"])
        #expect(try await desk.call("GET", Desk.api + version)["ETag"] == third && third != second)
        #expect(try await put(desk, version + "/unretire", "", ifMatch: second, method: "POST").status == 412)
        #expect(try await put(desk, version + "/unretire", "", ifMatch: third, method: "POST")["ETag"] == second)

        let made = try await put(desk, "/apps/default/keys", #"{"purpose": "signing"}"#, method: "POST")
        let key = "/apps/default/keys/\(try #require(try made.json["keyId"]?.string))"
        let tag = try #require(try await desk.call("GET", Desk.api + key)["ETag"])
        #expect(made["ETag"] == tag)
        let done = try await put(desk, key + "/retire", "", ifMatch: tag, method: "POST")
        #expect(done.status == 200 && done["ETag"] != tag)
        #expect(try await put(desk, key + "/retire", "", ifMatch: tag, method: "POST").status == 412)
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

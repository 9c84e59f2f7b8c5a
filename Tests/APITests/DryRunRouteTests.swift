import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests `?dryRun=1` at every route that makes a change.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DryRunRouteTests {
    /// The routes that make a change, except for uploads in parts and for test calls of webhooks.
    static let changes = OperatorRoute.all.filter {
        $0.method != "GET" && !$0.path.hasPrefix("/uploads") && !$0.path.contains("dryRun")
            && !$0.path.hasSuffix("/test")
    }

    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        return desk
    }

    /// Returns the state visible to operators and devices: lists, the audit log, `/config` with its version, and the
    /// cursor of `/push`.
    private func state(_ desk: Desk) async throws -> [String] {
        let lists = OperatorRoute.all.filter {
            $0.method == "GET" && !$0.path.contains("/0") && !$0.path.hasSuffix("/keys/legacy")
                && !$0.path.hasSuffix("/archive")
        }
        var state: [String] = []
        for list in lists { state.append(try await desk.call("GET", Desk.api + list.path).text) }
        let config = try await desk.service.get("/config")
        state += [config.text, config["Larder-Config-Version"] ?? "", config["Larder-Cursor"] ?? ""]
        return state + [try await desk.service.get("/keys.json").text]
    }

    /// The members with a random value.
    private static let drawn: Set<String> = [
        "keyId", "publicKey", "fingerprint", "token", "signature", "secret", "receipt", "dryRun",
    ]

    private func comparable(_ json: JSON) -> JSON {
        if let members = json.members {
            return .object(
                members.filter { !Self.drawn.contains($0.key) }.map { .init($0.key, comparable($0.value)) })
        }
        return json.elements.map { .array($0.map(comparable)) } ?? json
    }

    @Test(arguments: changes)
    func `a dry run has the response of the action, and changes nothing`(route: OperatorRoute) async throws {
        let desk = try await ready()
        let act = try await desk.request(route, authorization: "Bearer \(desk.token(.admin))")
        var rehearsal = act
        rehearsal.target += (act.target.contains("?") ? "&" : "?") + "dryRun=1"
        let before = try await state(desk)
        let dry = try await desk.service.send(rehearsal)
        #expect(dry.status == 200, "\(dry.text)")
        #expect(try await state(desk) == before)
        let isPublishing = route.path.contains("?version=")
        #expect(try isPublishing || dry.json["dryRun"] == true)
        let done = try await desk.service.send(act)
        #expect((200...201).contains(done.status), "\(done.text)")
        #expect(try comparable(dry.json) == comparable(done.json))
    }

    @Test func `a dry run is refused for the same reasons as the action`() async throws {
        let desk = try await ready()
        let cases: [(String, String, JSON?, String)] = [
            ("POST", Desk.releases, .object(["version": "9"]), "version-not-found"),
            ("POST", Desk.releases, .object(["version": "1.0.0", "whitelist": "none"]), "list-not-found"),
            ("POST", Desk.releases + "/9/halt", .object([]), "release-not-found"),
            ("DELETE", Desk.api + "/apps/default/presets/9", nil, "preset-not-found"),
            ("DELETE", Desk.api + "/tokens/99", nil, "token-not-found"),
        ]
        for (method, path, body, code) in cases {
            let response = try await desk.call(method, path + "?dryRun=1", body)
            #expect(response.code == code, "\(method) \(path): \(response.text)")
        }
        let publisher = try await desk.call(
            "POST", Desk.releases + "?dryRun=1", .object(["version": "1.0.0"]), as: .publisher)
        #expect(publisher.status == 403)
    }

    @Test(arguments: ["yes", "", "2", "true"])
    func `a misspelt dry run is refused, and the action is not done`(value: String) async throws {
        let desk = try await ready()
        let before = try await state(desk)
        let response = try await desk.call(
            "POST", Desk.releases + "?dryRun=\(value)", .object(["version": "1.0.0"]))
        #expect(response.status == 400 && response.detail.contains("'dryRun' must be 1"))
        #expect(try await state(desk) == before)
    }

    @Test func `a test call of a webhook has no dry run, and says so`() async throws {
        let desk = try await ready()
        let route = try #require(OperatorRoute.all.first { $0.path.hasSuffix("/test") })
        var request = try await desk.request(route, authorization: "Bearer \(desk.token(.admin))")
        request.target += "?dryRun=1"
        let response = try await desk.service.send(request)
        #expect(response.status == 400 && response.detail.contains("no dry run"))
    }

    @Test func `an upload in parts has no dry run, and says so`() async throws {
        let desk = try await ready()
        for route in OperatorRoute.all where route.path.hasPrefix("/uploads") && route.method != "HEAD" {
            var request = try await desk.request(route, authorization: "Bearer \(desk.token(.admin))")
            request.target += "?dryRun=1"
            let response = try await desk.service.send(request)
            #expect(response.status == 400 && response.detail.contains("no dry run"), "\(route): \(response.text)")
        }
    }

    @Test(arguments: ["dryrun=1", "dry-run=1", "DRY_RUN", "%64ryrun=1"])
    func `a misspelt dry run is refused, and so is one in the body of a DELETE`(query: String) async throws {
        let desk = try await ready()
        let builds = Desk.api + "/apps/default/builds/1.0"
        #expect(try await desk.call("PUT", builds, .object(["apis": .array([])])).status == 201)
        let response = try await desk.call("DELETE", "\(builds)?\(query)")
        #expect(response.status == 400 && response.detail.contains("Write 'dryRun'"))
        let body = try await desk.call("DELETE", builds, .object(["dryRun": true]))
        #expect(body.status == 400 && body.detail.contains("DELETE accepts no body"))
        #expect(try await desk.call("GET", Desk.api + "/apps/default/builds").text.contains("1.0"))
        #expect(try await desk.call("DELETE", builds).status == 200)
    }
}

import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the life of tokens: expiry, change, rotation and use.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct TokenLifeTests {
    private static let tokens = Desk.api + "/tokens"
    private static let apps = Desk.api + "/apps"

    private func make(_ desk: Desk, _ members: JSON.Member...) async throws -> (id: Int64, secret: String) {
        let body = JSON.object([.init("name", "ci"), .init("role", "publisher")] + members)
        let made = try await desk.call("POST", Self.tokens, body)
        try #require(made.status == 201, "\(made.text)")
        return (try #require(try made.json["id"]?.integer), try #require(try made.json["token"]?.string))
    }

    private func status(_ desk: Desk, _ secret: String) async throws -> Int {
        try await desk.service.send(TestRequest("GET", Self.apps).by(secret)).status
    }

    @Test func `a token is shown with its scope, its owner and its times`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.api + "/apps/default/channels/beta")
        let expiry = desk.service.fromNow(60_000).rfc3339
        let (id, secret) = try await make(
            desk, .init("app", "default"), .init("channel", "beta"), .init("expiresAt", .string(expiry)))
        let response = try await desk.call("GET", "\(Self.tokens)/\(id)")
        #expect(response["ETag"] == "\"1\"")
        let shown = try response.json
        #expect(shown["app"] == "default" && shown["channel"] == "beta" && shown["expiresAt"]?.string == expiry)
        #expect(shown["owner"]?.string == "test admin (#\(Role.allCases.count))")
        #expect(shown["createdAt"]?.string == desk.service.clock.now().rfc3339)
        #expect(shown["lastUsedAt"] == nil && shown["previousSecretExpiresAt"] == nil && shown["token"] == nil)
        let own = try await desk.service.send(TestRequest("GET", Desk.api + "/token").by(secret)).json
        #expect(own["channel"] == "beta" && own["expiresAt"]?.string == expiry && own["role"] == "publisher")
    }

    @Test func `a token is valid until its expiry, and then 401 says so to the right secret only`() async throws {
        let desk = try await Desk()
        let expiry = desk.service.fromNow(1000)
        let (_, secret) = try await make(desk, .init("expiresAt", .string(expiry.rfc3339)))
        #expect(try await status(desk, secret) == 200)
        desk.service.clock.advance(milliseconds: 999)
        #expect(try await status(desk, secret) == 200)
        desk.service.clock.advance(milliseconds: 1)
        // The token is cached.
        let over = try await desk.service.send(TestRequest("GET", Self.apps).by(secret))
        #expect(
            over.status == 401 && over.code == "unauthorized" && over.detail.contains("expired at \(expiry.rfc3339)"))
        let wrong = try await desk.service.send(TestRequest("GET", Self.apps).by(secret + "0"))
        #expect(wrong.status == 401 && !wrong.detail.contains("expired"))
        let restarted = try await desk.service.restarted()
        #expect(try await restarted.send(TestRequest("GET", Self.apps).by(secret)).status == 401)
    }

    @Test func `an event stream ends when its token expires`() async throws {
        let desk = try await Desk()
        let expiry = desk.service.fromNow(1000)
        let (_, secret) = try await make(desk, .init("expiresAt", .string(expiry.rfc3339)))
        let stream = try await desk.service.follow(
            TestRequest("GET", Desk.api + "/apps/default/events").by(secret))
        await desk.service.services.auditFollower.pass()
        #expect(!stream.hasEnded)
        desk.service.clock.advance(milliseconds: 1000)
        await desk.service.services.auditFollower.pass()
        #expect(stream.hasEnded)
    }

    @Test func `name and expiry change, and only in the state that was seen`() async throws {
        let desk = try await Desk()
        let (id, secret) = try await make(desk)
        let one = "\(Self.tokens)/\(id)"
        func patch(_ body: JSON, ifMatch tag: String? = nil) async throws -> TestResponse {
            let request = try TestRequest("PATCH", one, body: body.bytes()).by(desk.token(.admin))
            return try await desk.service.send(tag.map { request.with("If-Match", $0) } ?? request)
        }
        let expiry = desk.service.fromNow(5000).rfc3339
        let changed = try await patch(.object(["name": "robot", "expiresAt": .string(expiry)]), ifMatch: "\"1\"")
        #expect(changed.status == 200 && changed["ETag"] == "\"2\"")
        #expect(try changed.json["name"] == "robot" && changed.json["expiresAt"]?.string == expiry)
        #expect(try await patch(.object(["name": "late"]), ifMatch: "\"1\"").status == 412)
        let kept = try await patch(.object(["name": "r"]))
        #expect(try kept.json["expiresAt"]?.string == expiry)
        #expect(try await patch(.object(["expiresAt": .null])).json["expiresAt"] == nil)
        for (body, word) in [
            (JSON.object([]), "'name'"), (.object(["expiresAt": "yesterday"]), "RFC 3339"),
            (.object(["expiresAt": .string(desk.service.clock.now().rfc3339)]), "has passed"),
            (.object(["name": ""]), "1 to 100 bytes"), (.object(["role": "admin"]), "unknown member 'role'"),
        ] {
            let response = try await patch(body)
            #expect(response.status == 400 && response.detail.contains(word), "\(response.text)")
        }
        #expect(try await status(desk, secret) == 200)
        #expect(try await desk.call("DELETE", one).status == 200)
        #expect(try await patch(.object(["name": "again"])).code == "conflict")
    }

    @Test func `an expiry that is moved to an earlier time holds for a cached token`() async throws {
        let desk = try await Desk()
        let (id, secret) = try await make(desk)
        #expect(try await status(desk, secret) == 200)
        let expiry = desk.service.fromNow(1000)
        _ = try await desk.call("PATCH", "\(Self.tokens)/\(id)", .object(["expiresAt": .string(expiry.rfc3339)]))
        desk.service.clock.advance(milliseconds: 1000)
        #expect(try await status(desk, secret) == 401)
    }

    @Test func `a rotated token has two secrets until the overlap ends, and never three`() async throws {
        let desk = try await Desk()
        let (id, first) = try await make(desk)
        #expect(try await status(desk, first) == 200)
        func rotate(_ seconds: Int64?) async throws -> (secret: String, end: String?) {
            let body = seconds.map { JSON.object(["overlapSeconds": .integer($0)]) }
            let response = try await desk.call("POST", "\(Self.tokens)/\(id)/rotate", body)
            try #require(response.status == 200, "\(response.text)")
            return (
                try #require(try response.json["token"]?.string),
                try response.json["previousSecretExpiresAt"]?.string
            )
        }
        let (second, end) = try await rotate(nil)
        #expect(end == desk.service.fromNow(86_400_000).rfc3339)
        for secret in [first, second] { #expect(try await status(desk, secret) == 200) }
        let (third, _) = try await rotate(2)
        #expect(try await status(desk, first) == 401)
        for secret in [second, third] { #expect(try await status(desk, secret) == 200) }
        desk.service.clock.advance(milliseconds: 1999)
        #expect(try await status(desk, second) == 200)
        desk.service.clock.advance(milliseconds: 1)
        let over = try await desk.service.send(TestRequest("GET", Self.apps).by(second))
        #expect(over.status == 401 && over.detail.contains("was replaced"))
        #expect(try await status(desk, third) == 200)
        let (fourth, none) = try await rotate(0)
        #expect(none == nil)
        #expect(try await status(desk, third) == 401)
        #expect(try await status(desk, fourth) == 200)
    }

    @Test(arguments: [(0, 200), (604_800, 200), (604_801, 400), (-1, 400)])
    func `an overlap is at most seven days`(seconds: Int64, expected: Int) async throws {
        let desk = try await Desk()
        let (id, _) = try await make(desk)
        let body = JSON.object(["overlapSeconds": .integer(seconds)])
        #expect(try await desk.call("POST", "\(Self.tokens)/\(id)/rotate", body).status == expected)
    }

    @Test func `nobody makes, sees or changes a token with a scope in which they are no admin`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.api + "/apps/other")
        let (mine, _) = try await make(desk, .init("app", "default"))
        let (foreign, _) = try await make(desk, .init("app", "other"))
        let admin = try await desk.service.makeToken(.admin, on: .app(.default))
        func send(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> TestResponse {
            try await desk.service.send(TestRequest(method, path, body: body.map { $0.bytes() }).by(admin))
        }
        let names: [JSON.Member] = [.init("name", "x"), .init("role", "viewer")]
        #expect(try await send("POST", Self.tokens, .object(names)).status == 403)
        #expect(try await send("POST", Self.tokens, .object(names + [.init("app", "other")])).code == "app-not-found")
        #expect(try await send("POST", Self.tokens, .object(names + [.init("app", "default")])).status == 201)
        let listed = try #require(try await send("GET", Self.tokens).json["tokens"]?.elements)
        #expect(listed.allSatisfy { $0["app"] == "default" } && listed.contains { $0["id"]?.integer == mine })
        for (method, path) in [("GET", ""), ("PATCH", ""), ("POST", "/rotate"), ("DELETE", "")] {
            let body = method == "PATCH" ? JSON.object(["name": "y"]) : nil
            let hidden = try await send(method, "\(Self.tokens)/\(foreign)\(path)", body)
            #expect(hidden.status == 404 && hidden.code == "token-not-found")
            #expect(try await send(method, "\(Self.tokens)/\(mine)\(path)", body).status == 200)
        }
    }

    @Test func `a scope has to exist, and a channel needs its app`() async throws {
        let desk = try await Desk()
        let names: [JSON.Member] = [.init("name", "x"), .init("role", "viewer")]
        for (members, code) in [
            ([JSON.Member("app", "absent")], "app-not-found"),
            ([.init("app", "default"), .init("channel", "absent")], "channel-not-found"),
            ([.init("channel", "production")], "invalid-request"), ([.init("app", "A b")], "app-not-found"),
        ] {
            #expect(try await desk.call("POST", Self.tokens, .object(names + members)).code == code)
        }
    }

    @Test func `an admin who never expires remains`() async throws {
        let desk = try await Desk()
        let last = "\(Self.tokens)/\(Role.allCases.count)"
        let expiry = JSON.object(["expiresAt": .string(desk.service.fromNow(1000).rfc3339)])
        #expect(try await desk.call("PATCH", last, expiry).code == "conflict")
        // Neither an admin who expires nor one of an app replaces it.
        _ = try await desk.service.tokens.create(
            name: "a", role: .admin, expiresAt: desk.service.fromNow(1000), by: .server)
        _ = try await desk.service.tokens.create(name: "b", role: .admin, on: .app(.default), by: .server)
        #expect(try await desk.call("DELETE", last).code == "conflict")
        _ = try await desk.service.tokens.create(name: "c", role: .admin, by: .server)
        #expect(try await desk.call("PATCH", last, expiry).status == 200)
    }

    @Test func `the latest use is stored once a minute, outside of requests`() async throws {
        let desk = try await Desk()
        let (id, secret) = try await make(desk)
        func shown() async throws -> String? {
            try await desk.call("GET", "\(Self.tokens)/\(id)").json["lastUsedAt"]?.string
        }
        let authority = desk.service.tokens
        let first = desk.service.clock.now()
        #expect(try await status(desk, secret) == 200)
        #expect(try await shown() == nil)
        try await authority.storeUses()
        #expect(try await shown() == first.rfc3339)
        // Within the minute, as on another node, nothing is written.
        desk.service.clock.advance(milliseconds: 59_999)
        #expect(try await status(desk, secret) == 200)
        try await authority.storeUses()
        #expect(try await shown() == first.rfc3339)
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await status(desk, secret) == 200)
        // A failure keeps the use.
        desk.service.store.setBefore(.recordUses) { () throws(PlatformError) in
            throw PlatformError(.storageUnavailable, "gone")
        }
        await #expect(throws: PlatformError.self) { try await authority.storeUses() }
        desk.service.store.setBefore(.recordUses, nil)
        try await authority.storeUses()
        #expect(try await shown() == desk.service.clock.now().rfc3339)
    }
}

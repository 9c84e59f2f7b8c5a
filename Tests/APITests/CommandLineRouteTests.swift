import API
import Artifacts
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests command lines that are signed in as the user who agrees in the console (decision 0089).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct CommandLineRouteTests {
    private static let root = Desk.api + "/command-line"
    private static let secret = CommandLineSignIn.secretPrefix + String(repeating: "ab", count: 32)

    private static func digest(_ secret: String) -> JSON {
        .string(Hex.encode(OpenSSLCryptography().sha256(Array(secret.utf8)).bytes))
    }

    /// Sends a request without a token.
    private func open(_ path: String, _ body: JSON, _ desk: Desk) async throws -> TestResponse {
        try await desk.service.send(TestRequest("POST", Self.root + path, body: body.bytes()))
    }

    /// Begins a request, and returns its code.
    private func ask(_ desk: Desk, _ secret: String = secret) async throws -> String {
        let asked = try await open(
            "", .object(["machine": "ann-laptop", "secretHash": Self.digest(secret)]), desk)
        try #require(asked.status == 201, "\(asked.text)")
        return try #require(try asked.json["code"]?.string)
    }

    private func answer(_ desk: Desk, _ secret: String = secret) async throws -> TestResponse {
        try await open("/answer", .object(["secret": .string(secret)]), desk)
    }

    private func call(
        _ method: String, _ path: String, _ desk: Desk, _ secret: String = secret
    ) async throws -> TestResponse {
        try await desk.service.send(
            TestRequest(method, Desk.api + path).with("Authorization", "Bearer \(secret)"))
    }

    private func agreed(_ desk: Desk) async throws -> Desk.Person {
        let ann = try await desk.signIn("ann")
        let code = try await ask(desk)
        try #require(try await desk.call("POST", "/command-line/\(code)/agree", as: ann).status == 200)
        return ann
    }

    @Test func `a command line cannot remove the second factor of its user`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann", Grant(.releaser, on: .everything))
        let ann = try await agreed(desk)
        _ = try await desk.addSecondFactor(of: ann)
        let refused = try await call("DELETE", "/user/totp", desk)
        #expect(refused.status == 403 && refused.text.contains("Only a browser"), "\(refused.text)")
        #expect(try await desk.call("GET", "/session", as: ann).json["totp"] == true)
        #expect(try await desk.call("DELETE", "/user/totp", as: ann).status == 200)
    }

    @Test func `a command line acts as the user who has agreed, until its session ends`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann", Grant(.releaser, on: .everything))
        let ann = try await desk.signIn("ann")
        let code = try await ask(desk)
        #expect(try await answer(desk).json["state"] == "waiting")
        #expect(try await call("GET", "/session", desk).status == 401)
        for shown in [code, code.lowercased(), code.replacing("-", with: "")] {
            let found = try await desk.call("GET", "/command-line/\(shown)", as: ann)
            #expect(try found.json["machine"] == "ann-laptop" && found.json["code"]?.string == code, "\(found.text)")
        }
        let agreed = try await desk.call("POST", "/command-line/\(code)/agree", as: ann)
        #expect(try agreed.status == 200 && agreed.json["machine"] == "ann-laptop", "\(agreed.text)")
        let told = try await answer(desk)
        #expect(try told.json["state"] == "agreed" && told.json["user"] == "ann", "\(told.text)")
        let own = try await call("GET", "/session", desk)
        #expect(try own.json["user"] == "ann" && own.json["id"] == agreed.json["id"], "\(own.text)")
        #expect(try await call("GET", "/token", desk).json["role"] == "releaser")
        let list = try #require(try await desk.call("GET", "/sessions", as: ann).json["sessions"]?.elements)
        #expect(list.map { $0["machine"] } == [nil, "ann-laptop"])
        let entry = try #require(
            try await desk.call("GET", Desk.api + "/audit?action=session.begin").json["entries"]?.elements?.first)
        #expect(entry["subject"] == "ann" && entry["details"]?["machine"] == "ann-laptop", "\(entry.text)")
        // The secret is for the field Authorization, and a code works once.
        let cookie = Desk.Person(id: 0, cookie: "__Host-larder-session=\(Self.secret)")
        #expect(try await desk.call("GET", "/session", as: cookie).status == 401)
        #expect(try await desk.call("POST", "/command-line/\(code)/agree", as: ann).code == "sign-in-expired")
        #expect(try await call("DELETE", "/session", desk).status == 200)
        let over = try await call("GET", "/session", desk)
        #expect(over.status == 401 && over.text.contains("larder login"), "\(over.text)")
        #expect(try await answer(desk).code == "sign-in-expired")
    }

    @Test func `a refused request stays refused`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        let code = try await ask(desk)
        #expect(try await desk.call("POST", "/command-line/\(code)/refuse", as: ann).status == 200)
        #expect(try await answer(desk).json["state"] == "refused")
        for action in ["agree", "refuse"] {
            #expect(try await desk.call("POST", "/command-line/\(code)/\(action)", as: ann).code == "sign-in-expired")
        }
        #expect(try await call("GET", "/session", desk).status == 401)
        let audit = try await desk.call("GET", Desk.api + "/audit?action=session.refuse")
        #expect(audit.text.contains("\"subject\":\"ann\"") && audit.text.contains("ann-laptop"))
    }

    @Test func `a dry run agrees to nothing`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        let code = try await ask(desk)
        for action in ["agree", "refuse"] {
            let dry = try await desk.call("POST", "/command-line/\(code)/\(action)?dryRun=1", as: ann)
            #expect(dry.status == 200, "\(dry.text)")
        }
        #expect(try await answer(desk).json["state"] == "waiting")
    }

    @Test func `neither a command line nor a token signs in a command line`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        _ = try await agreed(desk)
        let code = try await ask(desk, Self.secret + "2")
        for action in ["agree", "refuse"] {
            let path = "/command-line/\(code)/\(action)"
            #expect(try await call("POST", path, desk).code == "forbidden")
            #expect(try await desk.call("POST", Desk.api + path).code == "forbidden")
        }
        #expect(try await answer(desk, Self.secret + "2").json["state"] == "waiting")
    }

    @Test func `nobody can agree after 10 minutes`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        let code = try await ask(desk)
        desk.service.clock.advance(milliseconds: CommandLineRequest.lifetimeMilliseconds - 1)
        #expect(try await desk.call("GET", "/command-line/\(code)", as: ann).status == 200)
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await desk.call("POST", "/command-line/\(code)/agree", as: ann).code == "sign-in-expired")
        #expect(try await answer(desk).code == "sign-in-expired")
    }

    @Test func `the session ends after 7 days, used or not`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        _ = try await agreed(desk)
        let day: Int64 = 86_400_000
        for pause in [6 * day, day - 1] {
            desk.service.clock.advance(milliseconds: pause)
            #expect(try await call("GET", "/apps", desk).status == 200)
            try await desk.service.services.sessions.storeUses()
        }
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await call("GET", "/apps", desk).status == 401)
    }

    @Test func `a disabled user has no command line`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann", Grant(.viewer, on: .everything))
        _ = try await agreed(desk)
        #expect(try await call("GET", "/apps", desk).status == 200)
        let disabled = try await desk.call("PATCH", Desk.api + "/users/ann", .object(["disabled": true]))
        #expect(disabled.status == 200)
        #expect(try await call("GET", "/apps", desk).status == 401)
    }

    @Test(arguments: [
        (#"{"secretHash": "HASH"}"#, "'machine'"), (#"{"machine": "", "secretHash": "HASH"}"#, "'machine'"),
        (#"{"machine": "a b", "secretHash": "HASH"}"#, "'machine'"),
        (#"{"machine": "LONG", "secretHash": "HASH"}"#, "'machine'"), (#"{"machine": "a"}"#, "'secretHash'"),
        (#"{"machine": "a", "secretHash": "ab"}"#, "'secretHash'"),
        (#"{"machine": "a", "secretHash": "HASH", "b": 1}"#, "'b'"),
    ])
    func `a request that cannot be is refused`(body: String, word: String) async throws {
        let desk = try await Desk()
        let long = String(repeating: "m", count: MachineName.maximumLength + 1)
        let text = body.replacing("HASH", with: String(repeating: "0", count: 64)).replacing("LONG", with: long)
        let response = try await desk.service.send(TestRequest("POST", Self.root, body: Array(text.utf8)))
        #expect(response.status == 400 && response.detail.contains(word), "\(response.text)")
        #expect(MachineName(String(long.dropLast())) != nil)
    }

    @Test func `a secret is for one request`() async throws {
        let desk = try await Desk()
        _ = try await ask(desk)
        let again = try await open("", .object(["machine": "m", "secretHash": Self.digest(Self.secret)]), desk)
        #expect(again.code == "conflict", "\(again.text)")
    }
}

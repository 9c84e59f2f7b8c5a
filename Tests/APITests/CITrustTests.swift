import Domain
import Foundation
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

/// Tests CI trusts and the tokens that jobs get for their identity tokens, against an issuer on the loopback.
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct CITrustTests {
    private static let trusts = Desk.api + "/ci-trusts"
    private static let audience = "https://larder.example"

    /// A service that trusts an issuer, and a key of the issuer.
    private struct World {
        let desk: Desk
        let issuer: TestIssuer
        let key: TestIssuer.Key

        /// Returns the identity token of a job of the trusted repository, for two minutes.
        func job(
            repository: String = "acme/shop", ref: String = "refs/tags/v1", audience: JSON = .string(audience),
            issuer name: String? = nil, by other: TestIssuer.Key? = nil
        ) throws -> String {
            let second = desk.service.clock.now().milliseconds / 1_000
            return try issuer.token(
                [
                    "iss": .string(name ?? issuer.url), "aud": audience, "sub": "repo:acme/shop",
                    "iat": .integer(second),
                    "exp": .integer(second + 120), "repository": .string(repository), "ref": .string(ref),
                ], by: other ?? key)
        }

        func exchange(_ token: String, under trust: String = "github") async throws -> TestResponse {
            let body = JSON.object(["trust": .string(trust), "identityToken": .string(token)]).bytes()
            return try await desk.service.send(TestRequest("POST", Desk.api + "/ci-tokens", body: body))
        }
    }

    private static func rule(_ issuer: TestIssuer, _ changes: KeyValuePairs<String, JSON?> = [:]) -> JSON {
        var members: [String: JSON] = [
            "issuer": .string(issuer.url), "audience": .string(audience), "role": "publisher", "app": "default",
            "claims": .object(["repository": "acme/shop", "ref": "refs/tags/*"]),
        ]
        for (name, value) in changes { members[name] = value }
        return .object(members.map { .init($0.key, $0.value) })
    }

    private func world(_ algorithm: IdentityToken.Algorithm = .rs256) async throws -> World {
        let (desk, issuer) = (try await Desk(), try TestIssuer())
        let key = try issuer.makeKey("one", algorithm)
        issuer.publish(key)
        let made = try await desk.call("PUT", Self.trusts + "/github", Self.rule(issuer))
        try #require(made.status == 201, "\(made.text)")
        return World(desk: desk, issuer: issuer, key: key)
    }

    private func status(_ secret: String, _ method: String, _ target: String, _ desk: Desk) async throws -> Int {
        try await desk.service.send(TestRequest(method, target, body: Array("{}".utf8)).by(secret)).status
    }

    @Test func `a job publishes with a token that its identity token got, until the token expires`() async throws {
        let world = try await world()
        let response = try await world.exchange(world.job())
        #expect(response.status == 201, "\(response.text)")
        let json = try response.json
        let secret = try #require(json["token"]?.string)
        #expect(json["role"] == "publisher" && json["app"] == "default" && json["owner"] == "CI trust github")
        let expiry = world.desk.service.clock.now().adding(milliseconds: 900_000)
        #expect(json["expiresAt"] == .string(expiry.rfc3339))
        #expect(try await status(secret, "PUT", Desk.news, world.desk) == 201)
        #expect(try await status(secret, "POST", Desk.releases, world.desk) == 403)
        #expect(try await status(secret, "GET", Self.trusts, world.desk) == 403)
        world.desk.service.clock.set(to: expiry)
        #expect(try await status(secret, "PUT", Desk.news, world.desk) == 401)
    }

    @Test func `another repository, ref, audience, issuer or key gets no token and learns no pattern`() async throws {
        let world = try await world()
        let stranger = try world.issuer.makeKey("one")
        let jobs = [
            try world.job(repository: "evil/shop"), try world.job(ref: "refs/heads/main"),
            try world.job(ref: "x-refs/tags/v1"), try world.job(audience: "https://other.example"),
            try world.job(issuer: "https://ci.example"), try world.job(by: stranger), "a.b.c", "",
        ]
        for job in jobs {
            let response = try await world.exchange(job)
            #expect(response.status == 401 && response.code == "unauthorized", "\(response.text)")
            #expect(!response.text.contains("refs/tags/*") && !response.text.contains("acme/shop"))
        }
        let late = try world.job()
        let second = world.desk.service.clock.now().adding(milliseconds: 180_000)
        world.desk.service.clock.set(to: second)
        let expired = try await world.exchange(late)
        #expect(expired.status == 401 && expired.detail.contains("expired"))
        #expect(try await world.exchange(world.job(), under: "gitlab").status == 401)
        let malformed = try await world.exchange(world.job(), under: "No Name")
        #expect(malformed.status == 400 && malformed.detail.contains("trust"))
        let entries = try await world.desk.call("GET", Desk.api + "/audit?action=token.exchange").json["entries"]
        #expect(entries?.elements?.isEmpty == true)
    }

    @Test func `a job gets a token by the issuer's next key`() async throws {
        let world = try await world(.es256)
        let next = try world.issuer.makeKey("two", .es256)
        #expect(try await world.exchange(world.job()).status == 201)
        world.issuer.publish(next)
        #expect(try await world.exchange(world.job(by: next)).status == 401)
        world.desk.service.instant.advance(.seconds(60))
        #expect(try await world.exchange(world.job(by: next)).status == 201)
        #expect(try await world.exchange(world.job()).status == 401)
    }

    @Test func `changing or deleting a trust ends the tokens of its jobs`() async throws {
        let world = try await world()
        let first = try #require(try await world.exchange(world.job()).json["token"]?.string)
        #expect(try await status(first, "GET", Desk.api + "/token", world.desk) == 200)
        let one = Self.trusts + "/github"
        let tag = try #require(try await world.desk.call("GET", one)["ETag"])
        let changed = try await world.desk.call("PUT", one, Self.rule(world.issuer, ["lifetimeSeconds": 60]))
        #expect(changed.status == 200)
        #expect(try await status(first, "GET", Desk.api + "/token", world.desk) == 401)
        let second = try #require(try await world.exchange(world.job()).json["token"]?.string)
        let outdated = try TestRequest("DELETE", one).by(world.desk.token(.admin)).with("If-Match", tag)
        #expect(try await world.desk.service.send(outdated).status == 412)
        #expect(try await status(second, "GET", Desk.api + "/token", world.desk) == 200)
        #expect(try await world.desk.call("DELETE", one).status == 200)
        #expect(try await status(second, "GET", Desk.api + "/token", world.desk) == 401)
        #expect(try await world.desk.call("DELETE", one).code == "ci-trust-not-found")
        #expect(try await world.exchange(world.job()).status == 401)
    }

    @Test func `the audit log shows the trust, the subject and the address, and no token`() async throws {
        let world = try await world()
        let token = try #require(try await world.exchange(world.job()).json["token"]?.string)
        let audit = try await world.desk.call("GET", Desk.api + "/audit?action=token.exchange")
        let entry = try #require(try audit.json["entries"]?.elements?.first)
        #expect(entry["subject"] == "github repo:acme/shop" && entry["actor"] == "server")
        #expect(entry["details"]?["trust"] == "github" && entry["details"]?["subject"] == "repo:acme/shop")
        #expect(entry["details"]?["after"]?["role"] == "publisher" && entry["details"]?["address"] != nil)
        #expect(!audit.text.contains(token))
    }

    @Test func `tokens of jobs are forgotten seven days after their expiry`() async throws {
        let world = try await world()
        func count() async throws -> Int {
            try await world.desk.call("GET", Desk.api + "/tokens").json["tokens"]?.elements?
                .filter { $0["owner"] == "CI trust github" }.count ?? 0
        }
        _ = try await world.exchange(world.job())
        let end = world.desk.service.clock.now().adding(milliseconds: 900_000 + CITrust.memoryMilliseconds)
        world.desk.service.clock.set(to: end)
        _ = try await world.exchange(world.job())
        #expect(try await count() == 2)
        world.desk.service.clock.set(to: end.adding(milliseconds: 1))
        _ = try await world.exchange(world.job())
        #expect(try await count() == 2)
    }

    @Test(
        arguments: [
            (["claims": .object([:])], "every job of the platform"), (["claims": nil], "every job of the platform"),
            (["claims": .object(["ref": "**"])], "more than asterisks"), (["claims": .object(["ref": 1])], "asterisks"),
            (["role": "admin"], "no admins"), (["issuer": "ftp://ci.example"], "http"), (["issuer": nil], "issuer"),
            (["issuer": "http://10.0.0.1"], "not public"), (["audience": ""], "audience"),
            (["lifetimeSeconds": 59], "lifetimeSeconds"), (["lifetimeSeconds": 3_601], "lifetimeSeconds"),
            (["app": "none"], "none"), (["channel": "none"], "none"), (["clams": 1], "clams"),
        ] as [(KeyValuePairs<String, JSON?>, String)])
    func `a trust that is wrong is refused with what is wrong`(
        changes: KeyValuePairs<String, JSON?>, hint: String
    ) async throws {
        let (desk, issuer) = (try await Desk(), try TestIssuer())
        let response = try await desk.call("PUT", Self.trusts + "/github", Self.rule(issuer, changes))
        #expect((400...404).contains(response.status) && response.text.contains(hint), "\(response.text)")
        #expect(try await desk.call("GET", Self.trusts).json["ciTrusts"]?.elements?.isEmpty == true)
    }

    @Test func `an admin of one app manages the trusts of that app alone`() async throws {
        let world = try await world()
        #expect(try await world.desk.call("PUT", Desk.api + "/apps/shop").status == 201)
        let token = try await world.desk.call(
            "POST", Desk.api + "/tokens", .object(["name": "shop", "role": "admin", "app": "shop"]))
        let secret = try #require(try token.json["token"]?.string)
        func send(_ method: String, _ path: String, _ body: JSON?) async throws -> TestResponse {
            try await world.desk.service.send(TestRequest(method, path, body: body?.bytes()).by(secret))
        }
        #expect(try await send("GET", Self.trusts, nil).json["ciTrusts"]?.elements?.isEmpty == true)
        #expect(try await send("GET", Self.trusts + "/github", nil).status == 404)
        #expect(try await send("DELETE", Self.trusts + "/github", nil).status == 404)
        for body in [Self.rule(world.issuer), Self.rule(world.issuer, ["app": nil])] {
            #expect([403, 404].contains(try await send("PUT", Self.trusts + "/shop", body).status))
        }
        // The trust of this name is for another app.
        let takeover = try await send("PUT", Self.trusts + "/github", Self.rule(world.issuer, ["app": "shop"]))
        #expect(takeover.status == 409 && !takeover.text.contains("default"))
        #expect(try await send("PUT", Self.trusts + "/shop", Self.rule(world.issuer, ["app": "shop"])).status == 201)
    }
}

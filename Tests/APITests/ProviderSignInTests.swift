import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests signing in by a provider of OpenID Connect on the loopback (decision 0087).
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct ProviderSignInTests {
    static let one = Desk.api + "/sign-in-providers/acme"
    private static let start = Desk.api + "/session/oidc/acme"

    /// A service with a provider, and a key of the provider.
    private struct World {
        let desk: Desk
        let issuer: TestIssuer
        let key: TestIssuer.Key

        /// An attempt after the redirect to the provider.
        struct Attempt {
            /// The parameters of the redirect.
            let request: [String: String]
            let cookie: String
        }

        func begin(
            _ target: String = ProviderSignInTests.start, from address: String? = nil
        ) async throws -> Attempt {
            var request = TestRequest("GET", target).with("Accept", "text/html").with("Sec-Fetch-Site", "same-origin")
            if let address { request = request.from(try #require(PeerAddress(address[...]))) }
            let response = try await desk.service.send(request)
            let url = response["Location"] ?? ""
            try #require(
                response.status == 303 && url.hasPrefix(issuer.url + "/authorize?tenant=a&"), "\(response.text) \(url)")
            let cookie = try #require(response["Set-Cookie"]?.split(separator: ";").first)
            return Attempt(
                request: TestIssuer.form(String(url.split(separator: "?")[1])), cookie: String(cookie))
        }

        /// Returns the claims of a person who signs in.
        func claims(_ attempt: Attempt) -> [String: JSON] {
            let second = desk.service.clock.now().milliseconds / 1_000
            return [
                "iss": .string(issuer.url), "aud": .string(TestIssuer.client), "sub": "person-1",
                "iat": .integer(second), "exp": .integer(second + 300),
                "nonce": .string(attempt.request["nonce"] ?? ""), "preferred_username": "Ann",
                "groups": .array(["staff", "unknown"]),
            ]
        }

        /// Lets the person sign in at the provider; `nil` removes a claim.
        func permit(
            _ attempt: Attempt, _ changes: [String: JSON?] = [:], by other: TestIssuer.Key? = nil,
            header: [String: JSON?] = [:]
        ) throws {
            var claims = claims(attempt)
            for (name, value) in changes { claims[name] = value }
            let token = try issuer.token(of: claims, by: other ?? key, header: header)
            let cryptography = desk.service.cryptography
            issuer.permit("code", for: attempt.request, idToken: token) { cryptography.sha256($0) }
        }

        func callback(
            _ attempt: Attempt, query: String? = nil, cookie: String? = nil, provider: String = "acme",
            accepting type: String = "application/json", from address: String? = nil
        ) async throws -> TestResponse {
            let query = query ?? "code=code&state=\(attempt.request["state"] ?? "")&session_state=x"
            var request = TestRequest("GET", "\(Desk.api)/session/oidc/\(provider)/callback?\(query)")
                .with("Cookie", cookie ?? attempt.cookie).with("Accept", type).with("Sec-Fetch-Site", "cross-site")
            if let address { request = request.from(try #require(PeerAddress(address[...]))) }
            return try await desk.service.send(request)
        }

        /// Signs a person in, and returns the response to the callback.
        func signIn(_ changes: [String: JSON?] = [:]) async throws -> TestResponse {
            let attempt = try await begin()
            try permit(attempt, changes)
            return try await callback(attempt)
        }

        /// Returns the person of a session that a response begins.
        func person(_ response: TestResponse) throws -> Desk.Person {
            try #require(response.status == 303, "\(response.text)")
            let cookies = response.fields.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
            let session = try #require(cookies.first { $0.hasPrefix("__Host-larder-session=") })
            return Desk.Person(id: 0, cookie: String(session.prefix { $0 != ";" }))
        }

        func put(_ changes: [String: JSON?] = [:]) async throws -> TestResponse {
            try await desk.call("PUT", ProviderSignInTests.one, ProviderSignInTests.body(issuer, changes))
        }
    }

    private static func body(_ issuer: TestIssuer, _ changes: [String: JSON?] = [:]) -> JSON {
        var members: [String: JSON] = [
            "issuer": .string(issuer.url), "label": "Acme", "clientId": .string(TestIssuer.client),
            "clientSecret": .string(TestIssuer.clientSecret),
            "groups": .array([
                group("staff", [Grant(.viewer, on: .everything)]),
                group("releasers", [Grant(.releaser, on: .app(.default)), Grant(.viewer, on: .everything)]),
            ]),
        ]
        for (name, value) in changes { members[name] = value }
        return .object(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }

    private static func group(_ name: String, _ grants: [Grant]) -> JSON {
        .object(["group": .string(name), "grants": .array(grants.map { .object($0.members) })])
    }

    private func world(_ method: SignInEndpoints.ClientAuthentication = .basic) async throws -> World {
        let (desk, issuer) = (try await Desk(), try TestIssuer())
        issuer.setMethod(method)
        let key = try issuer.makeKey("one", .es256)
        issuer.publish(key)
        let world = World(desk: desk, issuer: issuer, key: key)
        let made = try await world.put()
        try #require(made.status == 201, "\(made.text)")
        return world
    }

    @Test(arguments: SignInEndpoints.ClientAuthentication.allCases)
    func `a person signs in by a provider and has the grants of the groups`(
        method: SignInEndpoints.ClientAuthentication
    ) async throws {
        let world = try await world(method)
        let list = try await world.desk.service.send(TestRequest("GET", Desk.api + "/session/providers"))
        #expect(list.text == #"{"providers":[{"name":"acme","label":"Acme"}]}"#, "\(list.text)")
        let attempt = try await world.begin(Self.start + "?return=/console/%23/apps/default")
        let request = attempt.request
        #expect(request["response_type"] == "code" && request["code_challenge_method"] == "S256")
        #expect(request["scope"] == "openid profile email groups" && request["client_id"] == TestIssuer.client)
        #expect(request["redirect_uri"] == TestService.publicURL + Self.start + "/callback")
        try world.permit(attempt)
        let response = try await world.callback(attempt)
        #expect(response["Location"] == TestService.publicURL + "/console/#/apps/default", "\(response.text)")
        let person = try world.person(response)
        let cookies = response.fields.filter { $0.name == "Set-Cookie" }.map(\.value)
        #expect(cookies.contains { $0.hasPrefix("__Host-larder-session=") && $0.hasSuffix("SameSite=Strict") })
        #expect(cookies.contains { $0.hasPrefix("__Host-larder-sign-in=; Max-Age=0") })
        let session = try await world.desk.call("GET", "/session", as: person).json
        #expect(session["user"] == "ann" && session["grants"] == .array([.object(["role": "viewer"])]))
        let user = try await world.desk.call("GET", Desk.api + "/users/ann").json
        #expect(user["kind"] == "oidc" && user["provider"] == "acme" && user["totp"] == false)
        for (action, actor) in [("session.begin", "ann (user #1)"), ("user.create", "server")] {
            let audit = try await world.desk.call("GET", Desk.api + "/audit?action=\(action)")
            let entry = try #require(try audit.json["entries"]?.elements?.first)
            #expect(entry["actor"] == .string(actor) && entry["details"]?["provider"] == "acme", "\(audit.text)")
        }
    }

    @Test func `groups decide at every sign-in, also for the sessions that go on`() async throws {
        let world = try await world()
        let first = try world.person(try await world.signIn())
        let second = try world.person(try await world.signIn(["groups": .array(["releasers"])]))
        for person in [first, second] {
            let grants = try await world.desk.call("GET", "/session", as: person).json["grants"]?.elements
            #expect(grants?.map { $0["role"] } == ["releaser", "viewer"] && grants?.first?["app"] == "default")
        }
        #expect(try await world.desk.call("GET", Desk.api + "/users").json["users"]?.elements?.count == 1)
        let change = try await world.desk.call("GET", Desk.api + "/audit?action=user.change").json["entries"]?.elements
        #expect(change?.first?["actor"] == "server" && change?.first?["details"]?["before"]?["grants"] != nil)
        let refused = try await world.signIn(["groups": .array(["unknown"])])
        #expect(refused.status == 403 && refused.code == "no-matching-group", "\(refused.text)")
        #expect(refused.detail.contains("'groups'") && !refused.text.contains("releasers"))
    }

    @Test func `groups come from the userinfo endpoint if the ID token has none`() async throws {
        let world = try await world()
        let missing = try await world.signIn(["groups": nil, "sub": "person-2"])
        // The userinfo endpoint refuses the access token.
        #expect(missing.code == "provider-unavailable", "\(missing.text)")
        world.issuer.setUserInfo(.object(["sub": "other", "groups": "staff"]))
        #expect(try await world.signIn(["groups": nil]).code == "sign-in-refused")
        world.issuer.setUserInfo(.object(["sub": "person-1"]))
        #expect(try await world.signIn(["groups": nil]).code == "no-matching-group")
        world.issuer.setUserInfo(.object(["sub": "person-1", "groups": "staff"]))
        #expect(try await world.signIn(["groups": nil]).status == 303)
    }

    @Test(
        arguments: [
            (["aud": "other"], "'aud'"), (["aud": .array(["larder client", "other"])], "'azp'"),
            (["azp": "other"], "'azp'"), (["iss": "https://evil.example"], "'iss'"), (["exp": 1], "expired"),
            (["exp": nil], "'exp'"), (["iat": nil], "'iat'"), (["iat": 99_999_999_999], "'iat'"),
            (["nonce": "other"], "'nonce'"), (["nonce": nil], "'nonce'"), (["sub": nil], "'sub'"),
            (["sub": .string(String(repeating: "s", count: 256))], "'sub'"),
            (["preferred_username": "no such name"], "preferred_username"), (["preferred_username": nil], "'email'"),
        ] as [([String: JSON?], String)])
    func `an ID token that is not for this attempt is refused`(
        changes: [String: JSON?], hint: String
    ) async throws {
        let world = try await world()
        let response = try await world.signIn(changes)
        #expect(response.status == 403 && response.code == "sign-in-refused", "\(response.text)")
        #expect(response.detail.contains(hint), "\(response.detail)")
        #expect(try await world.desk.call("GET", Desk.api + "/users").json["users"]?.elements?.isEmpty == true)
    }

    @Test func `a subject of the greatest length, azp of the client, and email as the name are accepted`() async throws
    {
        let world = try await world()
        let response = try await world.signIn([
            "sub": .string(String(repeating: "s", count: 255)), "azp": .string(TestIssuer.client),
            "aud": .array([.string(TestIssuer.client), "other"]), "preferred_username": nil,
            "email": "Bob@acme.example",
        ])
        #expect(response.status == 303, "\(response.text)")
        #expect(try await world.desk.call("GET", Desk.api + "/users/bob@acme.example").status == 200)
    }

    @Test func `a forged token is refused, and one by the provider's next key is accepted`() async throws {
        let world = try await world()
        let stranger = try world.issuer.makeKey("one", .es256)
        let forged = try await world.begin()
        try world.permit(forged, by: stranger)
        #expect(try await world.callback(forged).code == "sign-in-refused")
        let next = try world.issuer.makeKey("two", .es256)
        world.issuer.publish(next)
        world.desk.service.instant.advance(.seconds(60))
        let rotated = try await world.begin()
        try world.permit(rotated, by: next)
        #expect(try await world.callback(rotated).status == 303)
    }

    @Test func `an attempt works once, in its browser, with its state and provider, for ten minutes`() async throws {
        let world = try await world()
        world.issuer.setAcceptsReplays(true)
        let attempt = try await world.begin()
        try world.permit(attempt)
        let state = attempt.request["state"] ?? ""
        func altered(_ text: String) -> String { text.dropLast(2) + (text.hasSuffix("00") ? "11" : "00") }
        for (query, cookie) in [
            ("code=code&state=\(state)", "__Host-larder-sign-in="),
            ("code=code&state=\(state)", altered(attempt.cookie)),
            ("code=code&state=\(altered(state))", attempt.cookie), ("code=code", attempt.cookie),
        ] {
            let response = try await world.callback(attempt, query: query, cookie: cookie)
            #expect(response.status == 400 && response.code == "sign-in-expired", "\(response.text)")
        }
        #expect(try await world.callback(attempt, provider: "other").code == "sign-in-expired")
        #expect(try await world.callback(attempt).status == 303)
        let replayed = try await world.callback(attempt)
        #expect(replayed.code == "sign-in-expired" && replayed["Set-Cookie"] == nil, "\(replayed.text)")
        for (milliseconds, status) in [(SignInAttempt.lifetimeMilliseconds - 1, 303), (1, 400)] as [(Int64, Int)] {
            let late = try await world.begin()
            let clock = world.desk.service.clock
            clock.set(
                to: clock.now().adding(milliseconds: status == 400 ? SignInAttempt.lifetimeMilliseconds : milliseconds))
            try world.permit(late)
            #expect(try await world.callback(late).status == status)
        }
    }

    @Test func `a callback of another issuer, with an error or without a code is refused`() async throws {
        let world = try await world()
        for (query, hint) in [
            ("code=code&iss=https://evil.example", "another issuer"), ("error=access_denied", "access_denied"),
            ("x=1", "no usable code"), ("code=wrong", "invalid_grant"),
            ("code=" + String(repeating: "c", count: ProviderSignIn.maximumCodeLength + 1), "no usable code"),
            ("code=" + String(repeating: "c", count: ProviderSignIn.maximumCodeLength), "invalid_grant"),
        ] {
            let attempt = try await world.begin()
            try world.permit(attempt)
            let response = try await world.callback(
                attempt, query: query + "&state=\(attempt.request["state"] ?? "")")
            #expect(response.code == "sign-in-refused" && response.detail.contains(hint), "\(response.text)")
        }
        world.issuer.setNamesIssuer(true)
        world.desk.service.instant.advance(.seconds(3_600))
        #expect(try await world.signIn().code == "sign-in-refused")
        let named = try await world.begin()
        try world.permit(named)
        let query =
            "code=code&state=\(named.request["state"] ?? "")&iss=\(PercentEncoding.encode(world.issuer.url.utf8))"
        #expect(try await world.callback(named, query: query).status == 303)
    }

    @Test func `while the provider does not respond, the error says so, and passwords still work`() async throws {
        let world = try await world()
        let attempt = try await world.begin()
        try world.permit(attempt)
        world.issuer.setTokenStatus(502)
        let down = try await world.callback(attempt)
        #expect(
            down.status == 503 && down.code == "provider-unavailable" && down["Retry-After"] == "60", "\(down.text)")
        world.issuer.setDown(true)
        world.desk.service.instant.advance(.seconds(3_600))
        // The description that was read last counts, so that a provider may be away for a moment.
        _ = try await world.begin()
        try await world.desk.makeUser("bob")
        #expect(try await world.desk.trySigningIn("bob").status == 201)
        let other = try TestIssuer()
        other.setDown(true)
        #expect(try await world.put(["issuer": .string(other.url)]).status == 200)
        let unread = try await world.desk.service.send(TestRequest("GET", Self.start))
        #expect(unread.status == 503 && unread.code == "provider-unavailable", "\(unread.text)")
    }

    @Test func `a browser gets the failure on the sign-in page of the console, and nothing secret`() async throws {
        let world = try await world()
        let attempt = try await world.begin()
        try world.permit(attempt, ["groups": .array([])])
        let refused = try await world.callback(attempt, accepting: "text/html,*/*")
        #expect(refused.status == 303)
        #expect(
            refused["Location"] == TestService.publicURL + "/console/#/sign-in?problem=no-matching-group",
            "\(refused["Location"] ?? "")")
        let unknown = try await world.desk.service.send(
            TestRequest("GET", Desk.api + "/session/oidc/none").with("Accept", "text/html"))
        #expect(unknown["Location"]?.hasSuffix("problem=sign-in-provider-not-found") == true)
        let lines = world.desk.service.log.all.filter { $0.contains("sign-in.refused") }
        #expect(lines.contains { $0.contains("no-matching-group") && $0.contains("acme") }, "\(lines)")
        let secrets = [attempt.request["state"], attempt.request["nonce"], attempt.cookie].compactMap { $0 }
        #expect(!world.desk.service.log.all.contains { line in secrets.contains { line.contains($0) } })
    }

    @Test func `pages of other sites begin no attempt, and only pages of the console open after it`() async throws {
        let world = try await world()
        let foreign = try await world.desk.service.send(
            TestRequest("GET", Self.start).with("Sec-Fetch-Site", "cross-site"))
        #expect(foreign.status == 403 && foreign.code == "cross-site-request")
        let longest = "/console/" + String(repeating: "a", count: SignInDestination.maximumLength - 9)
        for (path, status) in [
            ("https://evil.example/", 400), ("//evil.example", 400), ("/api/v1", 400), ("/console/%0d%0aX:1", 400),
            ("/console/%5cevil", 400), (longest, 303), (longest + "a", 400), ("/console/", 303),
        ] {
            let response = try await world.desk.service.send(TestRequest("GET", Self.start + "?return=" + path))
            #expect(response.status == status, "\(path): \(response.text)")
        }
        let misspelt = try await world.desk.service.send(TestRequest("GET", Self.start + "?returnTo=/console/"))
        #expect(misspelt.status == 400)
    }

    @Test func `a user with a password keeps the name, and a provider's user has none`() async throws {
        let world = try await world()
        try await world.desk.makeUser("ann")
        let taken = try await world.signIn()
        #expect(taken.status == 409 && taken.code == "user-exists" && taken.detail.contains("delete"), "\(taken.text)")
        #expect(try await world.desk.call("DELETE", Desk.api + "/users/ann").status == 200)
        let person = try world.person(try await world.signIn())
        #expect(try await world.desk.trySigningIn("ann").status == 401)
        let one = Desk.api + "/users/ann"
        for body: JSON in [
            .object(["grants": .array([.object(["role": "admin"])])]), .object(["password": .string(Desk.password)]),
            .object(["totp": false]),
        ] {
            let refused = try await world.desk.call("PATCH", one, body)
            #expect(refused.status == 409 && refused.detail.contains("'disabled'"), "\(refused.text)")
        }
        #expect(try await world.desk.call("POST", "/user/totp", Desk.ownPassword, as: person).status == 409)
        let own = try await world.desk.call("GET", "/session", as: person).json
        #expect(own["kind"] == "oidc" && own["provider"] == "acme" && own["totp"] == false)
        let change = JSON.object(["current": "x", "new": .string(Desk.password)])
        #expect(try await world.desk.call("PUT", "/user/password", change, as: person).status == 409)
        #expect(try await world.desk.call("PATCH", one, .object(["disabled": true])).status == 200)
        #expect(try await world.desk.call("GET", "/session", as: person).status == 401)
        let disabled = try await world.signIn()
        #expect(disabled.status == 403 && disabled.code == "user-disabled")
        // The name at the provider may change: the person is the same.
        #expect(try await world.desk.call("PATCH", one, .object(["disabled": false])).status == 200)
        #expect(try await world.signIn(["preferred_username": "anna"]).status == 303)
        #expect(try await world.desk.call("GET", Desk.api + "/users/anna").status == 404)
    }

    @Test func `changing or deleting a provider ends the sessions of its users and no others`() async throws {
        let world = try await world()
        try await world.desk.makeUser("bob")
        let bob = try await world.desk.signIn("bob")
        let first = try world.person(try await world.signIn())
        let secretless = try await world.put(["clientSecret": nil])
        #expect(secretless.status == 200, "\(secretless.text)")
        #expect(try await world.desk.call("GET", "/session", as: first).status == 200)
        let renamed = try await world.put(["clientSecret": nil, "label": "Acme Inc."])
        #expect(renamed.status == 200 && renamed["ETag"] == "\"2\"", "\(renamed.text)")
        #expect(try await world.desk.call("GET", "/session", as: first).status == 401)
        let second = try world.person(try await world.signIn())
        let outdated = try TestRequest("DELETE", Self.one).by(world.desk.token(.admin)).with("If-Match", "\"1\"")
        #expect(try await world.desk.service.send(outdated).status == 412)
        let open = try await world.begin()
        try world.permit(open)
        #expect(try await world.desk.call("DELETE", Self.one).status == 200)
        #expect(try await world.desk.call("GET", "/session", as: second).status == 401)
        #expect(try await world.desk.call("GET", "/session", as: bob).status == 200)
        #expect(try await world.callback(open).code == "sign-in-expired")
        #expect(try await world.desk.call("GET", Self.one).code == "sign-in-provider-not-found")
        #expect(try await world.desk.call("GET", Desk.api + "/users/ann").status == 200)
    }

    @Test func `an administrator whom a provider identifies is not the last one`() async throws {
        let world = try await world()
        _ = try await world.put(["groups": .array([Self.group("staff", [Grant(.admin, on: .everything)])])])
        let person = try world.person(try await world.signIn())
        try await world.desk.makeUser("bob")
        let tokens = try await world.desk.call("GET", "/tokens", as: person).json["tokens"]?.elements ?? []
        for id in tokens.compactMap({ $0["id"]?.integer }) {
            _ = try await world.desk.call("DELETE", "/tokens/\(id)", as: person)
        }
        let last = try await world.desk.call("DELETE", "/users/bob", as: person)
        #expect(last.status == 409, "\(last.text)")
    }

    @Test func `failures delay the address, and no other`() async throws {
        let world = try await world()
        let attempt = try await world.begin()
        let state = try await world.begin().request["state"] ?? ""
        for _ in 0..<20 {
            let wrong = try await world.callback(attempt, query: "code=code&state=\(state)", from: "203.0.113.1")
            #expect(wrong.code == "sign-in-expired")
        }
        try world.permit(attempt)
        #expect(try await world.callback(attempt, from: "203.0.113.1").code == "rate-limited")
        #expect(try await world.callback(attempt, from: "203.0.113.2").status == 303)
    }

    @Test func `callbacks without the cookie, which other sites can cause, delay nobody`() async throws {
        let world = try await world()
        let attempt = try await world.begin()
        for _ in 0..<30 {
            #expect(try await world.callback(attempt, cookie: "a=b", from: "203.0.113.1").code == "sign-in-expired")
        }
        try world.permit(attempt)
        #expect(try await world.callback(attempt, from: "203.0.113.1").status == 303)
    }

    @Test func `the oldest attempt of an address makes room, and attempts of others stay`() async throws {
        let world = try await world()
        let other = try await world.begin(from: "203.0.113.9")
        let first = try await world.begin(from: "203.0.113.1")
        world.desk.service.clock.set(to: world.desk.service.clock.now().adding(milliseconds: 1))
        for _ in 1..<SignInAttempt.maximumPerAddressGroup { _ = try await world.begin(from: "203.0.113.1") }
        try world.permit(first)
        let callback = try await world.callback(first)
        #expect(callback.status == 303, "\(callback.text)")
        let second = try await world.begin(from: "203.0.113.1")
        world.desk.service.clock.set(to: world.desk.service.clock.now().adding(milliseconds: 1))
        for _ in 0..<SignInAttempt.maximumPerAddressGroup { _ = try await world.begin(from: "203.0.113.1") }
        try world.permit(second)
        #expect(try await world.callback(second).code == "sign-in-expired")
        try world.permit(other)
        #expect(try await world.callback(other).status == 303)
    }
}

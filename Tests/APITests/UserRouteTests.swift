import API
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests users, their sessions and their second factors (decision 0080).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct UserRouteTests {
    private static let users = Desk.api + "/users"

    @Test func `a token makes the first admin, who works with a session and is named in the audit log`() async throws {
        let desk = try await Desk()
        let made = try await desk.makeUser("ann")
        #expect(made["ETag"] == "\"1\"")
        let id = try #require(try made.json["id"]?.integer)
        #expect(!made.text.contains(Desk.password))
        let signedIn = try await desk.trySigningIn("ann")
        let cookie = try #require(signedIn["Set-Cookie"])
        for attribute in ["__Host-larder-session=", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"] {
            #expect(cookie.contains(attribute))
        }
        let ann = try await desk.signIn("ann")
        let own = try await desk.call("GET", "/session", as: ann)
        #expect(try own.json["user"] == "ann" && own.json["actor"]?.string == "ann (user #\(id))")
        #expect(try own.json["grants"] == .array([.object(["role": "admin"])]))
        #expect(try await desk.call("PUT", "/apps/shop", as: ann).status == 201)
        let made2 = try await desk.call(
            "POST", "/tokens", .object(["name": "ci", "role": "viewer"]), as: ann)
        #expect(try made2.json["owner"]?.string == "ann (user #\(id))")
        let entry = try #require(
            try await desk.call("GET", "/audit?action=app.create&app=shop", as: ann).json["entries"]?.elements?.first)
        #expect(entry["actor"]?.string == "ann (user #\(id))")
        #expect(entry["from"]?["by"] == "session" && entry["from"]?["user"]?.integer == id)
        let begun = try await desk.call("GET", "/audit?action=session.begin", as: ann)
        #expect(begun.status == 200 && begun.text.contains("\"subject\":\"ann\""))
    }

    @Test func `a user has the rights of all grants, and 403 names the user`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.api + "/apps/shop")
        let body = JSON.object([
            "name": "ann", "password": .string(Desk.password),
            "grants": .array([
                .object(["role": "viewer", "app": "shop"]),
                .object(["role": "publisher", "app": "default"]),
            ]),
        ])
        #expect(try await desk.call("POST", Self.users, body).status == 201)
        let ann = try await desk.signIn("ann")
        let news = JSON.object(["name": "News"])
        #expect(try await desk.call("PUT", "/apps/default/packages/news", news, as: ann).status == 201)
        #expect(try await desk.call("GET", "/apps/shop/packages", as: ann).status == 200)
        let refused = try await desk.call("PUT", "/apps/shop/packages/news", news, as: ann)
        #expect(refused.status == 403 && refused.detail.hasPrefix("The user 'ann' has the role 'viewer' for the app"))
        #expect(try await desk.call("GET", "/users", as: ann).status == 403)
    }

    @Test func `users are listed, changed in the state that was seen, and deleted with their sessions`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let one = Self.users + "/ann"
        let again = try await desk.call(
            "POST", Self.users,
            .object([
                "name": "ann", "password": .string(Desk.password),
                "grants": .array([.object(["role": "viewer"])]),
            ]))
        #expect(again.status == 409 && again.code == "user-exists")
        let ann = try await desk.signIn("ann")
        func patch(_ body: JSON, ifMatch tag: String? = nil) async throws -> TestResponse {
            let request = try TestRequest("PATCH", one, body: body.bytes()).by(desk.token(.admin))
            return try await desk.service.send(tag.map { request.with("If-Match", $0) } ?? request)
        }
        let viewer = JSON.object(["grants": .array([.object(["role": "viewer"])])])
        let changed = try await patch(viewer, ifMatch: "\"1\"")
        #expect(changed.status == 200 && changed["ETag"] == "\"2\"")
        #expect(try await patch(viewer, ifMatch: "\"1\"").status == 412)
        // The rights of a session never outlast a change.
        #expect(try await desk.call("GET", "/session", as: ann).status == 401)
        #expect(try await patch(.object(["disabled": true])).status == 200)
        #expect(try await desk.trySigningIn("ann").status == 401)
        #expect(try await patch(.object(["disabled": false, "password": "another password"])).status == 200)
        #expect(try await desk.trySigningIn("ann").status == 401)
        #expect(try await desk.trySigningIn("ann", "another password").status == 201)
        #expect(try await desk.call("GET", Self.users).json["users"]?.elements?.count == 1)
        #expect(try await desk.call("DELETE", one).status == 200)
        #expect(try await desk.call("GET", one).code == "user-not-found")
        #expect(try await desk.trySigningIn("ann", "another password").status == 401)
    }

    @Test(arguments: [
        (#"{"password": "correct horse battery", "grants": [{"role": "viewer"}]}"#, "'name'"),
        (#"{"name": "Ann", "password": "correct horse battery", "grants": [{"role": "viewer"}]}"#, "lower-case"),
        (#"{"name": "ann", "password": "elevenbytes", "grants": [{"role": "viewer"}]}"#, "12 to 1000 bytes"),
        (#"{"name": "ann", "password": "correct horse battery", "grants": []}"#, "'grants'"),
        (#"{"name": "ann", "password": "correct horse battery"}"#, "'grants'"),
        (#"{"name": "ann", "password": "correct horse battery", "grants": [{"role": "owner"}]}"#, "'role'"),
        (#"{"name": "ann", "password": "correct horse battery", "grants": [{"role": "viewer", "a": 1}]}"#, "'a'"),
    ])
    func `a user that cannot be is refused`(body: String, word: String) async throws {
        let desk = try await Desk()
        let response = try await desk.send("POST", Self.users, Array(body.utf8))
        #expect(response.status == 400 && response.detail.contains(word), "\(response.text)")
    }

    @Test func `an admin who never expires remains, be it a token or a user`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let token = "\(Desk.api)/tokens/\(Role.allCases.count)"
        let ann = try await desk.signIn("ann")
        #expect(try await desk.call("DELETE", token).status == 200)
        #expect(try await desk.call("DELETE", "/users/ann", as: ann).code == "conflict")
        for body in [
            JSON.object(["disabled": true]), .object(["grants": .array([.object(["role": "releaser"])])]),
        ] { #expect(try await desk.call("PATCH", "/users/ann", body, as: ann).code == "conflict") }
        #expect(try await desk.call("GET", "/session", as: ann).status == 200)
    }

    // MARK: Sessions

    @Test func `a session ends after 12 hours without use, and after 7 days in any case`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let idle = try await desk.signIn("ann")
        let used = try await desk.signIn("ann")
        let hour: Int64 = 3_600_000
        desk.service.clock.advance(milliseconds: 12 * hour - 1)
        #expect(try await desk.call("GET", "/apps", as: used).status == 200)
        try await desk.service.services.sessions.storeUses()
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await desk.call("GET", "/apps", as: idle).status == 401)
        // 166 hours after the beginning, one millisecond before the end of the seventh day, and at it.
        for pause in Array(repeating: 11 * hour, count: 14) + [2 * hour - 1] {
            desk.service.clock.advance(milliseconds: pause)
            #expect(try await desk.call("GET", "/apps", as: used).status == 200)
            try await desk.service.services.sessions.storeUses()
        }
        desk.service.clock.advance(milliseconds: 1)
        let over = try await desk.call("GET", "/apps", as: used)
        #expect(over.status == 401 && over.detail.contains("Sign in again"))
    }

    @Test func `sessions are listed and ended, by the user and by admins`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann", Grant(.viewer, on: .everything))
        try await desk.makeUser("bob", Grant(.viewer, on: .everything))
        let (first, second, bob) = (
            try await desk.signIn("ann"), try await desk.signIn("ann"), try await desk.signIn("bob")
        )
        let list = try #require(try await desk.call("GET", "/sessions", as: first).json["sessions"]?.elements)
        #expect(list.map { $0["id"]?.integer } == [first.id, second.id])
        #expect(list.map { $0["current"]?.bool } == [true, false])
        #expect(try await desk.call("GET", "/sessions?user=bob", as: first).status == 403)
        #expect(try await desk.call("DELETE", "/sessions/\(bob.id)", as: first).code == "session-not-found")
        #expect(try await desk.call("DELETE", "/sessions/\(second.id)", as: first).status == 200)
        #expect(try await desk.call("GET", "/session", as: second).status == 401)
        let seen = try await desk.call("GET", Desk.api + "/sessions?user=bob").json["sessions"]?.elements
        #expect(seen?.map { $0["id"]?.integer } == [bob.id])
        #expect(try await desk.call("DELETE", Desk.api + "/sessions/\(bob.id)").status == 200)
        #expect(try await desk.call("GET", "/session", as: bob).status == 401)
        let out = try await desk.call("DELETE", "/session", as: first)
        #expect(out.status == 200 && out["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(try await desk.call("GET", "/session", as: first).status == 401)
    }

    @Test func `a user has twenty sessions, and a further one ends the oldest`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        var people: [Desk.Person] = []
        for _ in 0...Session.maximumPerUser { people.append(try await desk.signIn("ann")) }
        #expect(try await desk.call("GET", "/session", as: people[0]).status == 401)
        #expect(try await desk.call("GET", "/session", as: people[1]).status == 200)
    }

    @Test func `an event stream ends with its session`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let (first, second) = (try await desk.signIn("ann"), try await desk.signIn("ann"))
        func follow(_ person: Desk.Person) async throws -> TestStream {
            try await desk.service.follow(
                TestRequest("GET", Desk.api + "/apps/default/events").with("Cookie", person.cookie))
        }
        let streams = [try await follow(first), try await follow(second)]
        #expect(try await desk.call("DELETE", "/session", as: first).status == 200)
        #expect(streams.map(\.hasEnded) == [true, false])
        // Another node ends the session.
        try await desk.service.services.sessions.end(second.id, by: .server)
        await desk.service.services.auditFollower.pass()
        desk.service.instant.advance(AuditFollower.checkInterval)
        await desk.service.services.auditFollower.pass()
        #expect(streams[1].hasEnded)
    }

    // MARK: Pages of other sites

    @Test(
        arguments: [
            ("POST", ["Sec-Fetch-Site": "same-origin"], true), ("POST", ["Origin": "https://larder.example"], true),
            ("POST", ["Origin": "http://larder.example"], false), ("POST", [:], false),
            ("POST", ["Origin": "https://evil.example"], false), ("POST", ["Origin": "null"], false),
            ("POST", ["Sec-Fetch-Site": "same-site"], false), ("POST", ["Sec-Fetch-Site": "cross-site"], false),
            ("POST", ["Sec-Fetch-Site": "none"], false),
            ("POST", ["Sec-Fetch-Site": "cross-site", "Origin": "https://larder.example"], false),
            ("GET", [:], true), ("GET", ["Sec-Fetch-Site": "cross-site"], true),
        ] as [(String, [String: String], Bool)])
    func `a change by cookie comes from a page of the server`(
        method: String, fields: [String: String], isTaken: Bool
    ) async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        let body = method == "GET" ? nil : JSON.object(["name": "ci", "role": "viewer"]).bytes()
        var request = TestRequest(method, Desk.api + "/tokens", body: body).with("Cookie", "a=b; \(ann.cookie)")
        for (name, value) in fields { request = request.with(name, value) }
        let response = try await desk.service.send(request)
        #expect((200...201).contains(response.status) == isTaken, "\(response.text)")
        #expect(isTaken || response.status == 403 && response.code == "cross-site-request")
        // A token needs no page, and is used if there is a cookie as well.
        let both = try await desk.service.send(request.by(desk.token(.viewer)))
        #expect(both.status == 403 && both.code == "forbidden")
    }

    @Test(arguments: [["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"]])
    func `no page of another site signs in`(fields: [String: String]) async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let body = JSON.object(["user": "ann", "password": .string(Desk.password)])
        var request = TestRequest("POST", Desk.api + "/session", body: body.bytes())
        for (name, value) in fields { request = request.with(name, value) }
        #expect(try await desk.service.send(request).code == "cross-site-request")
    }

    @Test func `a session belongs to no token, and a token to no session`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        for (method, path) in [
            ("GET", "/session"), ("DELETE", "/session"), ("GET", "/sessions"), ("POST", "/user/totp"),
            ("DELETE", "/user/totp"), ("POST", "/user/recovery-codes"),
        ] {
            let response = try await desk.call(method, Desk.api + path)
            #expect(response.status == 403 && response.detail.contains("signed in"), "\(method) \(path)")
        }
        #expect(try await desk.call("GET", "/token", as: ann).json["id"] == .null)
    }

    // MARK: Guessing

    @Test func `failures delay more and more, and only from their address`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        for _ in 0..<3 { #expect(try await desk.trySigningIn("ann", "wrong", from: "192.0.2.1").status == 401) }
        // The right password waits as well.
        let delayed = try await desk.trySigningIn("ann", from: "192.0.2.1")
        #expect(delayed.status == 429 && delayed["Retry-After"] == "1")
        #expect(try await desk.trySigningIn("ann", from: "192.0.2.2").status == 201)
        desk.service.instant.advance(.seconds(1))
        #expect(try await desk.trySigningIn("ann", "wrong", from: "192.0.2.1").status == 401)
        #expect(try await desk.trySigningIn("ann", "wrong", from: "192.0.2.1")["Retry-After"] == "2")
        desk.service.instant.advance(.seconds(2))
        #expect(try await desk.trySigningIn("ann", from: "192.0.2.1").status == 201)
        // A success forgets them.
        for _ in 0..<3 { #expect(try await desk.trySigningIn("ann", "wrong", from: "192.0.2.1").status == 401) }
    }

    @Test func `an address that tries many users is delayed for all of them`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        for number in 0..<20 {
            #expect(try await desk.trySigningIn("user\(number)", "wrong", from: "192.0.2.1").status == 401)
        }
        #expect(try await desk.trySigningIn("ann", from: "192.0.2.1").status == 429)
        #expect(try await desk.trySigningIn("ann", from: "192.0.2.2").status == 201)
    }

    @Test func `names that no user can have count as one`() async throws {
        let desk = try await Desk()
        for name in ["A", "", String(repeating: "a\u{301}", count: 9_000)] {
            #expect(try await desk.trySigningIn(name).status == 401)
        }
        #expect(try await desk.trySigningIn("another name").status == 429)
        #expect(try await desk.trySigningIn("ann").status == 401)
    }

    @Test func `a wrong user, password and code get one response`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let secret = try await desk.addSecondFactor(of: desk.signIn("ann")).secret
        let wrong = try await [
            desk.trySigningIn("bob"), desk.trySigningIn("ann", "wrong"), desk.trySigningIn("A b"),
            desk.trySigningIn("ann", code: "000000" == desk.code(of: secret, after: 1) ? "000001" : "000000"),
        ]
        #expect(Set(wrong.map(\.text)).count == 1 && wrong[0].status == 401)
    }

    // MARK: The second factor

    @Test func `a second factor needs a code, which works once, one step early or late`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        let begun = try await desk.call("POST", "/user/totp", Desk.ownPassword, as: ann)
        #expect(try begun.json["uri"]?.string?.hasPrefix("otpauth://totp/Larder%20larder.example:ann?secret=") == true)
        // Until it is confirmed, no code is needed.
        #expect(try await desk.trySigningIn("ann").status == 201)
        let (secret, recovery) = try await desk.addSecondFactor(of: ann)
        #expect(recovery.count == 10)
        #expect(try await desk.call("GET", Self.users + "/ann").json["totp"] == true)
        let own = try await desk.call("GET", "/session", as: ann).json
        #expect(own["totp"] == true && own["kind"] == "password" && own["provider"] == nil)
        let missing = try await desk.trySigningIn("ann")
        #expect(missing.status == 401 && missing.code == "code-required")
        // The code of the confirmation is used.
        #expect(try await desk.trySigningIn("ann", code: desk.code(of: secret)).status == 401)
        #expect(try await desk.trySigningIn("ann", code: desk.code(of: secret, after: 2)).status == 401)
        #expect(try await desk.trySigningIn("ann", code: desk.code(of: secret, after: 1)).status == 201)
        desk.service.clock.advance(milliseconds: 90_000)
        let late = desk.code(of: secret, after: -1)
        #expect(try await desk.trySigningIn("ann", code: late).status == 201)
        #expect(try await desk.trySigningIn("ann", code: late).status == 401)
    }

    @Test func `wrong codes after a right password delay the user from all addresses`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let factor = try await desk.addSecondFactor(of: try await desk.signIn("ann"))
        for number in 1...10 {
            let wrong = try await desk.trySigningIn("ann", code: "000000", from: "198.51.100.\(number)")
            #expect(wrong.status == 401)
        }
        let code = desk.code(of: factor.secret, after: 1)
        let delayed = try await desk.trySigningIn("ann", code: code, from: "198.51.100.11")
        #expect(delayed.status == 429 && delayed["Retry-After"] == "1")
        // Strangers without the password cannot delay anybody by this.
        #expect(try await desk.trySigningIn("ann", "wrong", code: code, from: "198.51.100.12").status == 401)
        desk.service.instant.advance(.seconds(1))
        #expect(try await desk.trySigningIn("ann", code: code, from: "198.51.100.13").status == 201)
    }

    @Test func `a token that ends makes no user and no trust, which would outlast it`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let end = desk.service.clock.now().adding(milliseconds: 60_000).rfc3339
        let token = try await desk.call(
            "POST", Desk.api + "/tokens",
            .object(["name": "passing", "role": "admin", "expiresAt": .string(end)]))
        let secret = try #require(try token.json["token"]?.string)
        let body = JSON.object([
            "name": "bob", "password": .string(Desk.password), "grants": .array([.object(["role": "admin"])]),
        ])
        for (method, path, body) in [
            ("POST", "/users", body), ("PATCH", "/users/ann", .object(["password": "another password"])),
            ("PUT", "/ci-trusts/ci", .object(try OperatorRoute.ciTrust(on: .everything).members)),
            ("POST", "/tokens", .object(["name": "lasting", "role": "admin"])),
        ] as [(String, String, JSON)] {
            let response = try await desk.service.send(
                TestRequest(method, Desk.api + path, body: body.bytes()).by(secret))
            #expect(response.status == 403 && response.detail.contains(end), "\(path): \(response.text)")
        }
        #expect(try await desk.trySigningIn("ann").status == 201)
    }

    @Test func `a dry run of signing out keeps the cookie, and a second factor is not begun for others`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        let rehearsed = try await desk.call("DELETE", "/session?dryRun=1", as: ann)
        #expect(rehearsed.status == 200 && rehearsed["Set-Cookie"] == nil)
        let begun = try await desk.call("PATCH", Self.users + "/ann", .object(["totp": true]))
        #expect(begun.status == 400 && begun.detail.contains("totp"))
        let keyed = try TestRequest("PATCH", Self.users + "/ann", body: Array(#"{"disabled": true}"#.utf8))
            .by(desk.token(.admin)).with("Idempotency-Key", "a")
        #expect(try await desk.service.send(keyed).status == 400)
        #expect(try await desk.call("GET", "/session", as: ann).status == 200)
    }

    @Test func `each recovery code works once, and new ones replace the rest`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        let (_, codes) = try await desk.addSecondFactor(of: ann)
        #expect(Set(codes).count == 10)
        #expect(try await desk.trySigningIn("ann", code: codes[0].uppercased()).status == 201)
        #expect(try await desk.trySigningIn("ann", code: codes[0]).status == 401)
        let renewed = try await desk.call("POST", "/user/recovery-codes", Desk.ownPassword, as: ann)
        let replaced = try renewed.json["recoveryCodes"]?.elements
        #expect(try await desk.trySigningIn("ann", code: codes[1]).status == 401)
        let next = try #require(replaced?.first?.string)
        #expect(try await desk.trySigningIn("ann", code: next.replacing("-", with: " ")).status == 201)
    }

    @Test(arguments: ["/user/totp", "/user/recovery-codes"])
    func `a stolen session adds no second factor and no recovery codes without the password`(
        path: String
    ) async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        if path == "/user/recovery-codes" { _ = try await desk.addSecondFactor(of: ann) }
        let missing = try await desk.call("POST", path, as: ann)
        #expect(missing.status == 400 && missing.detail.contains("'password'"))
        for _ in 0..<3 {
            let wrong = try await desk.call("POST", path, .object(["password": "a wrong password"]), as: ann)
            #expect(wrong.status == 403 && wrong.detail.contains("wrong"), "\(wrong.text)")
        }
        // Guesses count as at sign-in.
        #expect(try await desk.call("POST", path, Desk.ownPassword, as: ann).status == 429)
        desk.service.instant.advance(.seconds(1))
        #expect(try await (200...201).contains(desk.call("POST", path, Desk.ownPassword, as: ann).status))
        let keyed = try await desk.service.send(
            TestRequest("POST", Desk.api + path, body: Desk.ownPassword.bytes()).with("Cookie", ann.cookie)
                .with("Sec-Fetch-Site", "same-origin").with("Idempotency-Key", "a"))
        #expect(keyed.status == 400 && keyed.detail.contains("Idempotency-Key"))
    }

    @Test func `a second factor is removed by the user, or by an admin who ends the sessions`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let ann = try await desk.signIn("ann")
        _ = try await desk.addSecondFactor(of: ann)
        #expect(try await desk.call("POST", "/user/totp", Desk.ownPassword, as: ann).code == "conflict")
        #expect(try await desk.call("DELETE", "/user/totp", as: ann).status == 200)
        _ = try await desk.signIn("ann")
        desk.service.clock.advance(milliseconds: 30_000)
        _ = try await desk.addSecondFactor(of: ann)
        #expect(try await desk.call("PATCH", Self.users + "/ann", .object(["totp": false])).status == 200)
        #expect(try await desk.call("GET", "/session", as: ann).status == 401)
        _ = try await desk.signIn("ann")
    }

    @Test func `a user replaces the password, and all other sessions end`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let (ann, other) = (try await desk.signIn("ann"), try await desk.signIn("ann"))
        func put(_ current: String, _ new: String) async throws -> TestResponse {
            let body = JSON.object(["current": .string(current), "new": .string(new)])
            return try await desk.call("PUT", "/user/password", body, as: ann)
        }
        #expect(try await put(Desk.password, "short").status == 400)
        #expect(try await put(Desk.password, "another password").status == 200)
        #expect(try await desk.call("GET", "/session", as: ann).status == 200)
        #expect(try await desk.call("GET", "/session", as: other).status == 401)
        #expect(try await desk.trySigningIn("ann").status == 401)
        for _ in 0..<3 { #expect(try await put("wrong", "another password").status == 403) }
        #expect(try await put("another password", Desk.password).status == 429)
    }

    @Test func `a hash of another cost is replaced at sign-in`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        let name = try #require(UserName("ann"))
        let old = try #require(try await desk.service.store.secrets(of: name)).secrets.password
        let costlier = ScryptCost(logN: 5, r: 8, p: 1)
        let later = try await Desk(TestService(store: desk.service.store, passwordCost: costlier))
        #expect(try await later.trySigningIn("ann", "wrong").status == 401)
        #expect(try await later.service.store.secrets(of: name)?.secrets.password == old)
        _ = try await later.signIn("ann")
        #expect(try await later.service.store.secrets(of: name)?.secrets.password.cost == costlier)
        _ = try await later.signIn("ann")
    }

    @Test func `a key of a request belongs to the user, in whatever session`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        try await desk.makeUser("bob")
        let (first, second, bob) = (
            try await desk.signIn("ann"), try await desk.signIn("ann"), try await desk.signIn("bob")
        )
        let page = Desk.api + "/apps/default/keys"
        func send(_ person: Desk.Person) async throws -> TestResponse {
            try await desk.service.send(
                TestRequest("POST", page, body: Array(#"{"purpose": "signing"}"#.utf8))
                    .with("Cookie", person.cookie).with("Sec-Fetch-Site", "same-origin")
                    .with("Idempotency-Key", "a"))
        }
        let made = try await send(first)
        let retry = try await send(second)
        #expect(made.status == 201 && retry.text == made.text && retry["Idempotency-Replayed"] == "true")
        #expect(try await send(bob)["Idempotency-Replayed"] == nil)
    }

    @Test func `an upload belongs to the user, in whatever session`() async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann")
        try await desk.makeUser("bob")
        func send(_ method: String, _ path: String, _ person: Desk.Person) async throws -> TestResponse {
            try await desk.service.send(
                TestRequest(method, path).with("Cookie", person.cookie).with("Sec-Fetch-Site", "same-origin")
                    .with("Tus-Resumable", "1.0.0").with("Upload-Length", "1"))
        }
        let made = try await send("POST", Desk.api + "/uploads", desk.signIn("ann"))
        let path = String(try #require(made["Location"]).dropFirst(TestService.publicURL.count))
        #expect(try await send("HEAD", path, desk.signIn("ann")).status == 200)
        #expect(try await send("HEAD", path, desk.signIn("bob")).status == 404)
    }
}

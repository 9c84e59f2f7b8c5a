import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the permissions of pages: those of packages in `/config`, others by `GET /permissions`.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PermissionsTests {
    private static let grants = Desk.api + "/apps/default/page-grants"

    private static func body(
        _ path: String = "/cart", apis: [String] = ["camera", "share"], origin: String = "https://shop.example",
        expires: String = "2999-01-01T00:00:00Z"
    ) -> JSON {
        .object([
            "origin": .string(origin), "path": .string(path), "apis": .array(apis.map { .string($0) }),
            "expires": .string(expires),
        ])
    }

    private func ready() async throws -> Desk {
        let desk = try await Desk()
        let made = try await desk.call("PUT", Self.grants + "/cart", Self.body(), as: .releaser)
        #expect(made.status == 201, "\(made.text)")
        return desk
    }

    private func ask(
        _ desk: Desk, _ url: String, nonce: String = "abc", query: String = "", base: String = ""
    ) async throws -> TestResponse {
        let escaped = url.utf8.map { "%" + Hex.encode([$0]) }.joined()
        return try await desk.service.get("\(base)/permissions?url=\(escaped)&nonce=\(nonce)\(query)")
    }

    /// Whether each signing key of the app has signed these lines.
    private func isSigned(
        _ lines: [String], _ response: JSON?, _ desk: Desk, app: AppID = .default
    ) async throws -> Bool {
        let message = Array(lines.map { $0 + "\n" }.joined().utf8)
        let keys = try await desk.service.store.keys(of: app).filter { $0.purpose == .signing }
        let signatures = try #require(response?["signatures"]?.elements)
        guard signatures.count == keys.count else { return false }
        return try zip(keys, signatures).allSatisfy { key, signature in
            let value = try #require(Base64.decode(signature["value"]?.string ?? ""))
            return signature["keyId"]?.string == key.id.text
                && desk.service.cryptography.verifyEd25519(value, of: message, publicKey: key.publicKey)
        }
    }

    // MARK: Grants

    @Test func `a granted page gets its permissions, signed for the request`() async throws {
        let desk = try await ready()
        let response = try await ask(desk, "HTTPS://Shop.example:443/cart/pay?id=1#x", nonce: "n-1")
        #expect(response.status == 200 && response["Cache-Control"] == "no-store", "\(response.text)")
        #expect(response["Access-Control-Allow-Origin"] == "*")
        let json = try response.json
        let issued = desk.service.clock.now().milliseconds / 1000
        #expect(json["url"] == "https://shop.example/cart/pay" && json["nonce"] == "n-1" && json["app"] == "default")
        #expect(json["issued"]?.integer == issued && json["expires"]?.integer == issued + 600)
        #expect(json["apis"] == .array(["camera", "share"]) && json["lacking"] == nil)
        let lines = [
            "larder-grant-1", "default", "https://shop.example/cart/pay", "n-1", "\(issued)", "\(issued + 600)",
            "api camera", "api share",
        ]
        #expect(try await isSigned(lines, json, desk))
        #expect(try await !isSigned(lines + ["api pay"], json, desk))
    }

    @Test(arguments: [
        "https://evil.example/cart", "https://shop.example.evil.example/cart", "http://shop.example/cart",
        "https://shop.example:8443/cart", "https://shop.example/cartoon", "https://shop.example/",
        "https://shop.example/Cart",
    ])
    func `a page that no grant covers is refused with a message that pages can read`(url: String) async throws {
        let response = try await ask(try await ready(), url)
        #expect(response.status == 403 && response.code == "page-not-granted", "\(response.text)")
        #expect(response["Access-Control-Allow-Origin"] == "*" && response["Cache-Control"] == "no-store")
    }

    @Test(arguments: [
        "https://shop.example/x/../cart", "https://shop.example/cart/%2e%2e/x", "https://shop.example/cart%2fpay",
        "https://shop.example/cart/..%2Fx", "https://shop.example@evil.example/cart",
        "https://evil.example\\@shop.example/cart", "https://shop.example//cart", "https://sh\u{F6}p.example/cart", "",
        "cart",
    ])
    func `an ambiguous URL is not a page`(url: String) async throws {
        let response = try await ask(try await ready(), url)
        #expect(response.status == 400 && response.detail.hasPrefix("'url' must "), "\(response.text)")
        #expect(response["Access-Control-Allow-Origin"] == "*")
    }

    @Test func `a request names the page and a nonce`() async throws {
        let desk = try await ready()
        #expect(try await desk.service.get("/permissions?nonce=a").detail.hasPrefix("'url' must be"))
        for nonce in ["", "a%0Ab", String(repeating: "a", count: 129)] {
            let response = try await ask(desk, "https://shop.example/cart", nonce: nonce)
            #expect(response.status == 400 && response.detail.hasPrefix("'nonce' must be"))
        }
        #expect(try await ask(desk, "https://shop.example/cart", base: "/apps/none").code == "app-not-found")
    }

    @Test func `an expired grant grants nothing, and no grant may end in the past`() async throws {
        let desk = try await ready()
        let end = desk.service.clock.now().adding(milliseconds: 5_000)
        let body = Self.body(expires: end.rfc3339)
        #expect(try await desk.call("PUT", Self.grants + "/cart", body).status == 200)
        let json = try await ask(desk, "https://shop.example/cart").json
        #expect(json["expires"]?.integer == end.milliseconds / 1000)
        desk.service.clock.set(to: end)
        #expect(try await ask(desk, "https://shop.example/cart").code == "page-not-granted")
        #expect(try await desk.call("PUT", Self.grants + "/cart", body).detail.hasPrefix("'expires' must be"))
    }

    @Test func `a grant of one app does not apply to another, and is not signed by its keys`() async throws {
        let desk = try await ready()
        let shop = try #require(AppID("shop"))
        #expect(try await desk.call("PUT", Desk.api + "/apps/shop").status == 201)
        #expect(try await ask(desk, "https://shop.example/cart", base: "/apps/shop").code == "page-not-granted")
        let path = Desk.api + "/apps/shop/page-grants/cart"
        #expect(try await desk.call("PUT", path, Self.body(apis: ["pay"])).status == 201)
        let json = try await ask(desk, "https://shop.example/cart", base: "/apps/shop").json
        let issued = try #require(json["issued"]?.integer)
        let lines = [
            "larder-grant-1", "shop", "https://shop.example/cart", "abc", "\(issued)", "\(issued + 600)", "api pay",
        ]
        #expect(try await isSigned(lines, json, desk, app: shop))
        #expect(try await !isSigned(lines, json, desk))
    }

    @Test func `granted APIs that the asking build lacks are named`() async throws {
        let desk = try await ready()
        let builds = Desk.api + "/apps/default/builds/8.3"
        let apis = JSON.object(["apis": .array(["camera", "nfc"])])
        #expect(try await desk.call("PUT", builds, apis).status == 201)
        let known = try await ask(desk, "https://shop.example/cart", query: "&appVersion=8.3").json
        #expect(known["lacking"] == .array(["share"]) && known["apis"] == .array(["camera", "share"]))
        let unknown = try await ask(desk, "https://shop.example/cart", query: "&appVersion=8.4").json
        #expect(unknown["lacking"] == nil && unknown["apis"] != nil)
    }

    @Test func `every key in use signs, and one that is retired no more`() async throws {
        let desk = try await ready()
        let old = try #require(try await desk.service.store.keys(of: .default).first { $0.purpose == .signing })
        _ = try await desk.service.keys.makeSigning(of: desk.service.app, by: .server)
        #expect(try await ask(desk, "https://shop.example/cart").json["signatures"]?.elements?.count == 2)
        _ = try await desk.service.keys.retire(old.id, of: desk.service.app, by: .server)
        let signatures = try await ask(desk, "https://shop.example/cart").json["signatures"]?.elements
        #expect(signatures?.count == 1 && signatures?.first?["keyId"]?.string != old.id.text)
    }

    @Test func `an address that exceeds its rate gets the time to retry`() async throws {
        let service = try await TestService(rateLimits: .init(grantsPerSecond: 1))
        var statuses: [Int] = []
        for _ in 0..<11 { statuses.append(try await service.get("/permissions").status) }
        #expect(statuses == Array(repeating: 400, count: 10) + [429])
    }

    // MARK: Operators

    @Test func `grants are made, changed, listed and ended, each with an audit entry`() async throws {
        let desk = try await ready()
        #expect(try await desk.call("PUT", Self.grants + "/cart", Self.body()).status == 200)
        let other = try await desk.call(
            "PUT", Self.grants + "/all", Self.body("/", origin: "HTTP://Shop.example:80"))
        #expect(try other.json["origin"] == "http://shop.example" && other.status == 201)
        let list = try await desk.call("GET", Self.grants, as: .publisher).json["pageGrants"]?.elements
        #expect(list?.map { $0["name"]?.string } == ["all", "cart"] && list?.last?["path"] == "/cart")
        #expect(list?.last?["expires"] == "2999-01-01T00:00:00Z")
        #expect(try await desk.call("DELETE", Self.grants + "/cart").json["path"] == "/cart")
        #expect(try await ask(desk, "https://shop.example/cart").code == "page-not-granted")
        #expect(try await desk.call("DELETE", Self.grants + "/cart").code == "grant-not-found")
        let actions = try await desk.service.store.audit(before: nil, limit: 3).map(\.entry.action)
        #expect(actions == ["page-grant.delete", "page-grant.put", "page-grant.put"])
    }

    @Test(arguments: [
        (body(origin: "https://shop.example/"), "'origin'"), (body(origin: "shop.example"), "'origin'"),
        (body(origin: "https://me@shop.example"), "'origin'"), (body(""), "'path'"), (body("cart"), "'path'"),
        (body("/a/../b"), "'path'"), (body("/a?b"), "'path'"), (body(String(repeating: "/a", count: 17)), "'path'"),
        (body(apis: []), "'apis'"), (body(apis: ["a b"]), "'apis'"),
        (body(apis: (0...PageGrant.maximumAPIs).map { "a\($0)" }), "'apis'"),
        (body(expires: "2020-01-01T00:00:00Z"), "'expires'"), (body(expires: "soon"), "'expires'"),
        (.object(["origins": "x"]), "'origins'"),
    ])
    func `an invalid grant is refused, and the error names the fault`(body: JSON, word: String) async throws {
        let response = try await Desk().call("PUT", Self.grants + "/cart", body)
        #expect(response.status == 400 && response.detail.contains(word), "\(response.text)")
    }

    @Test func `two grants are never for the same pages, and there are so many and no more`() async throws {
        let desk = try await ready()
        let twin = try await desk.call("PUT", Self.grants + "/twin", Self.body("/cart/"))
        #expect(twin.status == 409 && twin.detail.contains("'cart'"))
        #expect(try await desk.call("PUT", Self.grants + "/No", Self.body()).status == 400)
        let app = try desk.service.app
        for number in 1..<PageGrant.maximumCount {
            let grant = PageGrant(
                name: try #require(GrantName("g\(number)")), origin: try PageOrigin("https://shop.example"),
                path: try PagePath("/\(number)"), apis: ["a"], expiresAt: desk.service.fromNow(1000))
            #expect(try await desk.service.pageGrants.putPageGrant(grant, of: app, by: .server))
        }
        let response = try await desk.call("PUT", Self.grants + "/more", Self.body("/more"))
        #expect(response.status == 409 && response.detail.contains("1000 page grants"))
        #expect(try await desk.call("PUT", Self.grants + "/cart", Self.body("/basket")).status == 200)
    }

    // MARK: Packages

    private static let permissions = JSON.object([
        "permissions": .object([
            "apis": .array(["share", "camera"]), "origins": .array(["HTTPS://API.example:443", "https://a.example"]),
        ])
    ])

    private func lines(_ entry: JSON?) throws -> [String] {
        [
            "larder-permissions-1", "default", "news", try #require(entry?["version"]?.string),
            try #require(entry?["tree"]?.string), "api camera", "api share", "origin https://a.example",
            "origin https://api.example",
        ]
    }

    @Test func `the permissions of a package are in its entry, signed with its tree`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        #expect(try await desk.service.get("/config").json["news"]?["permissions"] == nil)
        let put = try await desk.call("PUT", Desk.news, Self.permissions, as: .releaser)
        #expect(put.status == 200, "\(put.text)")
        #expect(try put.json["permissions"]?["origins"] == .array(["https://a.example", "https://api.example"]))
        let first = try await desk.service.get("/config").json["news"]
        #expect(first?["permissions"]?["apis"] == .array(["camera", "share"]))
        #expect(try await isSigned(try lines(first), first?["permissions"], desk))

        try await desk.service.publishSample("1.1.0")
        try await desk.service.release("1.1.0", at: desk.service.fromNow(60_000))
        let waiting = try await desk.service.get("/config").json["news"]
        let next = waiting?["next"]
        #expect(waiting?["permissions"] == first?["permissions"])
        #expect(next?["tree"] != first?["tree"] && next?["permissions"] != first?["permissions"])
        #expect(try await isSigned(try lines(next), next?["permissions"], desk))
        #expect(try await !isSigned(try lines(first), next?["permissions"], desk))

        let name = try await desk.call("PUT", Desk.news, .object(["name": "N"]), as: .publisher)
        #expect(try name.json["permissions"] == put.json["permissions"])
        #expect(try await desk.call("PUT", Desk.news, .object(["permissions": .null])).status == 200)
        #expect(try await desk.service.get("/config").json["news"]?["permissions"] == nil)
    }

    @Test func `permissions are signed by the keys in use, also after a start`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        _ = try await desk.call("PUT", Desk.news, Self.permissions)
        let old = try #require(try await desk.service.store.keys(of: .default).first { $0.purpose == .signing })
        _ = try await desk.service.keys.makeSigning(of: desk.service.app, by: .server)
        let both = try await desk.service.get("/config").json["news"]
        #expect(both?["permissions"]?["signatures"]?.elements?.count == 2)
        #expect(try await isSigned(try lines(both), both?["permissions"], desk))
        _ = try await desk.service.keys.retire(old.id, of: desk.service.app, by: .server)
        let one = try await desk.service.get("/config").json["news"]
        #expect(try await isSigned(try lines(one), one?["permissions"], desk))
        let again = try await desk.service.restarted().get("/config").json["news"]
        #expect(again?["permissions"] == one?["permissions"])
    }

    @Test func `only a releaser may set the permissions of a package, also of a new one`() async throws {
        let desk = try await Desk()
        let refused = try await desk.call("PUT", Desk.news, Self.permissions, as: .publisher)
        #expect(refused.status == 403 && refused.detail.contains("'permissions'"))
        #expect(try await desk.call("GET", Desk.news).code == "package-not-found")
        #expect(try await desk.call("PUT", Desk.news, Self.permissions, as: .releaser).status == 201)
        #expect(try await desk.call("PUT", Desk.news, Self.permissions, as: .publisher).status == 200)
        let other = JSON.object(["permissions": .object(["apis": .array(["nfc"])])])
        #expect(try await desk.call("PUT", Desk.news, other, as: .publisher).status == 403)
    }

    @Test(arguments: [
        #"[]"#, #"{"apis":"a"}"#, #"{"apis":["a b"]}"#, #"{"apis":[1]}"#, #"{"origins":"a"}"#, #"{"origins":[1]}"#,
        #"{"origins":["a.example"]}"#, #"{"origins":["https://a.example/"]}"#, #"{"other":[]}"#,
    ])
    func `an invalid permission is refused`(text: String) async throws {
        let body = #"{"permissions":\#(text)}"#
        let response = try await Desk().send("PUT", Desk.news, type: "application/json", Array(body.utf8))
        #expect(response.status == 400 && response.code == "invalid-request", "\(response.text)")
    }
}

import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct AppRouteTests {
    @Test func `apps are made once and listed`() async throws {
        let desk = try await Desk()
        let made = try await desk.call("PUT", "/api/v1/apps/shop")
        #expect(made.status == 201 && made.text == #"{"id":"shop"}"#)
        #expect(try await desk.call("PUT", "/api/v1/apps/shop", .object([JSON.Member]())).status == 200)
        #expect(try await desk.call("GET", "/api/v1/apps").text == #"{"apps":[{"id":"default"},{"id":"shop"}]}"#)
        #expect(try await desk.service.get("/apps/shop/config").status == 200)
    }

    @Test(arguments: ["Shop", "shop_1", "-a", "%E5%BA%97", "a.b"])
    func `an invalid name is refused with a message`(name: String) async throws {
        let desk = try await Desk()
        let app = try await desk.call("PUT", "/api/v1/apps/\(name)")
        #expect(app.status == 400 && app.detail.contains("app id: \(AppID.shape)"))
        let channel = try await desk.call("PUT", "/api/v1/apps/default/channels/\(name)")
        #expect(channel.status == 400 && channel.detail.contains("channel name: \(ChannelName.shape)"))
    }

    @Test func `channels are declared once and listed`() async throws {
        let desk = try await Desk()
        let path = "/api/v1/apps/default/channels"
        #expect(try await desk.call("PUT", path + "/beta").status == 201)
        #expect(try await desk.call("PUT", path + "/beta").status == 200)
        let listed = try await desk.call("GET", path).json["channels"]?.elements?.compactMap { $0["name"]?.string }
        #expect(listed == ["beta", "production"])
        #expect(try await desk.call("PUT", "/api/v1/apps/none/channels/beta").code == "app-not-found")
    }

    @Test func `a member that the route does not accept is named in the error`() async throws {
        let desk = try await Desk()
        let response = try await desk.call("PUT", "/api/v1/apps/shop", .object(["name": "Shop"]))
        #expect(response.status == 400 && response.detail.contains("'name'"))
        #expect(desk.service.live.all.count == 1)
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PackageRouteTests {
    @Test func `a package is made with defaults, changed by what is named, and shown`() async throws {
        let desk = try await Desk()
        let made = try await desk.call("PUT", Desk.news)
        #expect(made.status == 201)
        let defaults = """
            {"id":"news","app":"default","name":"news","entry":"index.html","urlPrefix":"/","enable":true,"priority":999,"dialects":[],\
            "resources":{"rules":[],"timeFormat":"rfc3339","diffLimit":5000},"permissions":null}
            """
        #expect(made.text == defaults)
        let changes: JSON = .object([
            "name": "离线包", "entry": .null, "urlPrefix": "/n", "enable": false, "priority": -3,
            "dialects": .array(["newest-package", "info-json"]),
        ])
        let changed = try await desk.call("PUT", Desk.news, changes)
        #expect(changed.status == 200)
        let text = """
            {"id":"news","app":"default","name":"离线包","entry":null,"urlPrefix":"/n/","enable":false,"priority":-3,"dialects":["info-json","newest-package"],\
            "resources":{"rules":[],"timeFormat":"rfc3339","diffLimit":5000},"permissions":null}
            """
        #expect(changed.text.hasPrefix(text.dropLast() + #","clients":[{"#))
        #expect(try await desk.call("PUT", Desk.news, .object([JSON.Member]())).text == text)
        #expect(try await desk.call("GET", Desk.news).text == text)
        #expect(try await desk.call("GET", "/api/v1/apps/default/packages").text == #"{"packages":[\#(text)]}"#)
    }

    @Test(
        arguments: [
            ("name", ""), ("name", 7), ("name", .string(String(repeating: "n", count: 201))), ("entry", ""),
            ("entry", "/a"),
            ("entry", "../a"), ("entry", true), ("urlPrefix", "news"), ("urlPrefix", ""), ("urlPrefix", "/a?b"),
            ("enable", "true"), ("enable", 1), ("priority", "1"), ("priority", 1_000_001), ("priority", -1_000_001),
            ("priority", .number("1.5")), ("dialects", "info-json"), ("dialects", .array(["none"])),
            ("dialects", .array([1])), ("dialects", .null),
        ] as [(String, JSON)])
    func `an invalid value is named in the error, and nothing is changed`(key: String, value: JSON) async throws {
        let desk = try await Desk()
        let response = try await desk.call("PUT", Desk.news, .object([JSON.Member(key, value)]))
        #expect(response.status == 400 && response.code == "invalid-request")
        #expect(response.detail.contains("'\(key)'"))
        #expect(try await desk.call("GET", Desk.news).code == "package-not-found")
    }

    @Test(
        arguments: [
            ("priority", 1_000_000), ("priority", -1_000_000), ("name", .string(String(repeating: "n", count: 200))),
        ] as [(String, JSON)])
    func `a value at the limit is accepted`(key: String, value: JSON) async throws {
        let desk = try await Desk()
        #expect(try await desk.call("PUT", Desk.news, .object([JSON.Member(key, value)])).status == 201)
    }

    @Test func `an unknown member is named, and the known ones are listed`() async throws {
        let desk = try await Desk()
        let response = try await desk.call("PUT", Desk.news, .object(["enabled": false]))
        #expect(response.status == 400)
        #expect(response.detail.contains("'enabled'") && response.detail.contains("enable, priority"))
    }

    @Test(arguments: ["", "[]", "7", "{", "\"x\"", "{}x"])
    func `a body that is not an object is refused`(text: String) async throws {
        let desk = try await Desk()
        let response = try await desk.send("PUT", Desk.news, Array(text.utf8))
        // An empty body keeps the settings.
        #expect(response.status == (text.isEmpty ? 201 : 400))
    }

    @Test func `a body has 64 KB at most`() async throws {
        let desk = try await Desk()
        let limit = 64 << 10
        let body = Array("{}".utf8) + [UInt8](repeating: 0x20, count: limit - 2)
        #expect(try await desk.send("PUT", Desk.news, body).status == 201)
        #expect(try await desk.send("PUT", Desk.news, body + [0x20]).code == "body-too-large")
    }

    @Test func `an id that exists in another case is 409`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.news)
        let response = try await desk.call("PUT", "/api/v1/apps/default/packages/News")
        #expect(response.status == 409 && response.code == "name-taken")
    }

    @Test(arguments: ["/versions", "/versions/1", "/releases", "/stats", ""])
    func `paths below an unknown package are 404`(path: String) async throws {
        let desk = try await Desk()
        let response = try await desk.call("GET", Desk.news + path)
        #expect(response.status == 404 && response.code == "package-not-found")
        let app = try await desk.call("GET", "/api/v1/apps/none/packages/news" + path)
        #expect(app.status == 404 && app.code == "app-not-found")
        let malformed = try await desk.call("GET", "/api/v1/apps/default/packages/a..b" + path)
        #expect(malformed.status == 404 && malformed.code == "package-not-found")
        #expect(malformed.detail.contains("package id: \(PackageID.shape)"))
    }
}

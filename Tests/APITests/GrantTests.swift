import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests tokens for one app or one channel (decision 0079).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct GrantTests {
    private static let beta = ChannelName("beta") ?? .production
    private static let releases = "\(Desk.news)/releases"
    private static let sets = Desk.api + "/apps/default/release-sets"

    private func ready() async throws -> Desk {
        let desk = try await Desk()
        for path in ["/apps/other", "/apps/default/channels/beta"] {
            #expect(try await desk.call("PUT", Desk.api + path).status == 201)
        }
        for package in ["common", "news"] {
            for version in ["1.0.0", "2.0.0"] { try await desk.service.publishSample(version, of: package) }
        }
        return desk
    }

    private func send(
        _ desk: Desk, _ secret: String, _ method: String, _ target: String, _ body: JSON? = nil
    ) async throws -> TestResponse {
        try await desk.service.send(TestRequest(method, target, body: body.map { $0.bytes() }).by(secret))
    }

    @Test func `a releaser of a channel makes and changes releases and sets of that channel alone`() async throws {
        let desk = try await ready()
        let secret = try await desk.service.makeToken(.releaser, on: .channel(Self.beta, of: .default))
        let both = JSON.object(["common": "1.0.0", "news": "1.0.0"])
        for (path, body) in [
            (Self.releases, JSON.Member("version", "1.0.0")), (Self.sets, JSON.Member("versions", both)),
        ] {
            let terms: [JSON.Member] = [body, .init("percent", 10), .init("again", true)]
            let own = try await send(desk, secret, "POST", path, .object(terms + [.init("channel", "beta")]))
            #expect(own.status == 201, "\(own.text)")
            let foreign = try await send(desk, secret, "POST", path, .object(terms))
            #expect(foreign.status == 403 && foreign.detail.contains("the channel 'production'"), "\(foreign.text)")
            let production = try await desk.call("POST", path, .object(terms))
            #expect(production.status == 201, "\(production.text)")
            for (made, status) in [(own, 200), (production, 403)] {
                let one = "\(path)/\(try #require(try made.json["id"]?.integer))"
                #expect(try await send(desk, secret, "GET", one).status == 200)
                for (method, path, body) in [
                    ("PATCH", one, .object(["percent": 20])), ("PATCH", one, .object(["health": .null])),
                    ("POST", one + "/halt", nil), ("POST", one + "/resume", nil), ("POST", one + "/complete", nil),
                ] as [(String, String, JSON?)] {
                    let response = try await send(desk, secret, method, path, body)
                    #expect(response.status == status, "\(method) \(path): \(response.text)")
                }
                let back = try await send(desk, secret, "POST", one + "/rollback", .object(["dryRun": true]))
                #expect((back.status == 403) == (status == 403), "\(back.text)")
            }
        }
    }

    @Test func `a releaser of a channel kills a package on that channel alone, and publishes nothing elsewhere`()
        async throws
    {
        let desk = try await ready()
        let secret = try await desk.service.makeToken(.releaser, on: .channel(Self.beta, of: .default))
        for channel in ["beta", "production"] {
            let body = JSON.object(["version": "1.0.0", "channel": .string(channel)])
            #expect(try await desk.call("POST", Self.releases, body).status == 201)
        }
        let count = try await desk.call("GET", "\(Desk.news)/versions").json["versions"]?.elements?.count
        let page = JSON.Member("to", "https://m.example.com")
        let refused = try await send(desk, secret, "POST", "\(Desk.news)/kill", .object([page]))
        #expect(refused.status == 403)
        #expect(try await desk.call("GET", "\(Desk.news)/versions").json["versions"]?.elements?.count == count)
        let killed = try await send(
            desk, secret, "POST", "\(Desk.news)/kill", .object([page, .init("channel", "beta")]))
        #expect(killed.status == 201, "\(killed.text)")
    }

    @Test func `what all channels share needs a grant for the app`() async throws {
        let desk = try await ready()
        let secret = try await desk.service.makeToken(.admin, on: .channel(Self.beta, of: .default))
        for (method, path, body) in [
            ("PUT", "/apps/default/device-lists/testers", nil), ("POST", "/apps/default/packages/news/online", nil),
            ("PUT", "/apps/default/channels/gamma", nil),
            ("POST", "/apps/default/packages/news/versions/1.0.0/retire", .object(["reason": "r"])),
            ("GET", "/apps/default/keys", nil), ("GET", "/apps/default/devices/ann", nil),
        ] as [(String, String, JSON?)] {
            let response = try await send(desk, secret, method, Desk.api + path, body)
            #expect(response.status == 403 && response.detail.contains("for the app 'default'"), "\(path)")
        }
    }

    @Test func `an operator sees the apps of the grants, and another app like one that does not exist`() async throws {
        let desk = try await ready()
        let secret = try await desk.service.makeToken(.viewer, on: .channel(Self.beta, of: .default))
        #expect(try await send(desk, secret, "GET", Desk.api + "/apps").text == #"{"apps":[{"id":"default"}]}"#)
        let hidden = try await send(desk, secret, "GET", Desk.api + "/apps/other/packages")
        let missing = try await send(desk, secret, "GET", Desk.api + "/apps/absent/packages")
        #expect(hidden.status == 404 && missing.status == 404)
        #expect(hidden.text.replacing("other", with: "absent") == missing.text)
    }

    @Test func `settings of a package that need a releaser need one of the app`() async throws {
        let desk = try await ready()
        let other = try #require(AppID("other"))
        let body = JSON.object(["enable": false])
        for (scope, status) in [(Scope.app(.default), 200), (.app(other), 404), (.everything, 200)] {
            let secret = try await desk.service.makeToken(.releaser, on: scope)
            #expect(try await send(desk, secret, "PUT", Desk.news, body).status == status)
        }
    }

    @Test func `an event stream shows an app's admin more than its viewer`() async throws {
        let desk = try await ready()
        let events = Desk.api + "/apps/default/events"
        let admin = try await desk.service.follow(
            TestRequest("GET", events).by(desk.service.makeToken(.admin, on: .app(.default))))
        let viewer = try await desk.service.follow(
            TestRequest("GET", events).by(
                desk.service.makeToken(.viewer, on: .channel(.production, of: .default))))
        let made = try await desk.call("POST", Desk.api + "/apps/default/keys", .object(["purpose": "signing"]))
        #expect(made.status == 201)
        #expect(try await desk.call("PUT", Desk.news, .object(["name": "New"])).status == 200)
        await desk.service.services.auditFollower.pass()
        await desk.service.services.auditFollower.pass()
        #expect(admin.events == ["key.make", "package.put"])
        #expect(viewer.events == ["package.put"])
    }
}

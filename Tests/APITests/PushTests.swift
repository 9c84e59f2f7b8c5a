import API
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PushTests {
    private func cursor(_ service: TestService) async throws -> String {
        try #require(try await service.get("/push").json["cursor"]?.string)
    }

    private func types(_ response: TestResponse) throws -> [String] {
        try #require(try response.json["events"]?.elements).compactMap { $0["type"]?.string }
    }

    @Test func `a request without a cursor gets the current one at once`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let response = try await service.get("/push?wait=50")
        #expect(response.status == 200)
        #expect(response["Cache-Control"] == "no-store")
        #expect(try response.json["events"]?.elements?.isEmpty == true)
        #expect(try response.json["cursor"]?.string == response["Larder-Cursor"])
        #expect(try await service.get("/config")["Larder-Cursor"] == response["Larder-Cursor"])
    }

    @Test func `events since the cursor are sent at once`() async throws {
        let service = try await TestService()
        let cursor = try await cursor(service)
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        let moment = service.fromNow(60_000)
        try await service.release("2.0.0", at: moment)
        let response = try await service.get("/push?cursor=\(cursor)")
        #expect(try types(response) == ["package", "activated", "scheduled"])
        let events = try #require(try response.json["events"]?.elements)
        #expect(
            events[1]
                == .object([
                    "channel": "production", "package": "news", "time": .string(service.clock.now().rfc3339),
                    "type": "activated", "version": "1.0.0",
                ]))
        #expect(events[0].members?.map(\.key) == ["package", "time", "type"])
        let next = try #require(response["Larder-Cursor"])
        #expect(try await service.wait("/push?cursor=\(next)").response == nil)
    }

    @Test func `a release wakes waiting clients`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let wait = try await service.wait("/push?cursor=\(cursor(service))")
        #expect(wait.response == nil)
        try await service.release("1.0.0")
        let response = try #require(wait.response)
        #expect(response.status == 200)
        #expect(try types(response) == ["activated"])
        #expect(response["Access-Control-Allow-Origin"] == "*")
        // A client that is woken finds the release in /config.
        #expect(try await service.get("/config")["Larder-Cursor"] == response["Larder-Cursor"])
    }

    @Test func `an activation wakes waiting clients`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let moment = service.fromNow(60_000)
        try await service.release("1.0.0", at: moment)
        let wait = try await service.wait("/push?cursor=\(cursor(service))")
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        #expect(try types(try #require(wait.response)) == ["activated"])
    }

    @Test func `a key change wakes all clients, whatever they follow`() async throws {
        let service = try await TestService()
        let wait = try await service.wait("/push?packages=other&cursor=\(cursor(service))")
        let pem = try service.cryptography.makeLegacyPair().publicPEM
        _ = try await service.keys.importLegacy(pem: pem, of: service.app, by: .server)
        #expect(try types(try #require(wait.response)) == ["keys"])
    }

    @Test func `only followed packages wake`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0", of: "news")
        try await service.publishSample("1.0.0", of: "shop")
        let cursor = try await cursor(service)
        let news = try await service.wait("/push?packages=news&cursor=\(cursor)")
        let both = try await service.wait("/push?packages=shop,news&cursor=\(cursor)")
        let other = try await service.wait("/push?packages=other&cursor=\(cursor)")
        try await service.release("1.0.0", of: "shop")
        #expect(news.response == nil && other.response == nil)
        #expect(try types(try #require(both.response)) == ["activated"])
        // Later the event of its package is sent, and others are skipped.
        try await service.release("1.0.0", of: "news")
        let response = try #require(news.response)
        #expect(try response.json["events"]?.elements?.map { $0["package"]?.string } == ["news"])
        #expect(other.response == nil)
        #expect(try await service.get("/push?packages=news&cursor=\(cursor)").status == 200)
    }

    @Test func `only the own channel wakes`() async throws {
        let service = try await TestService()
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        try await service.publishSample("1.0.0")
        let cursor = try await cursor(service)
        let production = try await service.wait("/push?cursor=\(cursor)")
        let other = try await service.wait("/apps/default/channels/beta/push?cursor=\(cursor)")
        try await service.release("1.0.0", on: beta)
        #expect(production.response == nil)
        #expect(try types(try #require(other.response)) == ["activated"])
        try await service.putPackage("news", .init(name: "Other"))
        #expect(try types(try #require(production.response)) == ["package"])
    }

    @Test func `a wait without an event ends with 204 and a cursor`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0", of: "shop")
        let start = try await cursor(service)
        let wait = try await service.wait("/push?packages=news&cursor=\(start)")
        try await service.release("1.0.0", of: "shop")
        let response = try wait.expire()
        #expect(response.status == 204 && response.body.isEmpty)
        // The newest cursor, so that the skipped events are not read again.
        let now = try #require(response["Larder-Cursor"])
        #expect(now != start)
        #expect(try await cursor(service) == now)
        let again = try await service.get("/push?wait=0&cursor=\(now)")
        #expect(again.status == 204 && again["Larder-Cursor"] == now)
    }

    @Test func `an event just before the end of a wait is in the response to the timeout`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let wait = try await service.wait("/push?cursor=\(cursor(service))")
        try await service.release("1.0.0")
        let response = try wait.expireFirst()
        #expect(response.status == 200)
        #expect(try types(response) == ["activated"])
    }

    @Test func `a response says when a client that does not wait asks again`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let target = try await "/push?cursor=\(cursor(service))"
        let wait = try await service.wait(target)
        let moment = service.fromNow(300_000)
        try await service.release("1.0.0", at: moment)
        #expect(wait.response?["Larder-Poll-After"] == "300")
        service.clock.set(to: moment.adding(milliseconds: -239_999))
        #expect(try await service.get("/push")["Larder-Poll-After"] == "60")
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        #expect(try await service.get("/push")["Larder-Poll-After"] == "600")
        let idle = try await "/push?wait=0&cursor=\(cursor(service))"
        #expect(try await service.get(idle)["Larder-Poll-After"] == "600")
    }

    @Test(arguments: [("", 45), ("&wait=1", 1), ("&wait=55", 55), ("&wait=56", 55), ("&wait=999999999", 55)])
    func `a wait is 45 seconds, or the requested time up to 55`(query: String, seconds: Int) async throws {
        let service = try await TestService()
        let wait = try await service.wait("/push?cursor=\(cursor(service))\(query)")
        #expect(wait.duration == .seconds(seconds))
    }

    @Test(arguments: ["wait=-1", "wait=x", "wait=", "wait=1.5", "packages=a/b", "packages=a,,..", "packages=%20"])
    func `an invalid wait or package list is refused`(query: String) async throws {
        let service = try await TestService()
        let response = try await service.get("/push?cursor=\(cursor(service))&\(query)")
        #expect(response.status == 400)
        #expect(response.code == "invalid-request")
    }

    @Test func `20 packages can be followed by name, and no more`() async throws {
        let service = try await TestService()
        let names = (1...20).map { "p\($0)" }.joined(separator: ",")
        let cursor = try await cursor(service)
        #expect(try await service.wait("/push?cursor=\(cursor)&packages=\(names)").response == nil)
        #expect(try await service.get("/push?cursor=\(cursor)&packages=\(names),q").status == 400)
    }

    @Test func `a client with an unknown cursor gets a refresh event`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let now = try await cursor(service)
        let sequence = try #require(now.split(separator: ".").last.flatMap { Int64($0) })
        let epoch = try #require(now.split(separator: ".").first)
        for lost in ["garbage", "", "\(epoch).\(sequence + 1)", "\(epoch).-1", "00.\(sequence)", "\(epoch)", "%00"] {
            let response = try await service.get("/push?cursor=\(lost)")
            #expect(response.status == 200, "\(lost)")
            #expect(try types(response) == ["refresh"], "\(lost)")
            #expect(response["Larder-Cursor"] == now)
        }
    }

    @Test func `a client with a cursor that is too old gets a refresh event`() async throws {
        let service = try await TestService()
        let start = try await cursor(service)
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        for number in 0...EventLog.capacity {
            _ = try await service.store.putPackage(
                Package(
                    app: .default, id: try #require(PackageID("news")), name: "n\(number)", entry: nil,
                    urlPrefix: .root,
                    isEnabled: true, priority: 1),
                audit: AuditEntry(time: service.clock.now(), actor: "t", action: "t", app: .default, subject: "t"))
        }
        let restarted = try await service.restarted()
        #expect(try types(try await restarted.get("/push?cursor=\(start)")) == ["refresh"])
        let epoch = try #require(start.split(separator: ".").first)
        let last = try restarted.app.log.sequence
        let most = Int64(EventLog.mostNamed)
        let edge = try await restarted.get("/push?cursor=\(epoch).\(last - most)")
        #expect(try types(edge) == Array(repeating: "package", count: EventLog.mostNamed))
        let past = try await restarted.get("/push?cursor=\(epoch).\(last - most - 1)")
        #expect(try types(past) == ["refresh"])
        #expect(past["Larder-Cursor"] == edge["Larder-Cursor"])
    }

    @Test func `a change with more events than a response names is sent as one refresh`() async throws {
        let service = try await TestService()
        let wait = try await service.wait("/push?cursor=\(cursor(service))")
        try await service.live.change(service.app) { () throws(PlatformError) in
            for number in 0...EventLog.mostNamed {
                guard let id = PackageID("p\(number)") else { continue }
                _ = try await service.store.putPackage(
                    Package(
                        app: .default, id: id, name: id.text, entry: nil, urlPrefix: .root, isEnabled: true,
                        priority: 1),
                    audit: AuditEntry(time: service.clock.now(), actor: "t", action: "t", app: .default, subject: "t"))
            }
        }
        #expect(try types(try #require(wait.response)) == ["refresh"])
    }

    @Test func `a cursor stays good over a restart`() async throws {
        let service = try await TestService()
        let cursor = try await cursor(service)
        try await service.putPackage()
        let restarted = try await service.restarted()
        #expect(try types(try await restarted.get("/push?cursor=\(cursor)")) == ["package"])
    }

    @Test func `a peer that leaves is forgotten`() async throws {
        let service = try await TestService()
        let lot = TestLot()
        let cursor = try await cursor(service)
        var waits: [TestWait] = []
        for number in 0..<50 {
            waits.append(try await service.wait("/push?packages=p\(number % 5)&cursor=\(cursor)", lot: lot))
        }
        for wait in waits { wait.leave() }
        for wait in waits { wait.leave() }
        let last = try await service.wait("/push?cursor=\(cursor)", lot: lot)
        for number in 0..<5 { try await service.putPackage("p\(number)") }
        #expect(lot.responseCount == 1)
        #expect(last.response?.status == 200)
    }

    @Test func `all clients that follow the same packages are woken in one hop`() async throws {
        let service = try await TestService()
        let lot = TestLot()
        let cursor = try await cursor(service)
        for _ in 0..<100 { _ = try await service.wait("/push?cursor=\(cursor)", lot: lot) }
        for _ in 0..<100 { _ = try await service.wait("/push?packages=news&cursor=\(cursor)", lot: lot) }
        try await service.putPackage("news")
        #expect(lot.responseCount == 200)
        #expect(lot.hops == 2)
    }

    @Test func `a client that arrives during a change misses no event`() async throws {
        let service = try await TestService()
        var cursor = try await cursor(service)
        let start = try service.app.log.sequence
        let changes = Task {
            for number in 0..<EventLog.mostNamed {
                try await service.putPackage("p\(number)")
                await Task.yield()
            }
        }
        var seen: [String] = []
        while seen.count < EventLog.mostNamed {
            let response: TestResponse
            switch try await service.ask(TestRequest("GET", "/push?cursor=\(cursor)")) {
            case .answered(let known): response = known
            case .waiting(let wait): response = await wait.awaitResponse()
            }
            try #require(response.status == 200)
            seen += try #require(try response.json["events"]?.elements).compactMap { $0["package"]?.string }
            cursor = try #require(response["Larder-Cursor"])
        }
        try await changes.value
        #expect(seen == (0..<EventLog.mostNamed).map { "p\($0)" })
        #expect(cursor.hasSuffix(".\(start + Int64(EventLog.mostNamed))"))
    }
}

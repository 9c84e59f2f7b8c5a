import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ConfigHeaderTests {
    private func version(_ response: TestResponse) throws -> Int64 {
        try #require(response["Larder-Config-Version"].flatMap { Int64($0) })
    }

    @Test func `the etag follows the content, and not the config version`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let first = try await service.get("/config")
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        let second = try await service.get("/config")
        #expect(try version(second) > version(first))
        #expect(second["ETag"] == first["ETag"])
        try await service.putPackage("news", .init(name: "Other"))
        #expect(try await service.get("/config")["ETag"] != first["ETag"])
        // The same content on another channel, and after a restart.
        let restarted = try await service.restarted()
        try await restarted.putPackage("news", .init(name: "news"))
        #expect(try await restarted.get("/config")["ETag"] == first["ETag"])
    }

    @Test(
        arguments: [
            (31_000, 30), (30_001, 30), (30_000, 30), (29_999, 29), (29_000, 29), (28_999, 28), (1000, 1), (999, 0),
            (500, 0),
            (1, 0), (0, 0), (-500, 0),
        ] as [(Int64, Int)])
    func `no cache keeps a response past a boundary`(before: Int64, seconds: Int) async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let moment = service.fromNow(100_000)
        try await service.release("1.0.0", at: moment)
        #expect(try await sharedMaxAge(service) == 30)
        service.clock.set(to: moment.adding(milliseconds: -before))
        #expect(try await sharedMaxAge(service) == seconds)
    }

    @Test func `prepared header fields are right at every instant`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let moment = service.fromNow(33_000)
        try await service.release("1.0.0", at: moment)
        for left in stride(from: Int64(33_000), through: -1000, by: -250) {
            service.clock.set(to: moment.adding(milliseconds: -left))
            #expect(try await sharedMaxAge(service) == Int(max(0, min(30, left / 1000))), "\(left)")
        }
        try await service.live.activate(service.app)
        #expect(try await sharedMaxAge(service) == 30)
    }

    @Test func `the config version grows with every change, every start and every boundary`() async throws {
        let service = try await TestService()
        var last = try version(try await service.get("/config"))
        func grows(_ service: TestService, _ what: String) async throws {
            let now = try version(try await service.get("/config"))
            #expect(now > last, "\(what)")
            last = now
        }
        try await service.putPackage()
        try await grows(service, "a package")
        try await service.publishSample("1.0.0")
        try await service.release("1.0.0")
        try await grows(service, "a release")
        try await service.publishSample("2.0.0")
        let moment = service.fromNow(1000)
        try await service.release("2.0.0", at: moment)
        try await grows(service, "a plan")
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        try await grows(service, "a boundary")
        let restarted = try await service.restarted()
        try await grows(restarted, "a start")
        #expect(last >= moment.milliseconds)
        // With a clock set back the version still grows by one.
        restarted.clock.advance(milliseconds: -1_000_000)
        let before = last
        try await restarted.putPackage("news", .init(name: "Other"))
        try await grows(restarted, "a change in the past")
        #expect(last == before + 1)
    }

    @Test func `the cursor of a config is a valid start for push`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let cursor = try #require(try await service.get("/config")["Larder-Cursor"])
        let wait = try await service.wait("/push?cursor=\(cursor)")
        #expect(wait.response == nil)
        wait.leave()
        try await service.putPackage("news", .init(name: "Other"))
        #expect(try await service.get("/config")["Larder-Cursor"] != cursor)
        #expect(try await service.get("/push?cursor=\(cursor)").status == 200)
    }

    @Test(arguments: ["/config", "/push", "/report", "/keys.json", "/apps/default/config", "/healthz"])
    func `pages of any origin may read clients' routes, and no others`(target: String) async throws {
        let response = try await TestService().get(target)
        let isClients = target != "/healthz"
        #expect((response["Access-Control-Allow-Origin"] == "*") == isClients)
        let exposed = response["Access-Control-Expose-Headers"] ?? ""
        for name in ["Date", "Age", "ETag", "Larder-Config-Version", "Larder-Cursor", "Larder-Poll-After"] {
            #expect(exposed.contains(name) == isClients)
        }
    }

    private func sharedMaxAge(_ service: TestService) async throws -> Int? {
        let control = try #require(try await service.get("/config")["Cache-Control"])
        let prefix = "max-age=0, must-revalidate, s-maxage="
        try #require(control.hasPrefix(prefix))
        return Int(control.dropFirst(prefix.count))
    }
}

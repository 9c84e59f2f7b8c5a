import API
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the event streams of devices on `/push`.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct EventStreamTests {
    private func follow(
        _ service: TestService, _ target: String = "/push", after id: String? = nil, lot: TestLot = TestLot()
    ) async throws -> TestStream {
        var request = TestRequest("GET", target).with("Accept", "text/event-stream")
        if let id { request = request.with("Last-Event-ID", id) }
        return try await service.follow(request, lot: lot)
    }

    @Test func `a stream begins with the current cursor, and sends each event with its own`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let stream = try await follow(service)
        #expect(stream[.contentType] == "text/event-stream")
        #expect(stream[.cacheControl] == "no-store")
        #expect(stream["X-Accel-Buffering"] == "no")
        #expect(stream["Access-Control-Allow-Origin"] == "*")
        #expect(stream.text.hasPrefix("retry: "))
        #expect(try await service.get("/push")["Larder-Cursor"] == stream.ids.last)
        try await service.release("1.0.0")
        #expect(stream.events == ["activated"])
        #expect(stream.text.contains("\"version\":\"1.0.0\""))
        #expect(try await service.get("/push")["Larder-Cursor"] == stream.ids.last)
        try await service.publishSample("2.0.0")
        try await service.release("2.0.0")
        #expect(stream.events == ["activated", "activated"])
    }

    @Test func `a client that returns with its last event gets what it missed, once`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let stream = try await follow(service)
        let id = try #require(stream.ids.last)
        stream.leave()
        try await service.release("1.0.0")
        #expect(stream.events.isEmpty)
        let next = try await follow(service, after: id)
        #expect(next.events == ["activated"])
        // The parameter does the same for clients that cannot set the field.
        let other = try await follow(service, "/push?cursor=\(id)")
        #expect(other.events == ["activated"])
        try await service.publishSample("2.0.0")
        try await service.release("2.0.0")
        #expect(next.events == ["activated", "activated"])
    }

    @Test(arguments: ["garbage", "aaaaaaaaaaaaaaaa.1"])
    func `a client whose last event is unknown gets refresh`(id: String) async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let stream = try await follow(service, after: id)
        #expect(stream.events == ["refresh"])
        #expect(try await service.get("/push")["Larder-Cursor"] == stream.ids.last)
    }

    @Test func `a stream gets the events of the packages that it follows`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let own = try await follow(service, "/push?packages=news")
        let other = try await follow(service, "/push?packages=other")
        try await service.release("1.0.0")
        #expect(own.events == ["activated"])
        #expect(other.events.isEmpty)
    }

    @Test func `streams of one loop get an event in one hop`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let lot = TestLot()
        var streams: [TestStream] = []
        for _ in 0..<50 { streams.append(try await follow(service, lot: lot)) }
        try await service.release("1.0.0")
        #expect(lot.hops == 1)
        #expect(streams.allSatisfy { $0.events == ["activated"] })
    }

    @Test func `at the limit a new stream of a device ends its earlier one, and no other's`() async throws {
        let service = try await TestService(maxConnections: 2)
        try await service.publishSample("1.0.0")
        let first = try await follow(service, "/push?deviceId=a")
        let other = try await follow(service, "/push?deviceId=b")
        let second = try await follow(service, "/push?deviceId=a")
        #expect(first.hasEnded)
        #expect(!other.hasEnded && !second.hasEnded)
        // The connection of the first one ends after that.
        first.leave()
        try await service.release("1.0.0")
        #expect(first.events.isEmpty)
        #expect(second.events == ["activated"])
        #expect(other.events == ["activated"])
    }
}

/// Tests the event stream of an app for operators.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct AppEventTests {
    private func follow(_ desk: Desk, after id: String? = nil, as role: Role = .publisher) async throws -> TestStream {
        var request = try TestRequest("GET", "/api/v1/apps/default/events").by(desk.token(role))
        if let id { request = request.with("Last-Event-ID", id) }
        return try await desk.service.follow(request)
    }

    @Test func `each change of the app is sent as it is made, with the id of its audit entry`() async throws {
        let desk = try await Desk()
        let stream = try await follow(desk)
        _ = try await desk.call("PUT", "/api/v1/apps/default/packages/news", .object([:]))
        await desk.service.services.auditFollower.pass()
        #expect(stream.events == ["package.put"])
        let entries = try await desk.call("GET", "/api/v1/audit").json["entries"]?.elements
        #expect(stream.ids.last == entries?.first?["id"]?.integer.map(String.init))
        _ = try await desk.upload("1.0.0", ["index.html": "1"])
        await desk.service.services.auditFollower.pass()
        #expect(stream.events.last == "version.publish")
        #expect(!stream.text.contains("token.create"), "entries of no app are not sent")
    }

    @Test func `a client that returns gets the entries after its last one`() async throws {
        let desk = try await Desk()
        let stream = try await follow(desk)
        let id = try #require(stream.ids.last)
        stream.leave()
        _ = try await desk.call("PUT", "/api/v1/apps/default/packages/news", .object([:]))
        await desk.service.services.auditFollower.pass()
        #expect(stream.events.isEmpty)
        let next = try await follow(desk, after: id)
        await desk.service.services.auditFollower.pass()
        #expect(next.events == ["package.put"])
        await desk.service.services.auditFollower.pass()
        #expect(next.events == ["package.put"])
    }

    @Test func `a stream ends after 15 minutes, so that its token is checked again`() async throws {
        let desk = try await Desk()
        let stream = try await follow(desk)
        desk.service.instant.advance(AuditFollower.longest - .milliseconds(1))
        await desk.service.services.auditFollower.pass()
        #expect(!stream.hasEnded)
        desk.service.instant.advance(.milliseconds(1))
        await desk.service.services.auditFollower.pass()
        #expect(stream.hasEnded)
    }

    @Test func `a wall clock that jumps ends no stream early, and lets none go on`() async throws {
        let desk = try await Desk()
        let year: Int64 = 365 * 86_400_000
        let stream = try await follow(desk)
        desk.service.clock.advance(milliseconds: year)
        await desk.service.services.auditFollower.pass()
        #expect(!stream.hasEnded)
        desk.service.clock.advance(milliseconds: -2 * year)
        desk.service.instant.advance(AuditFollower.longest)
        await desk.service.services.auditFollower.pass()
        #expect(stream.hasEnded)
    }

    @Test func `256 operators may follow, and a further one gets 503`() async throws {
        let desk = try await Desk()
        var streams: [TestStream] = []
        while streams.count < AuditFollower.capacity {
            let token = try await desk.service.makeToken(.publisher)
            let request = TestRequest("GET", "/api/v1/apps/default/events").by(token)
            for _ in 0..<AuditFollower.capacityPerHolder { streams.append(try await desk.service.follow(request)) }
        }
        #expect(streams.allSatisfy { !$0.hasEnded })
        let refused = try await desk.call("GET", "/api/v1/apps/default/events")
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] != nil)
        streams[0].leave()
        _ = try await follow(desk)
    }

    @Test func `a token has 8 streams, and a further one ends the oldest`() async throws {
        let desk = try await Desk()
        let first = try await follow(desk)
        let other = try await follow(desk, as: .admin)
        var streams: [TestStream] = []
        for _ in 1..<AuditFollower.capacityPerHolder { streams.append(try await follow(desk)) }
        #expect(!first.hasEnded)
        streams.append(try await follow(desk))
        #expect(first.hasEnded)
        #expect(!other.hasEnded && streams.allSatisfy { !$0.hasEnded })
    }

    @Test func `the streams of a revoked token end at once, and within seconds if another node has revoked it`()
        async throws
    {
        let desk = try await Desk()
        let ids = try await desk.service.tokens.tokens()
        let publisher = try #require(ids.first { $0.role == .publisher }?.id)
        let releaser = try #require(ids.first { $0.role == .releaser }?.id)
        let (first, second) = (try await follow(desk), try await follow(desk, as: .releaser))
        await desk.service.services.auditFollower.pass()
        #expect(try await desk.call("DELETE", "/api/v1/tokens/\(publisher)?dryRun=1").status == 200)
        #expect(!first.hasEnded)
        #expect(try await desk.call("DELETE", "/api/v1/tokens/\(publisher)").status == 200)
        #expect(first.hasEnded)
        // The follower of this node is not informed.
        _ = try await desk.service.tokens.revoke(releaser, by: .server)
        desk.service.instant.advance(AuditFollower.checkInterval - .milliseconds(1))
        await desk.service.services.auditFollower.pass()
        #expect(!second.hasEnded)
        desk.service.instant.advance(.milliseconds(1))
        await desk.service.services.auditFollower.pass()
        #expect(second.hasEnded)
    }

    @Test(arguments: [
        (Grant(.viewer, on: .everything), true), (Grant(.releaser, on: .channel(.production, of: .default)), true),
        (Grant(.admin, on: .app(.default)), false),
    ])
    func `the stream of a user with other rights by now ends, so that it shows what they permit`(
        grant: Grant, hasEnded: Bool
    ) async throws {
        let desk = try await Desk()
        try await desk.makeUser("ann", Grant(.admin, on: .everything))
        let ann = try await desk.signIn("ann")
        let stream = try await desk.service.follow(
            TestRequest("GET", "/api/v1/apps/default/events").with("Cookie", ann.cookie))
        let name = try #require(UserName("ann"))
        let user = try #require(try await desk.service.store.user(name))
        // As a sign-in by a provider does, after which the sessions go on.
        _ = try await desk.service.store.changeUser(
            user.id, UserChange(grants: [grant], ending: .none), ifMatch: nil,
            audit: AuditEntry(
                time: desk.service.clock.now(), actor: "a", action: "user.change", app: nil, subject: "ann"))
        desk.service.instant.advance(AuditFollower.checkInterval)
        await desk.service.services.auditFollower.pass()
        #expect(stream.hasEnded == hasEnded)
    }

    @Test func `only admins get the entries of keys, and those of more than an hour ago`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", "/api/v1/apps/default/packages/old", .object([:]))
        desk.service.clock.advance(milliseconds: AuditFollower.historyMilliseconds + 1)
        _ = try await desk.service.keys.importSigning(
            pem: TestService.signingPEM, of: desk.service.app, by: .server)
        _ = try await desk.call("PUT", "/api/v1/apps/default/packages/news", .object([:]))
        let admin = try await follow(desk, after: "0", as: .admin)
        let publisher = try await follow(desk, after: "0")
        await desk.service.services.auditFollower.pass()
        #expect(admin.events.suffix(3) == ["package.put", "key.import", "package.put"])
        #expect(publisher.events == ["package.put"])
        #expect(publisher.ids.last == admin.ids.last)
    }

    @Test func `an entry of a node whose clock is behind hides no entry before it from a publisher`() async throws {
        let desk = try await Desk()
        let before = try #require(try await follow(desk).ids.last)
        _ = try await desk.call("PUT", "/api/v1/apps/default/packages/news", .object([:]))
        let behind = desk.service.clock.now().adding(milliseconds: -2 * AuditFollower.historyMilliseconds)
        try await desk.service.store.recordAudit(
            AuditEntry(time: behind, actor: "server", action: "version.publish", app: .default, subject: "news"))
        let (stream, other) = (try await follow(desk, after: before), try await follow(desk, after: "0"))
        await desk.service.services.auditFollower.pass()
        #expect(stream.events == ["package.put", "version.publish"])
        #expect(other.events.suffix(2) == ["package.put", "version.publish"])
    }

    @Test func `an operator who catches up gets a page as often as he takes one, and delays no other`() async throws {
        let desk = try await Desk()
        for _ in 0..<AuditFollower.page + 10 {
            try await desk.service.store.recordAudit(
                AuditEntry(
                    time: desk.service.clock.now(), actor: "server", action: "package.put", app: .default,
                    subject: "news"))
        }
        let head = try await follow(desk)
        let late = try await follow(desk, after: "0", as: .admin)
        late.stall(true)
        let follower = desk.service.services.auditFollower
        await follower.pass()
        await follower.pass()
        #expect(late.events.count == AuditFollower.page)
        _ = try await desk.call("PUT", "/api/v1/apps/default/packages/shop", .object([:]))
        await follower.pass()
        #expect(head.events == ["package.put"])
        #expect(late.events.count == AuditFollower.page)
        late.stall(false)
        await follower.pass()
        #expect(late.events.count > AuditFollower.page + 10)
        #expect(late.ids.last == head.ids.last)
    }

    @Test func `an id that the log does not have begins with the next entry`() async throws {
        let desk = try await Desk()
        let newest = try await follow(desk).ids.last
        let stream = try await follow(desk, after: "999999")
        #expect(stream.ids.last == newest)
        _ = try await desk.call("PUT", "/api/v1/apps/default/packages/news", .object([:]))
        await desk.service.services.auditFollower.pass()
        #expect(stream.events == ["package.put"])
    }

    @Test func `a Last-Event-ID that is not a number is refused with 400`() async throws {
        let desk = try await Desk()
        let events = "/api/v1/apps/default/events"
        let byHeader = try TestRequest("GET", events).with("Last-Event-ID", "x").by(desk.token(.publisher))
        let responses = [try await desk.service.send(byHeader), try await desk.call("GET", events + "?after=x")]
        for response in responses {
            #expect(response.status == 400)
            #expect(response.detail.contains("'Last-Event-ID' and 'after'"))
        }
    }
}

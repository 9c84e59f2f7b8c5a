import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@testable import API

/// Tests the limits of the clients that wait on `/push`.
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct PushLimitTests {
    private func cursor(_ service: TestService) async throws -> String {
        try #require(try await service.get("/push").json["cursor"]?.string)
    }

    private func stream(_ target: String) -> TestRequest {
        TestRequest("GET", target).with("Accept", "text/event-stream")
    }

    @Test func `most connections may wait, and a further client gets 503 with Retry-After`()
        async throws
    {
        let service = try await TestService(maxConnections: 8)
        try await service.publishSample("1.0.0")
        let target = try await "/push?cursor=\(cursor(service))"
        let lot = TestLot()
        var waits: [TestWait] = []
        for _ in 0..<4 { waits.append(try await service.wait(target)) }
        for _ in 0..<3 { _ = try await service.follow(stream("/push"), lot: lot) }
        for request in [TestRequest("GET", target), stream("/push")] {
            let refused = try await service.send(request)
            #expect(refused.status == 503)
            #expect(refused.code == "busy")
            let seconds = try #require(refused["Retry-After"].flatMap { Int($0) })
            #expect((5...30).contains(seconds))
        }
        // Requests that do not wait are answered.
        #expect(try await service.get("\(target)&wait=0").status == 204)
        waits[0].leave()
        waits[1] = try await service.wait(target)
        // A release ends the waits, so that others may begin.
        try await service.release("1.0.0")
        let next = try await "/push?cursor=\(cursor(service))"
        for _ in 0..<4 { waits.append(try await service.wait(next)) }
        #expect(try await service.get(next).status == 503)
    }

    @Test(arguments: [(1, 1), (8, 7), (4_096, 3_584), (65_536, 65_024)])
    func `an eighth of the connections is left for other requests, 512 at most`(connections: Int, waiting: Int) {
        #expect(PushAdmission.capacity(ofConnections: connections) == waiting)
    }

    @Test func `a device may begin another wait at the limit, since its earlier one ends before`() async throws {
        let service = try await TestService(maxConnections: 1)
        try await service.publishSample("1.0.0")
        let anonymous = try await "/push?cursor=\(cursor(service))"
        let target = "\(anonymous)&deviceId=a"
        let first = try await service.wait(target)
        #expect(try await service.get(anonymous).status == 503)
        #expect(try await service.get("\(anonymous)&deviceId=b").status == 503)
        let second = try await service.wait(target)
        #expect(first.response?.status == 503)
        #expect(first.response?["Retry-After"] != nil)
        #expect(first.response?["Access-Control-Allow-Origin"] == "*")
        // A stream and a poll are one wait.
        let lot = TestLot()
        let third = try await service.follow(stream("/push?deviceId=a"), lot: lot)
        #expect(second.response?.status == 503)
        let fourth = try await service.wait(target)
        #expect(third.hasEnded)
        #expect(try await service.get(anonymous).status == 503)
        fourth.leave()
        _ = try await service.wait(anonymous)
    }

    @Test func `below the limit a device may wait several times`() async throws {
        let service = try await TestService(maxConnections: 3)
        try await service.publishSample("1.0.0")
        let target = try await "/push?deviceId=a&cursor=\(cursor(service))"
        let first = try await service.wait(target)
        let second = try await service.wait("\(target)&packages=other")
        let third = try await service.wait(target)
        #expect(first.response == nil && second.response == nil)
        // At the limit the latest one ends.
        let fourth = try await service.wait(target)
        #expect(third.response?.status == 503)
        for wait in [first, second, fourth] { wait.leave() }
        var waits: [TestWait] = []
        for _ in 0..<3 { waits.append(try await service.wait(target.replacing("deviceId=a&", with: ""))) }
        #expect(waits.allSatisfy { $0.response == nil })
    }

    @Test func `a request that does not begin to wait gives its place back`() async throws {
        let service = try await TestService(maxConnections: 1)
        try await service.publishSample("1.0.0")
        for _ in 0..<2 {
            let head = TestRequest("HEAD", "/push").with("Accept", "text/event-stream")
            #expect(try await service.send(head).status == 200)
        }
        // A refused request has none to give back.
        let target = try await "/push?cursor=\(cursor(service))"
        _ = try await service.wait(target)
        for _ in 0..<2 { #expect(try await service.get(target).status == 503) }
    }

    @Test func `a client that leaves is not notified, whatever has happened in its group before`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let lot = TestLot()
        let open = try await service.follow(stream("/push"), lot: lot)
        let first = try await service.wait("/push?cursor=\(cursor(service))", lot: lot)
        try await service.release("1.0.0")
        #expect(first.response != nil)
        let next = try await "/push?cursor=\(cursor(service))"
        let left = try await service.wait(next, lot: lot)
        let waits = try await service.wait(next, lot: lot)
        left.leave()
        open.leave()
        try await service.putPackage("news", .init(name: "Other"))
        #expect(waits.response != nil)
        #expect(left.response == nil)
        #expect(open.events == ["activated"])
        #expect(lot.responseCount == 2)
    }

    @Test func `the intervals of comments spread over five seconds`() {
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<1_000 {
            let (seconds, attoseconds) = EventText.heartbeatInterval.components
            let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
            counts[min(max((milliseconds - 20_000) / 500, 0), 9)] += 1
            #expect((20_000...25_000).contains(milliseconds))
        }
        #expect(counts.allSatisfy { (80...120).contains($0) })
    }

    @Test(arguments: [(999, nil), (1_000, 50)] as [(Int, Int64?)])
    func `an event for many clients names a spread`(count: Int, spread: Int64?) async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let target = try await "/push?cursor=\(cursor(service))"
        let lot = TestLot()
        let open = try await service.follow(stream("/push"), lot: lot)
        var waits: [TestWait] = []
        for _ in 1..<count { waits.append(try await service.wait(target, lot: lot)) }
        try await service.release("1.0.0")
        #expect(try waits[0].response?.json["spread"]?.integer == spread)
        #expect(open.text.contains("\"spread\":50") == (spread != nil))
        // Later events have fewer clients.
        try await service.putPackage("news", .init(name: "Other"))
        #expect(open.events == ["activated", "package"])
        #expect(open.text.split(separator: "\n").last?.contains("spread") == false)
    }

    @Test func `4096 sets of packages are distinguished, and a client with a further set is notified of all packages`()
        async throws
    {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let cursor = try #require(try await service.get("/push").json["cursor"]?.string)
        let lot = TestLot()
        for number in 0..<4096 {
            _ = try await service.wait("/push?packages=p\(number)&cursor=\(cursor)", lot: lot)
        }
        // A set that is waited for already does not count again.
        let known = try await service.wait("/push?packages=p7&cursor=\(cursor)", lot: lot)
        let gone = try await service.wait("/push?packages=gone&cursor=\(cursor)", lot: lot)
        let wide = try await service.wait("/push?packages=other&cursor=\(cursor)", lot: lot)
        gone.leave()
        try await service.release("1.0.0")
        #expect(lot.responseCount == 1)
        #expect(known.response == nil)
        #expect(gone.response == nil)
        #expect(try wide.response?.json["events"]?.elements?.first?["package"]?.string == "news")
    }
}

import HTTP
import Server
import Synchronization
import TestKit
import Testing

/// A recorder of access log lines.
final class RecordedLines: AccessLog {
    private let lines = Mutex<[AccessLine]>([])

    var all: [AccessLine] { lines.withLock { $0 } }

    func take(_ new: [AccessLine]) -> Int {
        lines.withLock { $0 += new }
        return 0
    }
}

/// A log that drops every line.
private final class FullLog: AccessLog {
    func take(_ new: [AccessLine]) -> Int { new.count }
}

private func hello(_ head: RequestHead) -> Disposition {
    switch head.path {
    case "/task": .handle(bodyLimit: 0) { _ in Response(.created, body: .bytes(Array("made".utf8))) }
    case "/client": .respond(Response(.ok, body: .bytes(Array("\(head.client)".utf8))))
    default: .prepared(PreparedResponse(.ok, fields: [:], body: Array("hello".utf8)))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct TrafficTests {
    @Test func `every response is counted by route and status, with its bytes`() async throws {
        try await TestServer.run(hello) { server in
            let client = try server.connect()
            for _ in 0..<3 { _ = try client.get("/") }
            _ = try client.get("/task")
            try client.send("nonsense\r\n\r\n")
            #expect(try client.receive().status == 400)
            let traffic = await server.server.traffic()
            let route = traffic.routes[1]
            #expect(route.responses.map(\.status) == [200, 201])
            #expect(route.responses.map(\.count) == [3, 1])
            #expect(route.durations.count == 4)
            #expect(route.bytes > 4 * 60)
            #expect(traffic.routes[0].responses.map(\.status) == [400])
            #expect(traffic.accepted == 1)
        }
    }

    @Test func `the path of a route about a device is logged as the route's pattern`() {
        let device = "GET /api/v1/apps/{app}/devices/{device}"
        #expect(
            AccessLine.path("/api/v1/apps/default/devices/ann", of: device) == "/api/v1/apps/{app}/devices/{device}")
        #expect(AccessLine.path("/config", of: "GET /config") == "/config")
        #expect(AccessLine.path("/devices/ann", of: "none") == "/devices/ann")
        // With a method that the path does not allow, or as an id with a slash.
        for id in ["ann", "ann%2Fb", "ann/b"] {
            #expect(
                AccessLine.path("/api/v1/apps/shop/devices/\(id)", of: "none")
                    == "/api/v1/apps/shop/devices/{device}")
        }
    }

    @Test func `open connections and waiting polls are counted, and no more once they have left`() async throws {
        final class Silence: Waiting {
            let began = Latch<WaitTicket>()
            let left = Latch<Void>()
            func begin(_ ticket: WaitTicket) -> Response? {
                began.set(ticket)
                return nil
            }
            func expire() -> Response { Response(.noContent) }
            func didEnd() { left.set(()) }
        }
        let silence = Silence()
        try await TestServer.run({ _ in .wait(silence, upTo: .seconds(60)) }) { server in
            do {
                let client = try server.connect()
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try #require(silence.began.wait())
                let traffic = await server.server.traffic()
                #expect(traffic.waiting == 1)
                #expect(traffic.connections == 1)
                withExtendedLifetime(client) {}
            }
            _ = silence.left.wait()
            let traffic = await server.server.traffic()
            #expect(traffic.waiting == 0)
            #expect(traffic.connections == 0)
        }
    }

    @Test func `an access line has the client, the request and the result`() async throws {
        let lines = RecordedLines()
        try await TestServer.run(accessLog: lines, hello) { server in
            let client = try server.connect()
            #expect(try client.get("/a%20b?device=secret", "X-Request-Id: abc-1\r\n").fields["x-request-id"] == "abc-1")
            let made = try client.get("/task").fields["x-request-id"]
            // The lines of an iteration are logged at its end.
            _ = await server.server.traffic()
            let all = lines.all
            #expect(all.map(\.path) == ["/a%20b", "/task"])
            #expect(all.map(\.status) == [200, 201])
            #expect(all.map(\.id) == ["abc-1", made])
            #expect(all.allSatisfy { $0.method == "GET" && $0.route == "GET /" && "\($0.client)" == "127.0.0.1" })
            #expect(all.allSatisfy { $0.isWhole && $0.nanoseconds > 0 && $0.bytes > 60 })
        }
    }

    @Test func `a response that its client did not take is logged as incomplete, with the bytes that went out`()
        async throws
    {
        let lines = RecordedLines()
        let file = PatternFile(zeroes: 64 << 20)
        try await TestServer.run(
            accessLog: lines, { _ in .respond(Response(.ok, body: .file(file.region(64 << 20)))) }
        ) { server in
            do {
                let client = try server.connect(receiveBuffer: 8 << 10)
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                client.breakOff()
            }
            while lines.all.isEmpty { _ = await server.server.traffic() }
            let line = try #require(lines.all.first)
            #expect(!line.isWhole)
            #expect(line.bytes < 64 << 20)
        }
    }

    @Test func `lines that the log has no room for are counted`() async throws {
        try await TestServer.run(accessLog: FullLog(), hello) { server in
            _ = try server.connect().get("/")
            while await server.server.traffic().droppedLines == 0 {}
            #expect(await server.server.traffic().droppedLines == 1)
        }
    }

    @Test(arguments: [
        ("ok-1._~+/=:Z", true), (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
        ("a b", false), ("a\"b", false), ("", false), ("ä", false),
    ])
    func `an id is given back if it is short and harmless`(id: String, isGivenBack: Bool) async throws {
        try await TestServer.run(hello) { server in
            let response = try server.connect().get("/", "X-Request-Id: \(id)\r\n")
            #expect(response.status == 200)
            #expect(response.fields["x-request-id"] == (isGivenBack ? id : nil))
        }
    }

    @Test func `an id is not given back to the next request of the connection`() async throws {
        try await TestServer.run(hello) { server in
            let client = try server.connect()
            #expect(try client.get("/", "X-Request-Id: one\r\n").fields["x-request-id"] == "one")
            #expect(try client.get("/").fields["x-request-id"] == nil)
        }
    }

    @Test func `a trusted proxy names the client`() async throws {
        let proxies = TrustedProxies([try #require(AddressRange("127.0.0.0/8"))])
        try await TestServer.run(proxies: proxies, hello) { server in
            let client = try server.connect()
            #expect(try client.get("/client", "X-Forwarded-For: 7.7.7.7\r\n").text == "7.7.7.7")
        }
        try await TestServer.run(hello) { server in
            let client = try server.connect()
            #expect(try client.get("/client", "X-Forwarded-For: 7.7.7.7\r\n").text == "127.0.0.1")
        }
    }
}

/// Tests the effect of one client on the counters of all.
@Suite(.timeLimit(.minutes(5)))
struct BrokenTrafficTests {
    @Test(arguments: [true, false])
    func `a client that pipelines, never reads and breaks off is counted, and the server continues`(
        endsWithFile: Bool
    ) async throws {
        let file = PatternFile(zeroes: 8 << 20)
        let lines = RecordedLines()
        try await TestServer.run(
            accessLog: lines,
            { head in
                head.path == "/file" ? .respond(Response(.ok, body: .file(file.region(8 << 20)))) : hello(head)
            }
        ) { server in
            do {
                let client = try server.connect(receiveBuffer: 4 << 10)
                let request = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
                if endsWithFile {
                    try client.send(Array(repeating: request, count: 100).joined())
                    try client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n")
                }
                // Until the server reads no more, because it cannot send.
                _ = client.sendWhatIsTaken(of: request, 64 << 20)
                client.breakOff()
            }
            while await server.server.traffic().connections > 0 {}
            #expect(lines.all.allSatisfy { $0.bytes >= 0 })
            let next = try server.connect()
            #expect(try next.get("/").status == 200)
        }
    }
}

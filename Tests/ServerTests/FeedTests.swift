import HTTP
import Server
import Synchronization
import TestKit
import Testing

/// An open response that reports its calls to a test.
private final class Stream: Feed {
    let interval: Duration
    let heartbeat = Array("beat\n".utf8)
    let began = Latch<WaitTicket>()
    let ended = Latch<Void>()
    private let sendings = Atomic(0)

    /// The number of times that the socket had taken all pieces.
    var sent: Int { sendings.load(ordering: .sequentiallyConsistent) }

    init(interval: Duration = .seconds(60)) {
        self.interval = interval
    }

    func begin(_ ticket: WaitTicket) -> [UInt8] {
        began.set(ticket)
        return Array("first\n".utf8)
    }

    func didSend() { sendings.add(1, ordering: .sequentiallyConsistent) }

    func didEnd() { ended.set(()) }

    var disposition: Disposition { .respond(Response(.ok, fields: [.contentType: "text/plain"], body: .feed(self))) }
}

extension RawClient {
    fileprivate func chunk() throws -> String { String(decoding: try receiveChunk(), as: UTF8.self) }
}

private enum DeliveryCount {
    /// More than a slice.
    static let streams = 600
}

private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

extension WaitTicket {
    fileprivate func send(_ text: String) { lot.send(Array(text.utf8), to: [number]) }
    fileprivate func finish() { lot.finish([number]) }
}

struct FeedTests {
    @Test func `an open response sends each piece at once, and its connection continues`() async throws {
        let stream = Stream()
        try await TestServer.run({ head in
            head.path == "/" ? stream.disposition : .respond(Response(.ok, body: .bytes(Array("next".utf8))))
        }) { server in
            let client = try server.connect()
            try client.send(get)
            let ticket = try #require(stream.began.wait())
            #expect(try client.receiveHead().fields["transfer-encoding"] == "chunked")
            #expect(try client.chunk() == "first\n")
            ticket.send("second\n")
            #expect(try client.chunk() == "second\n")
            try client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
            ticket.send("third\n")
            #expect(try client.chunk() == "third\n")
            ticket.finish()
            #expect(try client.chunk() == "")
            #expect(try client.receive().text == "next")
            // Nothing follows the end.
            ticket.send("late\n")
            #expect(try client.get("/next").text == "next")
        }
    }

    @Test func `a stream made by a task is open as well`() async throws {
        let stream = Stream()
        try await TestServer.run({ _ in
            .handle(bodyLimit: 0) { _ in Response(.ok, body: .feed(stream)) }
        }) { server in
            let client = try server.connect()
            try client.send(get)
            let ticket = try #require(stream.began.wait())
            _ = try client.receiveHead()
            #expect(try client.chunk() == "first\n")
            ticket.send("second\n")
            #expect(try client.chunk() == "second\n")
        }
    }

    @Test func `a silent stream gets heartbeats`() async throws {
        let stream = Stream(interval: .milliseconds(30))
        try await TestServer.run({ _ in stream.disposition }) { server in
            let client = try server.connect()
            try client.send(get)
            _ = try client.receiveHead()
            #expect(try client.chunk() == "first\n")
            #expect(try client.chunk() == "beat\n")
            #expect(try client.chunk() == "beat\n")
        }
    }

    @Test func `a stream ends when its peer leaves`() async throws {
        let stream = Stream()
        try await TestServer.run({ _ in stream.disposition }) { server in
            var client: RawClient? = try server.connect()
            try client?.send(get)
            _ = stream.began.wait()
            client = nil
            #expect(stream.ended.wait() != nil)
        }
    }

    @Test func `a drain ends streams completely`() async throws {
        let stream = Stream()
        try await TestServer.run({ _ in stream.disposition }) { server in
            let client = try server.connect()
            try client.send(get)
            _ = stream.began.wait()
            _ = try client.receiveHead()
            #expect(try client.chunk() == "first\n")
            server.server.drain()
            #expect(try client.chunk() == "")
            #expect(client.isEnded())
            #expect(stream.ended.wait() != nil)
        }
    }

    @Test func `a peer of HTTP 1,0 gets the pieces as they are, and the end with the connection's`() async throws {
        let stream = Stream()
        try await TestServer.run({ _ in stream.disposition }) { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.0\r\n\r\n")
            let ticket = try #require(stream.began.wait())
            #expect(try client.receiveHead().fields["transfer-encoding"] == nil)
            ticket.send("second\n")
            ticket.finish()
            #expect(String(decoding: try client.takeAll(), as: UTF8.self) == "first\nsecond\n")
        }
    }

    @Test func `a HEAD request opens nothing`() async throws {
        let stream = Stream()
        try await TestServer.run({ _ in stream.disposition }) { server in
            let client = try server.connect()
            try client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.receiveHead().status == 200)
            try client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.receiveHead().status == 200)
        }
    }

    @Test func `a stream is notified when the socket has taken all pieces`() async throws {
        let stream = Stream()
        try await TestServer.run({ _ in stream.disposition }) { server in
            let client = try server.connect(receiveBuffer: 4096)
            try client.send(get)
            let ticket = try #require(stream.began.wait())
            _ = try client.receiveHead()
            #expect(try client.chunk() == "first\n")
            ticket.send("second\n")
            #expect(try client.chunk() == "second\n")
            // Larger than the sockets' buffers, so that the socket takes it as the client reads.
            let large = String(repeating: "x", count: 16 << 20)
            ticket.send(large)
            #expect(try client.chunk() == large)
            for piece in ["third\n", "last\n"] {
                ticket.send(piece)
                #expect(try client.chunk() == piece)
            }
            // The note of the last piece may follow.
            #expect(stream.sent >= 4)
        }
    }

    @Test func `an event for more streams than a slice reaches all of them, in order`() async throws {
        let streams = (0..<DeliveryCount.streams).map { _ in Stream() }
        let next = Atomic(0)
        try await TestServer.run(loops: 1, { _ in streams[next.add(1, ordering: .relaxed).oldValue].disposition }) {
            server in
            var clients: [RawClient] = []
            for _ in streams {
                let client = try server.connect()
                try client.send(get)
                clients.append(client)
            }
            let tickets = streams.compactMap { $0.began.wait() }
            let lot = try #require(tickets.first?.lot)
            lot.send(Array("second\n".utf8), to: tickets.map(\.number))
            lot.send(Array("third\n".utf8), to: tickets.map(\.number).reversed())
            lot.finish(tickets.map(\.number))
            for client in clients {
                _ = try client.receiveHead()
                #expect(try client.chunk() == "first\n")
                #expect(try client.chunk() == "second\n")
                #expect(try client.chunk() == "third\n")
                #expect(try client.chunk() == "")
            }
        }
    }

    @Test func `a peer that takes nothing is disconnected once more than the limit is pending`() async throws {
        let stream = Stream()
        try await TestServer.run({ _ in stream.disposition }) { server in
            let client = try server.connect(receiveBuffer: 4096)
            try client.send(get)
            let ticket = try #require(stream.began.wait())
            // Fills the sockets' buffers, whose size the kernel chooses, and then the limit.
            let piece = String(repeating: "x", count: FeedLimits.pendingBytes / 2)
            for _ in 0..<400 { ticket.send(piece) }
            #expect(stream.ended.wait() != nil)
        }
    }
}

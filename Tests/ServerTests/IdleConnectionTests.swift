import HTTP
import Server
import TestKit
import Testing

private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

/// A long poll that ends only at its deadline.
private final class Poll: Waiting {
    func begin(_ ticket: WaitTicket) -> Response? { nil }
    func expire() -> Response { Response(.noContent) }
    func didEnd() {}
}

@Suite(.scratchDirectory, .timeLimit(.minutes(2)))
struct IdleConnectionTests {
    /// Runs a server whose `/wait` parks, whose `/task` runs until the door opens, and whose other paths respond at
    /// once.
    private func run(
        loops: Int = 1, most: Int, grace: Duration = .zero, door: Door = Door(),
        while body: (TestServer) async throws -> Void
    ) async throws {
        var deadlines = Deadlines()
        deadlines.idleGrace = grace
        try await TestServer.run(
            loops: loops, deadlines: deadlines, maxConnections: most,
            { head in
                switch head.path {
                case "/wait": .wait(Poll(), upTo: .seconds(60))
                case "/task":
                    .handle(bodyLimit: 0) { _ in
                        await door.pass()
                        return Response(.ok, body: .bytes(Array("task".utf8)))
                    }
                default: .prepared(PreparedResponse(.ok, fields: [:], body: Array("hello".utf8)))
                }
            }, while: body)
    }

    private func send(_ path: String, on client: RawClient) throws {
        try client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
    }

    @Test func `at the limit of connections, the one that has been idle longest is closed`() async throws {
        try await run(most: 3) { server in
            let clients = try (0..<3).map { _ in try server.connect() }
            for client in clients { #expect(try client.get("/").status == 200) }
            // From here on the first connection has been idle for less time than the second.
            #expect(try clients[0].get("/").status == 200)
            let fourth = try server.connect()
            #expect(try fourth.get("/").text == "hello")
            #expect(clients[1].isEnded())
            for client in [clients[0], clients[2], fourth] { #expect(try client.get("/").status == 200) }
            let traffic = await server.server.traffic()
            #expect(traffic.evicted == 1 && traffic.connections == 3)
            #expect(server.incidents.all == ["all 3 connections are in use"])
        }
    }

    @Test func `connections with a request in progress are not closed, and others wait until one ends`() async throws {
        let door = Door()
        try await run(most: 2, door: door) { server in
            let busy = try (0..<2).map { _ in try server.connect() }
            for client in busy { try send("/task", on: client) }
            let third = try server.connect()
            try third.send(get)
            while server.incidents.all.isEmpty { await Task.yield() }
            #expect(!third.hasInput(within: 300))
            door.open()
            for client in busy { #expect(try client.receive().text == "task") }
            #expect(try third.receive().text == "hello")
        }
    }

    @Test(arguments: ["", "GET / HT"]) func `a connection without a whole request may be closed for another`(
        sent: String
    ) async throws {
        try await run(most: 1) { server in
            let silent = try server.connect()
            try silent.send(sent)
            while await server.server.traffic().connections == 0 {}
            #expect(try server.connect().get("/").text == "hello")
            #expect(silent.isEnded())
        }
    }

    @Test func `a long poll is closed only if no other connection is idle, and gets a response first`() async throws {
        try await run(most: 2) { server in
            let poll = try server.connect()
            try send("/wait", on: poll)
            while await server.server.traffic().waiting == 0 {}
            let idle = try server.connect()
            #expect(try idle.get("/").status == 200)
            // The poll has waited longer, and stays.
            let second = try server.connect()
            try send("/wait", on: second)
            #expect(idle.isEnded())
            while await server.server.traffic().waiting < 2 {}
            let third = try server.connect()
            #expect(try third.get("/").text == "hello")
            let response = try poll.receive(withoutBody: true)
            #expect(response.status == 204 && response.fields["connection"] == "close")
            #expect(poll.isEnded())
            #expect(!second.hasInput(within: 0))
        }
    }

    @Test func `a connection that may send a request soon stays while a long poll can be closed`() async throws {
        try await run(most: 2, grace: .seconds(600)) { server in
            let poll = try server.connect()
            try send("/wait", on: poll)
            while await server.server.traffic().waiting == 0 {}
            let new = try server.connect()
            while await server.server.traffic().connections < 2 {}
            let second = try server.connect()
            #expect(try second.get("/").text == "hello")
            #expect(try poll.receive(withoutBody: true).status == 204)
            #expect(try new.get("/").text == "hello")
            // Without a poll to evict, the connection with the oldest request is closed.
            #expect(try server.connect().get("/").text == "hello")
            #expect(second.isEnded())
            #expect(try new.get("/").text == "hello")
        }
    }

    @Test func `an idle connection of any loop may be closed for another`() async throws {
        let door = Door()
        try await run(loops: 2, most: 2, door: door) { server in
            // Connections are dealt out round robin: of four, each loop gets two.
            let busy = try server.connect()
            try send("/task", on: busy)
            var idle = try server.connect()
            for _ in 0..<4 {
                #expect(try idle.get("/").status == 200)
                let next = try server.connect()
                #expect(try next.get("/").text == "hello")
                #expect(idle.isEnded())
                idle = next
            }
            door.open()
            #expect(try busy.receive().text == "task")
        }
    }

    @Test func `any number of idle connections may be closed for others`() async throws {
        let count = 3 * 64
        try await run(loops: 2, most: 100) { server in
            var clients: [RawClient] = []
            for _ in 0..<count {
                clients.append(try server.connect())
                #expect(try clients.last?.get("/").status == 200)
            }
            #expect(await server.server.traffic().evicted == UInt64(count - 100))
            for client in clients.prefix(count - 100) { #expect(client.isEnded()) }
            for client in clients.suffix(100) { #expect(try client.get("/").status == 200) }
        }
    }

    @Test func `a connection may be closed for another before and after its TLS handshake`() async throws {
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await run(most: 1) { server in
                let silent = try RawClient(port: server.port)
                while await server.server.traffic().connections == 0 {}
                let first = try server.connect()
                #expect(silent.isEnded())
                #expect(try first.get("/").text == "hello")
                #expect(try server.connect().get("/").text == "hello")
                #expect(first.isEnded())
            }
        }
    }
}

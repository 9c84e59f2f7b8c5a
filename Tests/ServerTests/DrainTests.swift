import Glibc
import HTTP
import Server
import TestKit
import Testing

struct DrainTests {
    @Test func `a drain ends idle connections and lets a request finish`() async throws {
        let began = Latch<Void>()
        let go = Latch<Void>()
        // On one loop, which has begun the drain of both connections when it ends the idle one.
        try await TestServer.run(
            loops: 1,
            { head in
                guard head.path == "/slow" else { return .respond(Response(.ok)) }
                return .handle(bodyLimit: 0) { _ in
                    began.set(())
                    await withTaskExecutorPreference(ClientThread()) { _ = go.wait() }
                    return Response(.ok, body: .bytes(Array("done".utf8)))
                }
            }
        ) { server in
            let idle = try server.connect()
            #expect(try idle.get("/").status == 200)
            let busy = try server.connect()
            try busy.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = began.wait()
            server.server.drain()
            #expect(idle.isEnded())
            go.set(())
            let response = try busy.receive()
            #expect(response.text == "done")
            #expect(response.fields["connection"] == "close")
            #expect(busy.isEnded())
            #expect(throws: RawClient.Failure.self) { try server.connect().get("/") }
        }
    }

    @Test func `an unread request from before a drain gets its response`() async throws {
        let began = Latch<Void>()
        let go = Latch<Void>()
        try await TestServer.run(
            loops: 1,
            { head in
                if head.path == "/block" {
                    began.set(())
                    _ = go.wait()
                }
                return .respond(Response(.ok))
            }
        ) { server in
            let idle = try server.connect()
            #expect(try idle.get("/").status == 200)
            let blocking = try server.connect()
            try blocking.send("GET /block HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = began.wait()
            // The loop is blocked: it sees the drain first, and then the request.
            server.server.drain()
            try idle.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            go.set(())
            let response = try idle.receive()
            #expect(response.status == 200)
            #expect(response.fields["connection"] == "close")
            #expect(idle.isEnded())
        }
    }

    @Test func `a drain cuts off requests that do not end in time`() async throws {
        var deadlines = Deadlines()
        deadlines.drain = .milliseconds(100)
        let wasCancelled = Latch<Bool>()
        let began = Latch<Void>()
        try await TestServer.run(
            deadlines: deadlines,
            { _ in
                .handle(bodyLimit: 0) { _ in
                    began.set(())
                    try? await Task.sleep(for: .seconds(60))
                    wasCancelled.set(Task.isCancelled)
                    return Response(.ok)
                }
            }
        ) { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = began.wait()
            server.server.drain()
            #expect(client.isEnded())
            #expect(wasCancelled.wait() == true)
            #expect(server.incidents.all == ["1 connections were cut off by the end of the drain"])
        }
    }

    @Test func `the first request of a new connection gets its response during a drain`() async throws {
        let blocked = Latch<Void>()
        let go = Latch<Void>()
        try await TestServer.run(
            loops: 1,
            { head in
                if head.path == "/block" {
                    blocked.set(())
                    _ = go.wait()
                }
                return .respond(Response(.ok))
            }
        ) { server in
            let slow = try server.connect()
            let fresh = try server.connect()
            let held = try server.connect()
            // The response shows that the other connections are accepted as well.
            #expect(try held.get("/").status == 200)
            try held.send("GET /block HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = blocked.wait()
            server.server.drain()
            go.set(())
            #expect(try held.receive().status == 200)
            #expect(held.isEnded())
            // The drain has begun, and these two connections have not sent anything.
            let response = try fresh.get("/")
            #expect(response.status == 200)
            #expect(response.fields["connection"] == "close")
            #expect(fresh.isEnded())
            #expect(try slow.get("/").status == 200)
        }
    }

    @Test func `a connection that never sends a request does not delay a drain`() async throws {
        var deadlines = Deadlines()
        deadlines.drain = .seconds(60)
        deadlines.drainGreeting = .milliseconds(50)
        try await TestServer.run(deadlines: deadlines, { _ in .respond(Response(.ok)) }) { server in
            let silent = try server.connect()
            #expect(try server.connect().get("/").status == 200)
            server.server.drain()
            #expect(silent.isEnded())
        }
    }

    @Test func `a connection that the system has accepted before a drain is served`() async throws {
        let blocked = Latch<Void>()
        let go = Latch<Void>()
        try await TestServer.run(
            loops: 2,
            { head in
                if head.path == "/block" {
                    blocked.set(())
                    _ = go.wait()
                }
                return .handle(bodyLimit: 0) { _ in Response(.ok) }
            }
        ) { server in
            // The first connection goes to the loop that accepts.
            let blocking = try server.connect()
            try blocking.send("GET /block HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = blocked.wait()
            // More than are accepted in one iteration, half of them for the other loop.
            let clients = try (0..<100).map { _ in try server.connect() }
            server.server.drain()
            go.set(())
            for client in clients { #expect(try client.get("/").status == 200) }
        }
    }

    @Test func `a drain that is cut off ends requests in progress at once`() async throws {
        var deadlines = Deadlines()
        deadlines.drain = .seconds(600)
        let began = Latch<Void>()
        let wasCancelled = Latch<Bool>()
        try await TestServer.run(
            deadlines: deadlines,
            { _ in
                .handle(bodyLimit: 0) { _ in
                    began.set(())
                    try? await Task.sleep(for: .seconds(600))
                    wasCancelled.set(Task.isCancelled)
                    return Response(.ok)
                }
            }
        ) { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = began.wait()
            server.server.drain()
            server.server.cutOff()
            #expect(client.isEnded())
            #expect(wasCancelled.wait() == true)
            #expect(server.incidents.all == ["1 connections were cut off by the end of the drain"])
        }
    }

    @Test func `a peer that has its response and does not close does not delay a drain`() async throws {
        var deadlines = Deadlines()
        deadlines.linger = .seconds(60)
        deadlines.drain = .seconds(60)
        deadlines.drainLinger = .milliseconds(50)
        let server = HTTPServer(
            endpoints: [Endpoint(try ListenAddress(parsing: "127.0.0.1:0"))], deadlines: deadlines, report: { _ in })
        let client = try RawClient(port: try server.bind()[0].address?.port ?? 0)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: ClientThread()) {
                try await server.run(FunctionApplication { _ in .respond(Response(.ok)) })
            }
            let status = try await withTaskExecutorPreference(ClientThread()) { () throws in
                try client.get("/", "Connection: close\r\n").status
            }
            #expect(status == 200)
            server.drain()
            try await group.waitForAll()
        }
        #expect(ContinuousClock.now - start < .seconds(30))
        withExtendedLifetime(client) {}
    }

    @Test func `cancelling the task that runs it drains a server`() async throws {
        let server = HTTPServer(endpoints: [Endpoint(try ListenAddress(parsing: "127.77.0.1:0"))], report: { _ in })
        let bound = try server.bind()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: ClientThread()) {
                try await server.run(FunctionApplication { _ in .respond(Response(.ok)) })
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        try expectFree(bound)
    }

    @Test func `a server that was drained before it runs ends at once`() async throws {
        let server = HTTPServer(endpoints: [Endpoint(try ListenAddress(parsing: "127.77.0.2:0"))], report: { _ in })
        let bound = try server.bind()
        server.drain()
        try await server.run(FunctionApplication { _ in .respond(Response(.ok)) })
        try expectFree(bound)
    }

    /// Checks that the addresses are free again; they belong to this test alone, so that no other process takes the
    /// port.
    private func expectFree(_ bound: [Endpoint], _ location: SourceLocation = #_sourceLocation) throws {
        let next = HTTPServer(endpoints: bound, report: { _ in })
        #expect(throws: Never.self, sourceLocation: location) { try next.bind() }
    }
}

struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:0", "[::1]:0"), (":8080", ":8080"),
        ("localhost:1", "127.0.0.1:1"), ("0.0.0.0:65535", "0.0.0.0:65535"),
    ])
    func `an address is read`(text: String, expected: String) throws {
        #expect(try ListenAddress(parsing: text).description == expected)
    }

    @Test(arguments: [
        "", "8080", "127.0.0.1", "::1:80", "[::1]", "host:80", "1.2.3:80", "127.0.0.1:65536", "[127.0.0.1]:80",
        "[::1:80", ":",
    ])
    func `any other text is not an address`(text: String) {
        #expect(throws: ServerError.address(text)) { try ListenAddress(parsing: text) }
    }

    @Test func `a port in use is reported as such`() throws {
        let first = HTTPServer(endpoints: [Endpoint(try ListenAddress(parsing: "127.0.0.1:0"))], report: { _ in })
        let bound = try first.bind()
        let second = HTTPServer(endpoints: bound, report: { _ in })
        #expect(throws: ServerError.system(call: "bind", subject: "\(bound[0].location)", code: EADDRINUSE)) {
            try second.bind()
        }
    }

    @Test func `every address means both families`() async throws {
        let server = HTTPServer(endpoints: [Endpoint(try ListenAddress(parsing: ":0"))], report: { _ in })
        let port = try server.bind()[0].address?.port ?? 0
        #expect(throws: Never.self) { try RawClient(port: port) }
    }
}

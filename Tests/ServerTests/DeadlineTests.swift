import HTTP
import Server
import TestKit
import Testing

private func deadlines(_ change: (inout Deadlines) -> Void) -> Deadlines {
    var deadlines = Deadlines()
    change(&deadlines)
    return deadlines
}

private func hello(_ head: RequestHead) -> Disposition {
    .prepared(PreparedResponse(.ok, fields: [:], body: Array("hello".utf8)))
}

/// Reads the body and responds with the error.
private func read(upTo limit: Int) -> Disposition {
    .handle(bodyLimit: limit) { request in
        do throws(BodyError) {
            while try await request.body.next() != nil {}
        } catch {
            return Response(.requestTimeout, body: .bytes(Array("\(error)".utf8)))
        }
        return Response(.ok)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct DeadlineTests {
    @Test func `a head that does not end gets 408`() async throws {
        let short = deadlines { $0.head = .milliseconds(50) }
        try await TestServer.run(deadlines: short, hello) { server in
            let client = try server.connect()
            #expect(try client.get("/").status == 200)
            try client.send("GET / HT")
            let response = try client.receive()
            #expect(response.status == 408)
            #expect(response.fields["connection"] == "close")
            #expect(client.isEnded())
        }
    }

    @Test func `further bytes do not put off the end of a head`() async throws {
        let short = deadlines { $0.head = .milliseconds(200) }
        try await TestServer.run(deadlines: short, hello) { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\nA: ")
            // One long line: on a busy machine many pieces may pass before the deadline is checked.
            while !client.hasInput(within: 20) { try client.send("b") }
            #expect(try client.receive().status == 408)
        }
    }

    @Test func `an idle connection is closed without a response`() async throws {
        let short = deadlines { $0.keepAlive = .milliseconds(50) }
        try await TestServer.run(deadlines: short, hello) { server in
            let silent = try server.connect()
            #expect(silent.isEnded())
            let client = try server.connect()
            #expect(try client.get("/").status == 200)
            #expect(client.isEnded())
        }
    }

    @Test func `a body that stops coming times out for its handler`() async throws {
        let short = deadlines { $0.bodyIdle = .milliseconds(50) }
        try await TestServer.run(deadlines: short, { _ in read(upTo: 100) }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
            let response = try client.receive()
            #expect(response.text == "timedOut")
            #expect(response.fields["connection"] == "close")
        }
    }

    @Test func `a long body that dribbles slower than the least rate times out`() async throws {
        let short = deadlines {
            $0.bodyIdle = .milliseconds(100)
            $0.leastRate = 10_000
        }
        try await TestServer.run(deadlines: short, { _ in read(upTo: 4 << 20) }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n")
            while !client.hasInput(within: 5) { try client.send("x") }
            #expect(try client.receive().text == "timedOut")
        }
    }

    @Test func `a long body may pause for less than the deadline as often as it likes, if it is fast between`()
        async throws
    {
        let short = deadlines {
            $0.bodyIdle = .seconds(1)
            $0.leastRate = 10_000
        }
        try await TestServer.run(deadlines: short, { _ in read(upTo: 4 << 20) }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n")
            for _ in 0..<40 {
                _ = client.hasInput(within: 30)
                try client.send([UInt8](repeating: 7, count: 5_000))
            }
            #expect(try client.receive().status == 200)
        }
    }

    @Test func `an unread body that dribbles ends the connection`() async throws {
        let short = deadlines { $0.bodyIdle = .milliseconds(100) }
        try await TestServer.run(deadlines: short, hello) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\nabc")
            #expect(try client.receive().text == "hello")
            var sent = 0
            while sent < 5_000, !client.hasEnded(within: 5) {
                try client.send("x")
                sent += 1
            }
            #expect(sent < 5_000)
        }
    }

    @Test func `a reader below the least rate is cut off, although it takes some bytes`() async throws {
        let short = deadlines {
            $0.stalledWrite = .milliseconds(150)
            $0.leastRate = 200_000_000
        }
        let file = PatternFile(zeroes: 64 << 20)
        try await TestServer.run(
            deadlines: short, { _ in .respond(Response(.ok, body: .file(file.region(64 << 20)))) }
        ) { server in
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client.receiveHead()
            var taken = 0
            while !client.hasEnded(within: 5), taken < 64 << 20 { taken += try client.take(4_000).count }
            #expect(taken < 64 << 20)
        }
    }

    @Test func `further bytes do not put off the end of a small body`() async throws {
        let short = deadlines { $0.body = .milliseconds(200) }
        try await TestServer.run(deadlines: short, { _ in read(upTo: Deadlines.smallBodyBytes) }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(Deadlines.smallBodyBytes)\r\n\r\n")
            var pieces = 0
            while !client.hasInput(within: 20), pieces < 500 {
                try client.send("b")
                pieces += 1
            }
            let response = try client.receive()
            #expect(response.text == "timedOut")
            #expect(response.fields["connection"] == "close")
        }
    }

    @Test func `a body that may be large has no deadline while it keeps coming`() async throws {
        let short = deadlines { $0.body = .milliseconds(50) }
        try await TestServer.run(deadlines: short, { _ in read(upTo: Deadlines.smallBodyBytes + 1) }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
            #expect(!client.hasInput(within: 300))
            try client.send("defghij")
            #expect(try client.receive().status == 200)
        }
    }

    @Test func `the time of a small body is over with the body`() async throws {
        let short = deadlines { $0.body = .milliseconds(50) }
        let go = Latch<Void>()
        try await TestServer.run(
            deadlines: short,
            { _ in
                .handle(bodyLimit: 3) { request in
                    // Reads its bytes, but not its end.
                    _ = try? await request.body.next()
                    await withTaskExecutorPreference(ClientThread()) { _ = go.wait() }
                    return Response(.ok)
                }
            }
        ) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
            #expect(!client.hasInput(within: 300))
            go.set(())
            let response = try client.receive()
            #expect(response.status == 200)
            #expect(response.fields["connection"] == nil)
        }
    }

    @Test func `an unread body that stops arriving ends the connection`() async throws {
        let short = deadlines { $0.bodyIdle = .milliseconds(50) }
        try await TestServer.run(deadlines: short, hello) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
            #expect(try client.receive().text == "hello")
            #expect(client.isEnded())
        }
    }

    @Test func `a reader that stops reading is cut off`() async throws {
        let short = deadlines { $0.stalledWrite = .milliseconds(50) }
        let outcome = Latch<String>()
        try await TestServer.run(
            deadlines: short,
            { _ in
                .respond(
                    Response(
                        .ok,
                        body: .stream(length: nil) { writer in
                            do {
                                while true { try await writer.write([UInt8](repeating: 7, count: 100_000)) }
                            } catch {
                                outcome.set("\(error)")
                                throw error
                            }
                        }))
            }
        ) { server in
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(outcome.wait() == "timedOut")
        }
    }

    @Test func `a peer that does not close after the last response is closed`() async throws {
        let short = deadlines { $0.linger = .milliseconds(50) }
        try await TestServer.run(deadlines: short, maxConnections: 1, hello) { server in
            let lingering = try server.connect()
            #expect(try lingering.get("/", "Connection: close\r\n").status == 200)
            let next = try server.connect()
            #expect(try next.get("/").status == 200)
        }
    }
}

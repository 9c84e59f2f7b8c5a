import Glibc
import HTTP
import Server
import Synchronization
import TestKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SendingTests {
    @Test func `a large file arrives intact, also to several slow readers`() async throws {
        let size = 8 << 20
        let file = PatternFile(size: size)
        try await TestServer.run({ _ in .respond(Response(.ok, body: .file(file.region(size)))) }) { server in
            let clients = try (0..<3).map { _ in try server.connect(receiveBuffer: 8 << 10) }
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
            let expected = PatternFile.bytes(0..<size)
            // Outside of the macro, which would search for the smallest difference of megabytes.
            for client in clients {
                let isWhole = try client.receive().body == expected
                #expect(isWhole)
            }
            let isWholeAgain = try clients[0].get("/").body == expected
            #expect(isWholeAgain)
        }
    }

    @Test func `ranges of a file are served on one connection`() async throws {
        let file = PatternFile(size: 100_000)
        try await TestServer.run({ head in
            .respond(.file(file.region(100_000), etag: "\"f\"", fields: [.contentType: "a/b"], for: head))
        }) { server in
            let client = try server.connect()
            let part = try client.get("/", "Range: bytes=70000-\r\nIf-Range: \"f\"\r\n")
            #expect(part.status == 206)
            #expect(part.body == PatternFile.bytes(70_000..<100_000))
            #expect(part.fields["content-range"] == "bytes 70000-99999/100000")
            #expect(try client.get("/", "Range: bytes=70000-\r\nIf-Range: \"g\"\r\n").body.count == 100_000)
            #expect(try client.get("/", "Range: bytes=100000-\r\n").status == 416)
            #expect(try client.get("/", "If-None-Match: \"f\"\r\n").status == 304)
            #expect(try client.get("/", "Range: bytes=0-0\r\n").body == PatternFile.bytes(0..<1))
        }
    }

    @Test func `several ranges of a file are one body of parts, also over pipelined requests and to a slow reader`()
        async throws
    {
        let size = 4 << 20
        let file = PatternFile(size: size)
        try await TestServer.run({ head in
            .respond(.file(file.region(size), etag: "\"f\"", fields: [.contentType: "a/b"], for: head))
        }) { server in
            let ranges = [1_000_000..<3_000_000, 0..<1, 3_500_000..<4_000_000, 10_000..<10_100]
            let set = ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
            let request = "GET / HTTP/1.1\r\nHost: h\r\nRange: bytes=\(set)\r\n\r\n"
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send(request + request + "GET / HTTP/1.1\r\nHost: h\r\nRange: bytes=7-8\r\n\r\n")
            for _ in 0..<2 {
                let response = try client.receive()
                #expect(response.status == 206)
                let type = try #require(response.fields["content-type"])
                let boundary = try #require(type.split(separator: "multipart/byteranges; boundary=").first)
                var expected: [UInt8] = []
                for range in ranges {
                    let contentRange = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
                    expected += "\(expected.isEmpty ? "" : "\r\n")--\(boundary)\r\nContent-Type: a/b\r\n".utf8
                    expected += "\(contentRange)\r\n\r\n".utf8
                    expected += PatternFile.bytes(range)
                }
                expected += "\r\n--\(boundary)--\r\n".utf8
                let isWhole = response.body == expected
                #expect(isWhole)
            }
            #expect(try client.receive().body == PatternFile.bytes(7..<9))
        }
    }

    @Test func `a body of pieces has its length, and HEAD has that alone`() async throws {
        let file = PatternFile(size: 100_000)
        try await TestServer.run({ _ in
            let pieces: [BodyPiece] = [
                .bytes([1, 2]), .file(file.region(0)), .bytes([]), .file(file.region(100_000)),
                .bytes([UInt8](repeating: 9, count: 50_000)), .file(file.region(3)),
            ]
            return .respond(Response(.ok, body: .pieces(pieces)))
        }) { server in
            let client = try server.connect()
            try client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.receive(withoutBody: true).fields["content-length"] == "150005")
            let expected =
                [1, 2] + PatternFile.bytes(0..<100_000) + [UInt8](repeating: 9, count: 50_000)
                + PatternFile.bytes(0..<3)
            for _ in 0..<2 {
                let isWhole = try client.get("/").body == expected
                #expect(isWhole)
            }
        }
    }

    @Test func `a file that is shorter than promised breaks the connection and is reported`() async throws {
        let file = PatternFile(size: 1_000)
        try await TestServer.run({ _ in .respond(Response(.ok, body: .file(file.region(2_000)))) }) { server in
            let client = try server.connect()
            #expect(throws: RawClient.Failure.self) { try client.get("/") }
            #expect(server.incidents.all == ["a file became shorter while it was sent"])
        }
    }

    @Test func `a streamed response is chunked, or has its length, or ends with the connection`() async throws {
        try await TestServer.run({ head in
            let length = head.path == "/length" ? 30_000 : nil
            let body = Response.Body.stream(length: length) { writer in
                for number in 0..<3 { try await writer.write([UInt8](repeating: UInt8(number), count: 10_000)) }
                try await writer.write([])
            }
            return head.query["task"] == nil
                ? .respond(Response(.ok, body: body)) : .handle(bodyLimit: 0) { _ in Response(.ok, body: body) }
        }) { server in
            let client = try server.connect()
            for path in ["/", "/length", "/?task", "/length?task"] {
                let response = try client.get(path)
                #expect(response.body.count == 30_000)
                #expect(response.body.last == 2)
                #expect((response.fields["content-length"] == "30000") == path.hasPrefix("/length"))
            }
            try client.send("HEAD /length HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.0\r\n\r\n")
            #expect(try client.receive(withoutBody: true).fields["content-length"] == "30000")
            let old = try client.receive()
            #expect(old.fields["transfer-encoding"] == nil)
            #expect(old.body.count == 30_000)
        }
    }

    @Test func `a streamed response does not run ahead of its reader`() async throws {
        let written = Mutex(0)
        let total = 400
        try await TestServer.run({ _ in
            .respond(
                Response(
                    .ok,
                    body: .stream(length: nil) { writer in
                        for _ in 0..<total {
                            try await writer.write([UInt8](repeating: 7, count: 100_000))
                            written.withLock { $0 += 1 }
                        }
                    }))
        }) { server in
            let client = try server.connect(receiveBuffer: 16 << 10)
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client.receiveHead()
            // The kernel's own buffers hold some megabytes; the rest must not have been produced.
            usleep(300_000)
            #expect(written.withLock { $0 } < total / 2)
            var count = 0
            while count < total * 100_000 { count += try client.take(50_000).count }
            try client.send("")
            #expect(written.withLock { $0 } >= total - 100)
        }
    }

    @Test(arguments: ["throws", "short", "long"])
    func `a stream that fails breaks the connection and is reported`(kind: String) async throws {
        struct Failure: Error {}
        try await TestServer.run({ _ in
            .respond(
                Response(
                    .ok,
                    body: .stream(length: kind == "throws" ? nil : 10) { writer in
                        try await writer.write([UInt8](repeating: 7, count: kind == "long" ? 11 : 9))
                        if kind == "throws" { throw Failure() }
                    }))
        }) { server in
            let client = try server.connect()
            #expect(throws: RawClient.Failure.self) { try client.get("/") }
            #expect(server.incidents.all.count == 1)
            #expect(server.incidents.all.first?.hasPrefix("a streamed response failed") == true)
        }
    }

    @Test func `a producer is notified that its reader has left`() async throws {
        let outcome = Latch<String>()
        try await TestServer.run({ _ in
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
        }) { server in
            var client: RawClient? = try server.connect()
            try client?.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client?.receiveHead()
            client = nil
            #expect(outcome.wait() == "disconnected")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a streamed response does not start for a peer that has left before its head is written`() async throws {
        let began = Latch<Void>()
        let go = Latch<Void>()
        let isBegun = Mutex(false)
        // Nine responses leave 40 bytes of the output buffer, and the head of the tenth needs more.
        let sizes = [Int](repeating: 14_500, count: 8) + [(128 << 10) - 40 - 8 * 14_500]
        try await TestServer.run(
            loops: 1,
            { head in
                if head.path == "/stream" {
                    return .respond(
                        Response(.ok, body: .stream(length: nil) { _ in isBegun.withLock { $0 = true } }))
                }
                if head.path == "/0" {
                    began.set(())
                    _ = go.wait()
                }
                return .prepared(filler(sizes[Int(head.path.dropFirst()) ?? 0]))
            }
        ) { server in
            var client: RawClient? = try server.connect()
            let paths = sizes.indices.map { "/\($0)" } + ["/stream"]
            try client?.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            _ = began.wait()
            let port = try #require(client?.localPort)
            client?.breakOff()
            client = nil
            try RawClient.waitForReset(from: port)
            go.set(())
            #expect(try server.connect().get("/1").status == 200)
        }
        #expect(isBegun.withLock { !$0 })
    }
}

/// Returns a response of this many bytes on the wire, with up to 16 KiB of body.
private func filler(_ size: Int) -> PreparedResponse {
    let ending = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n".utf8.count
    // As many digits as the length will have.
    let head = PreparedResponse(.ok, fields: [:], body: [UInt8](repeating: 0, count: 10_000)).head.count
    return PreparedResponse(.ok, fields: [:], body: [UInt8](repeating: 0, count: size - ending - head))
}

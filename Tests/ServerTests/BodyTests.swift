import HTTP
import Server
import TestKit
import Testing

/// Reads the whole body and responds with its size and sum, or with the error.
private func measure(_ request: Request) async -> Response {
    var count = 0
    var sum: UInt64 = 0
    do throws(BodyError) {
        while let piece = try await request.body.next() {
            count += piece.count
            for byte in piece { sum &+= UInt64(byte) }
        }
    } catch {
        let status: Status =
            switch error {
            case .tooLarge: .contentTooLarge
            case .timedOut: .requestTimeout
            default: .badRequest
            }
        return Response(status, body: .bytes(Array("\(error)".utf8)))
    }
    return Response(.ok, body: .bytes(Array("\(count) \(sum)".utf8)))
}

private func decide(_ head: RequestHead) -> Disposition {
    switch head.path {
    case "/measure": .handle(bodyLimit: 1_000_000, measure)
    case "/unread": .handle(bodyLimit: 1_000_000) { _ in Response(.unauthorized, body: .bytes(Array("no".utf8))) }
    case "/refuse": .respond(Response(.unauthorized, body: .bytes(Array("no".utf8))))
    default: .prepared(PreparedResponse(.ok, fields: [:], body: Array("hello".utf8)))
    }
}

private func chunked(_ body: [UInt8], by size: Int) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: size) {
        let piece = body[start..<min(start + size, body.count)]
        text += Array("\(String(piece.count, radix: 16));x=y\r\n".utf8) + piece + Array("\r\n".utf8)
    }
    return text + Array("0\r\n\r\n".utf8)
}

struct BodyTests {
    @Test(arguments: [0, 1, 1_000, 999_999, 1_000_000])
    func `a body of declared length reaches the handler`(size: Int) async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            for _ in 0..<2 {
                try client.send("POST /measure HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
                try client.send([UInt8](repeating: 3, count: size))
                #expect(try client.receive().text == "\(size) \(size * 3)")
            }
        }
    }

    @Test(arguments: [1, 7, 5_000, 100_000]) func `a chunked body reaches the handler`(size: Int) async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            for _ in 0..<2 {
                try client.send("POST /measure HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
                try client.send(chunked([UInt8](repeating: 3, count: 50_000), by: size))
                #expect(try client.receive().text == "50000 150000")
            }
            #expect(try client.get("/").text == "hello")
        }
    }

    @Test func `requests behind a body are answered`() async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            let next = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
            let post = "POST /measure HTTP/1.1\r\nHost: h\r\n"
            try client.send("\(post)Content-Length: 3\r\n\r\n\u{1}\u{1}\u{1}\(next)")
            #expect(try client.receive().text == "3 3")
            #expect(try client.receive().text == "hello")
            try client.send("\(post)Transfer-Encoding: chunked\r\n\r\n1\r\n\u{1}\r\n0\r\n\r\n\(next)")
            #expect(try client.receive().text == "1 1")
            #expect(try client.receive().text == "hello")
        }
    }

    @Test func `the body limit holds at the edge and one past it`() async throws {
        try await TestServer.run(decide) { server in
            let declared = try server.connect()
            try declared.send("POST /measure HTTP/1.1\r\nHost: h\r\nContent-Length: 1000001\r\n\r\n")
            #expect(try declared.receive().status == 413)
            #expect(declared.isEnded())
            for (size, status) in [(1_000_000, 200), (1_000_001, 413)] {
                let client = try server.connect()
                try client.send("POST /measure HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
                try client.send(chunked([UInt8](repeating: 0, count: size), by: 50_000))
                #expect(try client.receive().status == status)
            }
        }
    }

    @Test func `100 Continue is sent when the handler begins to read`() async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            let post = "HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
            try client.send("POST /measure \(post)")
            #expect(try client.receive().status == 100)
            try client.send([1, 1, 1])
            #expect(try client.receive().text == "3 3")
            try client.send("POST /unread \(post)")
            let refused = try client.receive()
            #expect(refused.status == 401)
            #expect(refused.fields["connection"] == "close")
            #expect(client.isEnded())
        }
    }

    @Test(arguments: ["/unread", "/refuse", "/"])
    func `a small unread body is discarded`(path: String) async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            for fields in ["Content-Length: 60000", "Transfer-Encoding: chunked"] {
                let body = [UInt8](repeating: 0x47, count: 60_000)
                try client.send("POST \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n")
                try client.send(fields.hasPrefix("C") ? body : chunked(body, by: 10_000))
                #expect(try client.receive().status == (path == "/" ? 200 : 401))
                #expect(try client.get("/").text == "hello")
            }
        }
    }

    @Test func `the limit of a discarded body holds at the edge and one past it`() async throws {
        try await TestServer.run(decide) { server in
            for (size, isKept) in [(64 << 10, true), ((64 << 10) + 1, false)] {
                let client = try server.connect()
                try client.send("POST /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
                #expect(try client.receive().fields["connection"] == (isKept ? nil : "close"))
            }
        }
    }

    @Test(arguments: ["/unread", "/refuse"], ["Content-Length: 30000000", "Transfer-Encoding: chunked"])
    func `a refusal reaches a client that sends a large body to its end first`(
        path: String, fields: String
    ) async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            try client.send("POST \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n")
            let body = [UInt8](repeating: 0x47, count: 30_000_000)
            try client.send(fields.hasPrefix("C") ? body : chunked(body, by: 1_000_000))
            let response = try client.receive()
            #expect(response.status == 401)
            #expect(response.text == "no")
            client.finishSending()
            #expect(client.isEnded())
        }
    }

    @Test func `a body that breaks off or is malformed ends with an error`() async throws {
        try await TestServer.run(decide) { server in
            let short = try server.connect()
            try short.send("POST /measure HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
            short.finishSending()
            #expect(try short.receive().text == "disconnected")
            let broken = try server.connect()
            try broken.send("POST /measure HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
            let response = try broken.receive()
            #expect(response.text == "malformed")
            #expect(response.fields["connection"] == "close")
        }
    }

    @Test func `no body is read before the handler asks`() async throws {
        let go = Latch<Void>()
        try await TestServer.run({ _ in
            .handle(bodyLimit: 100 << 20) { request in
                await withTaskExecutorPreference(ClientThread()) { _ = go.wait() }
                return await measure(request)
            }
        }) { server in
            let client = try server.connect()
            let size = 64 << 20
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
            let sent = client.sendWhatIsTaken(size)
            #expect(sent < size / 2)
            go.set(())
            try client.send([UInt8](repeating: 0, count: size - sent))
            #expect(try client.receive().text == "\(size) 0")
        }
    }
}

import HTTP
import Server
import TestKit
import Testing

private let hello = PreparedResponse(.ok, fields: [.etag: "\"h\""], body: Array("hello".utf8))

private func decide(_ head: RequestHead) -> Disposition {
    switch head.path {
    case "/task": .handle(bodyLimit: 0) { _ in Response(.ok, body: .bytes(Array("task".utf8))) }
    case "/large": .respond(Response(.ok, body: .bytes([UInt8](repeating: 0x61, count: 200_000))))
    case "/cached": .prepared(PreparedResource(CodedBody([]), etagName: "h", fields: [:]).respond(to: head))
    case "/none": .respond(Response(.noContent))
    default: .prepared(hello)
    }
}

struct ConnectionTests {
    @Test func `a connection serves one request after another`() async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            for path in ["/", "/task", "/large", "/none", "/"] {
                let response = try client.get(path)
                #expect(response.status == (path == "/none" ? 204 : 200))
                #expect(response.fields["date"]?.hasSuffix(" GMT") == true)
                #expect(response.fields["connection"] == nil)
            }
        }
    }

    @Test func `pipelined requests get their responses in order from every kind of handler`() async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            let paths = ["/", "/task", "/large", "/", "/none", "/task", "/"]
            let text = paths.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
            try client.send(text)
            let sizes = try paths.map { _ in try client.receive().body.count }
            #expect(sizes == [5, 4, 200_000, 5, 0, 4, 5])
        }
    }

    @Test func `a thousand pipelined requests get a thousand responses`() async throws {
        try await TestServer.run(loops: 1, decide) { server in
            let client = try server.connect()
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 1_000))
            for _ in 0..<1_000 { #expect(try client.receive().text == "hello") }
        }
    }

    @Test func `a request may come byte by byte`() async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            for byte in "GET /task HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8 {
                try client.send([byte])
            }
            #expect(try client.receive().text == "task")
            #expect(try client.receive().text == "hello")
        }
    }

    @Test(arguments: ["/", "/task", "/large"]) func `HEAD has the length and no body`(path: String) async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            try client.send("HEAD \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
            let head = try client.receive(withoutBody: true)
            let full = try client.get(path)
            #expect(head.fields["content-length"] == "\(full.body.count)")
        }
    }

    @Test func `304 and 204 have neither body nor length`() async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            let cached = try client.get("/cached", "If-None-Match: \"h\"\r\n")
            #expect(cached.status == 304)
            #expect(cached.fields["content-length"] == nil)
            #expect(try client.get("/none").fields["content-length"] == nil)
            #expect(try client.get("/").text == "hello")
        }
    }

    @Test(arguments: ["/", "/task"]) func `a request with close gets a response with close`(path: String) async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            #expect(try client.get(path, "Connection: close\r\n").fields["connection"] == "close")
            #expect(client.isEnded())
        }
    }

    @Test func `an HTTP 1.0 connection closes unless it requests keep-alive`() async throws {
        try await TestServer.run(decide) { server in
            let keeping = try server.connect()
            for _ in 0..<2 {
                try keeping.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try keeping.receive().fields["connection"] == "keep-alive")
            }
            let closing = try server.connect()
            try closing.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try closing.receive().text == "hello")
            #expect(closing.isEnded())
        }
    }

    @Test func `a peer that sends no more still gets its responses`() async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            try client.send("GET /task HTTP/1.1\r\nHost: h\r\n\r\nGET /large HTTP/1.1\r\nHost: h\r\n\r\n")
            client.finishSending()
            #expect(try client.receive().text == "task")
            #expect(try client.receive().body.count == 200_000)
            #expect(client.isEnded())
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n", 417),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ])
    func `a request that cannot be parsed is refused and ends the connection`(text: String, status: Int) async throws {
        try await TestServer.run(decide) { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n" + text + "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.receive().status == 200)
            let response = try client.receive()
            #expect(response.status == status)
            #expect(response.fields["connection"] == "close")
            #expect(client.isEnded())
        }
    }

    @Test func `limits of the head hold at the edge and one past it`() async throws {
        var limits = Limits()
        limits.targetBytes = 10
        limits.headBytes = 100
        limits.fieldCount = 3
        try await TestServer.run(limits: limits, decide) { server in
            let padding = String(repeating: "x", count: 100 - "GET / HTTP/1.1\r\nHost: h\r\nA: \r\n\r\n".utf8.count)
            let cases = [
                ("/123456789", "", 200), ("/1234567890", "", 414),
                ("/", "A: b\r\nA: b\r\n", 200), ("/", "A: b\r\nA: b\r\nA: b\r\n", 431),
                ("/", "A: \(padding)\r\n", 200), ("/", "A: \(padding)x\r\n", 431),
            ]
            for (path, fields, status) in cases {
                let client = try server.connect()
                #expect(try client.get(path, fields).status == status)
            }
        }
    }

    @Test func `many connections come and go`() async throws {
        try await TestServer.run(decide) { server in
            for _ in 0..<20 {
                let clients = try (0..<20).map { _ in try server.connect() }
                for client in clients { try client.send("GET /task HTTP/1.1\r\nHost: h\r\n\r\n") }
                for client in clients.dropLast(5) { #expect(try client.receive().text == "task") }
            }
        }
    }
}

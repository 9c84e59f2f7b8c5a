import HTTP
import Server
import TestKit
import Testing

/// Reads the body to its end, or responds with 400 if its framing is malformed.
private func readBody(_ request: Request) async -> Response {
    do throws(BodyError) {
        return Response(.ok, body: .bytes(try await request.body.collect(upTo: 100)))
    } catch {
        return Response(error == .malformed ? .badRequest : .contentTooLarge)
    }
}

private func decide(_ head: RequestHead) -> Disposition {
    head.method == .put
        ? .handle(bodyLimit: 100, readBody)
        : .respond(Response(.ok, body: .bytes(Array(head.path.utf8))))
}

/// Tests how the server rejects requests: with a status and the end of the connection.
struct RefusalTests {
    private static let host = "HTTP/1.1\r\nHost: h\r\n"
    private static let cases = [
        ("GET / \(host)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("GET / \(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("GET / \(host)Content-Length: +1\r\n\r\n", 400),
        ("GET / \(host)Transfer-Encoding: gzip\r\n\r\n", 400),
        ("GET / \(host)Transfer-Encoding: chunked, chunked\r\n\r\n", 400),
        ("GET / \(host)Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("GET / \(host)A: b\r\n c\r\n\r\n", 400),
        ("GET / \(host)A : b\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: h\n\n", 400),
        ("GET / \(host)A: b\rc\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET http://u@a/ \(host)\r\n", 400),
        ("CONNECT a:80 \(host)\r\n", 501),
        ("GET / \(host)Content-Length: 99999999999999999999\r\n\r\n", 413),
        ("PUT / \(host)Content-Length: 101\r\n\r\n", 413),
        ("POST / HTTP/1.0\r\nContent-Type: a/b\r\n\r\n", 411),
        ("GET /\(String(repeating: "a", count: 9_000)) \(host)\r\n", 414),
        ("GET / \(host)Expect: more\r\nContent-Length: 1\r\n\r\n", 417),
        ("GET / \(host)\(String(repeating: "A: b\r\n", count: 100))\r\n", 431),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("PUT / \(host)Transfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n", 400),
        ("PUT / \(host)Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400),
        ("PUT / \(host)Transfer-Encoding: chunked\r\n\r\n0\r\nA : b\r\n\r\n", 400),
    ]

    @Test(arguments: cases) func `a request that is refused ends its connection`(text: String, status: Int) async throws
    {
        try await TestServer.run(loops: 1, decide) { server in
            let client = try server.connect()
            try client.send("GET /first \(Self.host)\r\n")
            #expect(try client.receive().text == "/first")
            // The following bytes may be the body of the rejected request, so they never get a response.
            try client.send("\(text)GET /next \(Self.host)\r\n")
            let response = try client.receive()
            #expect(response.status == status)
            #expect(response.fields["connection"] == "close")
            // A rejection by a handler has the handler's fields.
            if !text.hasPrefix("PUT") { #expect(response.fields["cache-control"] == "no-store") }
            #expect(client.isEnded())
        }
    }

    @Test(arguments: cases) func `a request that comes in pieces is refused the same way`(
        text: String, status: Int
    ) async throws {
        try await TestServer.run(loops: 1, decide) { server in
            let client = try server.connect()
            let bytes = Array(text.utf8)
            let size = max(1, bytes.count / 40)
            for start in stride(from: 0, to: bytes.count, by: size) {
                // The server may have rejected the request and closed the connection by now.
                guard (try? client.send(Array(bytes[start..<min(start + size, bytes.count)]))) != nil else { break }
            }
            #expect(try client.receive().status == status)
        }
    }

    @Test func `an absolute target is served as its path`() async throws {
        try await TestServer.run(loops: 1, decide) { server in
            let client = try server.connect()
            for (target, path) in [("http://a.example/b?c", "/b"), ("https://a.example", "/")] {
                #expect(try client.get(target).text == path)
            }
            try client.send("OPTIONS * \(Self.host)\r\n")
            #expect(try client.receive().text == "*")
        }
    }

    @Test func `empty lines between requests are passed over`() async throws {
        try await TestServer.run(loops: 1, decide) { server in
            let client = try server.connect()
            for _ in 0..<3 {
                try client.send("\r\n\r\nGET /a \(Self.host)\r\n")
                #expect(try client.receive().text == "/a")
            }
        }
    }
}

import Client
import Domain
import Ground
import HTTP
import TestKit
import Testing
import Transport

@Suite(.scratchDirectory, .ownThread)
struct HTTPClientTests {
    private let client = HTTPClient(
        timeouts: TransportTimeouts(connect: .seconds(5), response: .milliseconds(200), idle: .milliseconds(200)))
    private let patient = HTTPClient(timeouts: TransportTimeouts(expectation: .seconds(20)))

    private func get(_ text: String, bodyLimit: Int = 1000) throws -> ClientResponse {
        let server = TinyServer { _ in .raw(Array(text.utf8)) }
        defer { server.stop() }
        return try patient.send(ClientRequest(.get, try HTTPURL(server.base)), bodyLimit: bodyLimit)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello trailing rubbish",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nTrailer: x\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200\r\ncontent-length:5\r\n\r\nhello",
        "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
    ])
    func `a body is read, however its end is marked`(text: String) throws {
        let response = try get(text)
        #expect(response.head.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == "hello")
    }

    @Test(arguments: [
        "HTTP/2 200 OK\r\n\r\n", "200 OK\r\n\r\n", "HTTP/1.1 999 Odd\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nnot gzip at all",
        "HTTP/1.1 101 Switching Protocols\r\n\r\nbytes of another protocol",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n \r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno trailer\u{0}\r\n\r\n",
    ])
    func `a response that is not HTTP is refused`(text: String) {
        let error = #expect(throws: TransportError.self) { try get(text) }
        guard case .malformedResponse = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell",
    ])
    func `a response that ends early is an error`(text: String) {
        let error = #expect(throws: TransportError.self) { try get(text) }
        guard case .connectionEnded = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a response may have as many header fields as the limit, and no more`() throws {
        func text(_ count: Int) -> String {
            let fields = (0..<count).map { "X-\($0): 1\r\n" }.joined()
            return "HTTP/1.1 200 OK\r\n\(fields)\r\n"
        }
        // The empty line at the end counts as one.
        #expect(try get(text(199)).head.status == 200)
        #expect(throws: TransportError.self) { try get(text(200)) }
    }

    @Test func `a header line may be as long as the limit, and no longer`() throws {
        func text(_ count: Int) -> String {
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: count) + "\r\nContent-Length: 0\r\n\r\n"
        }
        // "X: " precedes the value, CR follows it.
        #expect(try get(text(16 * 1024 - 4)).head.status == 200)
        #expect(throws: TransportError.self) { try get(text(16 * 1024 - 3)) }
    }

    @Test func `a body longer than the buffer is read completely, in chunks and to the end of the connection`() throws {
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var chunked = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for start in stride(from: 0, to: body.count, by: 70_000) {
            let chunk = body[start..<min(start + 70_000, body.count)]
            chunked += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        chunked += Array("0\r\n\r\n".utf8)
        for bytes in [chunked, Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body] {
            let server = TinyServer { _ in .raw(bytes) }
            defer { server.stop() }
            #expect(try patient.send(ClientRequest(.get, try HTTPURL(server.base))).body == body)
        }
    }

    @Test func `a body may be as long as the limit, and no longer`() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        #expect(try get(text, bodyLimit: 5).body.count == 5)
        #expect(throws: TransportError.responseTooLarge(limit: 4)) { try get(text, bodyLimit: 4) }
    }

    @Test func `a request to a silent server times out`() throws {
        let server = TinyServer { _ in .silence }
        defer { server.stop() }
        let error = #expect(throws: TransportError.self) {
            try client.send(ClientRequest(.get, try HTTPURL(server.base)))
        }
        #expect(error == .timedOut(peer: "127.0.0.1:\(server.port)", doing: "waiting for the response"))
    }

    @Test func `a port without a listener is reported`() throws {
        let server = TinyServer { _ in .silence }
        let base = server.base
        server.stop()
        let error = #expect(throws: TransportError.self) { try patient.send(ClientRequest(.get, try HTTPURL(base))) }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a request names its host, its length and its user agent`() throws {
        let server = TinyServer { _ in .response(204) }
        defer { server.stop() }
        let request = ClientRequest(
            .post, try HTTPURL(server.base).appending("/x?y=1"), fields: ["X-Own": "1"], body: .bytes([1, 2, 3]))
        #expect(try patient.send(request).head.status == 204)
        let seen = try #require(server.requests.first)
        #expect(seen.method == "POST")
        #expect(seen.path == "/x")
        #expect(seen.query == "y=1")
        #expect(seen.body == [1, 2, 3])
        #expect(seen.fields["host"] == "127.0.0.1:\(server.port)")
        #expect(seen.fields["x-own"] == "1")
        #expect(seen.fields["user-agent"] == "larder")
    }

    @Test func `a file is sent whole, and progress is reported`() throws {
        let server = TinyServer { _ in .response(200) }
        defer { server.stop() }
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let path = ScratchDirectory.path + "/upload"
        Files.write(bytes, to: path)
        var progress: [Int] = []
        let request = ClientRequest(.put, try HTTPURL(server.base), body: .file(path: path))
        _ = try patient.send(request) { sent, of in
            #expect(of == bytes.count)
            progress.append(sent)
        }
        #expect(server.requests.first?.body == bytes)
        #expect(progress.last == bytes.count)
        #expect(progress == progress.sorted())
    }

    @Test func `a large body waits for 100 Continue, so a rejection before it is read`() throws {
        let server = TinyServer(continuation: .refused) { _ in .response(401, [:], Array("no".utf8)) }
        defer { server.stop() }
        let response = try patient.send(upload(of: 20 << 20, to: server))
        #expect(response.head.status == 401)
        #expect(response.body == Array("no".utf8))
        #expect(try #require(server.requests.first).body.isEmpty)
    }

    @Test(arguments: [(HTTPClient.continueThreshold + 1, "100-continue"), (HTTPClient.continueThreshold, nil)])
    func `a body above the threshold is sent with an expectation`(size: Int, expectation: String?) throws {
        let server = TinyServer { _ in .response(204) }
        defer { server.stop() }
        #expect(try patient.send(upload(of: size, to: server)).head.status == 204)
        let request = try #require(server.requests.first)
        #expect(request.fields["expect"] == expectation)
        #expect(request.body.count == size)
    }

    @Test(arguments: ["Connection: close", "Connection: keep-alive"])
    func `a request is repeated once without the expectation if a proxy rejects that`(connection: String) throws {
        let server = TinyServer(continuation: .refused) { request in
            guard request.fields["expect"] != nil else { return .response(201) }
            return .raw(Array("HTTP/1.1 417 No\r\n\(connection)\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        defer { server.stop() }
        #expect(try patient.send(upload(of: 3 << 20, to: server)).head.status == 201)
        #expect(server.requests.map(\.body.count) == [0, 3 << 20])
        #expect(server.connections == 2)
        // The next request has no expectation.
        #expect(try patient.send(upload(of: 3 << 20, to: server)).head.status == 201)
        #expect(server.requests.map(\.body.count) == [0, 3 << 20, 3 << 20])
    }

    @Test func `a server that ignores an expectation gets no further one`() throws {
        let server = TinyServer(continuation: .ignored) { _ in .response(201) }
        defer { server.stop() }
        let client = HTTPClient(timeouts: TransportTimeouts(expectation: .milliseconds(10)))
        for _ in 1...2 { #expect(try client.send(upload(of: 3 << 20, to: server)).head.status == 201) }
        #expect(server.requests.map { $0.fields["expect"] } == ["100-continue", nil])
        #expect(server.requests.map(\.body.count) == [3 << 20, 3 << 20])
    }

    @Test func `a response that arrives while the body is being sent is read`() throws {
        let server = TinyServer(continuation: .sentForSome(1 << 20)) { _ in .response(401, [:], Array("no".utf8)) }
        defer { server.stop() }
        let response = try patient.send(upload(of: 20 << 20, to: server))
        #expect(response.head.status == 401)
        #expect(response.body == Array("no".utf8))
    }

    private func upload(of size: Int, to server: TinyServer) throws -> ClientRequest {
        let path = ScratchDirectory.path + "/upload"
        Files.write([UInt8](repeating: 7, count: size), to: path)
        return ClientRequest(.post, try HTTPURL(server.base), body: .file(path: path))
    }

    @Test func `the server's time includes the age of the response`() throws {
        let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        let fresh = try get("HTTP/1.1 200 OK\r\n\(date)Content-Length: 0\r\n\r\n").head
        #expect(fresh.serverTime == Timestamp(rfc3339: "1994-11-06T08:49:37Z"))
        let aged = try get("HTTP/1.1 200 OK\r\n\(date)Age: 23\r\nContent-Length: 0\r\n\r\n").head
        #expect(aged.serverTime == Timestamp(rfc3339: "1994-11-06T08:50:00Z"))
        #expect(try get("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").head.serverTime == nil)
    }
}

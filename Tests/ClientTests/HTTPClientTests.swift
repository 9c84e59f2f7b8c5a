import Client
import Domain
import Ground
import HTTP
import TestKit
import Testing

@Suite(.scratchDirectory, .ownThread)
struct HTTPClientTests {
    private let client = HTTPClient(
        timeouts: TransportTimeouts(connect: .seconds(5), answer: .milliseconds(200), idle: .milliseconds(200)))
    private let patient = HTTPClient()

    private func get(_ answer: String, bodyLimit: Int = 1000) throws -> ClientResponse {
        let server = TinyServer { _ in .raw(Array(answer.utf8)) }
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
    func `a body is read, however its end is marked`(answer: String) throws {
        let response = try get(answer)
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
    func `what is not HTTP is refused`(answer: String) {
        let error = #expect(throws: TransportError.self) { try get(answer) }
        guard case .malformedResponse = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell",
    ])
    func `an answer that ends early is no answer`(answer: String) {
        let error = #expect(throws: TransportError.self) { try get(answer) }
        guard case .connectionEnded = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `as many fields are taken as the limit says, and no more`() throws {
        func answer(_ count: Int) -> String {
            let fields = (0..<count).map { "X-\($0): 1\r\n" }.joined()
            return "HTTP/1.1 200 OK\r\n\(fields)\r\n"
        }
        // The empty line at the end counts as one.
        #expect(try get(answer(199)).head.status == 200)
        #expect(throws: TransportError.self) { try get(answer(200)) }
    }

    @Test func `a line is taken as long as the limit says, and no longer`() throws {
        func answer(_ count: Int) -> String {
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: count) + "\r\nContent-Length: 0\r\n\r\n"
        }
        // "X: " precedes the value, CR follows it.
        #expect(try get(answer(16 * 1024 - 4)).head.status == 200)
        #expect(throws: TransportError.self) { try get(answer(16 * 1024 - 3)) }
    }

    @Test func `a body longer than the buffer is read completely, in chunks and to the end of the connection`() throws {
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var chunked = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for start in stride(from: 0, to: body.count, by: 70_000) {
            let chunk = body[start..<min(start + 70_000, body.count)]
            chunked += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        chunked += Array("0\r\n\r\n".utf8)
        for answer in [chunked, Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body] {
            let server = TinyServer { _ in .raw(answer) }
            defer { server.stop() }
            #expect(try patient.send(ClientRequest(.get, try HTTPURL(server.base))).body == body)
        }
    }

    @Test func `a body is taken up to the limit and no further`() throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        #expect(try get(answer, bodyLimit: 5).body.count == 5)
        #expect(throws: TransportError.responseTooLarge(limit: 4)) { try get(answer, bodyLimit: 4) }
    }

    @Test func `a server that says nothing is given up`() throws {
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

    @Test func `a request names its host, its length and who sends it`() throws {
        let server = TinyServer { _ in .answer(204) }
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

    @Test func `a file is sent whole, and progress told`() throws {
        let server = TinyServer { _ in .answer(200) }
        defer { server.stop() }
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let path = ScratchDirectory.path + "/upload"
        Files.write(bytes, to: path)
        var told: [Int] = []
        let request = ClientRequest(.put, try HTTPURL(server.base), body: .file(path: path))
        _ = try patient.send(request) { sent, of in
            #expect(of == bytes.count)
            told.append(sent)
        }
        #expect(server.requests.first?.body == bytes)
        #expect(told.last == bytes.count)
        #expect(told == told.sorted())
    }

    @Test func `an answer that comes while the body is being sent is read`() throws {
        // Responds after the head and closes with the body unread, which resets the connection.
        let server = TinyServer(readsBodies: false) { _ in .answer(401, [:], Array("no".utf8)) }
        defer { server.stop() }
        let path = ScratchDirectory.path + "/upload"
        Files.write([UInt8](repeating: 7, count: 20 << 20), to: path)
        let request = ClientRequest(.post, try HTTPURL(server.base), body: .file(path: path))
        let response = try patient.send(request)
        #expect(response.head.status == 401)
        #expect(response.body == Array("no".utf8))
    }

    @Test func `the server's time counts the age of the answer in`() throws {
        let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        let fresh = try get("HTTP/1.1 200 OK\r\n\(date)Content-Length: 0\r\n\r\n").head
        #expect(fresh.serverTime == Timestamp(rfc3339: "1994-11-06T08:49:37Z"))
        let aged = try get("HTTP/1.1 200 OK\r\n\(date)Age: 23\r\nContent-Length: 0\r\n\r\n").head
        #expect(aged.serverTime == Timestamp(rfc3339: "1994-11-06T08:50:00Z"))
        #expect(try get("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").head.serverTime == nil)
    }
}

import HTTP
import Testing

struct FramingTests {
    private func request(_ fields: String, version: String = "1.1") -> String {
        "POST / HTTP/\(version)\r\nHost: h\r\n\(fields)\r\n"
    }

    @Test(arguments: [
        ("0", 0), ("1", 1), ("007", 7), ("00000000000000000000000000000042", 42),
        ("9223372036854775799", 9_223_372_036_854_775_799),
    ])
    func `a length is a number, with any leading zeros`(text: String, length: Int) throws {
        let head = try RequestHead(parsing: request("Content-Length: \(text)\r\n"))
        #expect(head.framing == (length == 0 ? .none : .length(length)))
    }

    @Test(arguments: [
        "", "+1", "-1", "0x1", "1,1", "1, 1", "1 1", "1.0", "1e3", "a", "1a", "\"1\"", "１", "99999999999999999999a",
    ])
    func `any other text is not a length`(text: String) {
        #expect(status(request("Content-Length: \(text)\r\n")) == 400)
    }

    @Test(arguments: ["9223372036854775808", "18446744073709551617", "99999999999999999999"])
    func `a length that cannot be counted is too large`(text: String) {
        #expect(status(request("Content-Length: \(text)\r\n")) == 413)
    }

    @Test(arguments: [("1", "1"), ("1", "2"), ("0", "0"), ("", "1"), ("1", "")])
    func `there is one length at most`(first: String, second: String) {
        #expect(status(request("Content-Length: \(first)\r\nA: b\r\ncontent-length: \(second)\r\n")) == 400)
    }

    @Test(arguments: ["chunked", "Chunked", "CHUNKED", " chunked\t"]) func `chunked is a coding`(coding: String) throws
    {
        let head = try RequestHead(parsing: request("Transfer-Encoding: \(coding)\r\n"))
        #expect(head.framing == .chunked)
    }

    @Test(arguments: [
        "gzip, chunked", "gzip;q=1 , chunked", "identity, chunked", "a,b,c,chunked", "x-gzip ;a=b,chunked",
    ])
    func `another coding before chunked gets 501`(coding: String) {
        #expect(status(request("Transfer-Encoding: \(coding)\r\n")) == 501)
    }

    @Test(arguments: [
        "gzip", "identity", "chunked, gzip", "chunked, identity", "chunked, chunked", "gzip, chunked, chunked",
        "xchunked", "chunke",
        "chunkedx", "chunked;q=1", "chunked ;a", "chunked;q=1, chunked", "gz ip, chunked", "gzip \u{E9}, chunked", "",
        ",", ", chunked", "chunked,", "gzip,,chunked", "gzip chunked",
        "chunked chunked",
        "\"chunked\"", "gzip;a=\", chunked", "gzip;a=\"b, chunked\"", "[chunked]", "chunked\u{B}", "\u{B}chunked",
        "chunkeſ",
    ])
    func `codings that do not end with one chunked are malformed`(coding: String) {
        #expect(status(request("Transfer-Encoding: \(coding)\r\n")) == 400)
    }

    @Test func `several Transfer-Encoding fields are one list`() {
        let status = { (codings: [String]) in
            HTTPTests.status(request(codings.map { "Transfer-Encoding: \($0)\r\n" }.joined(separator: "A: b\r\n")))
        }
        #expect(status(["gzip", "chunked"]) == 501)
        #expect(status(["chunked", "chunked"]) == 400)
        #expect(status(["chunked", "gzip"]) == 400)
        #expect(status(["chunked", ""]) == 400)
    }

    @Test(arguments: ["0", "1", "5", "x"]) func `a length and a coding together are malformed`(length: String) {
        let fields = ["Content-Length: \(length)\r\n", "Transfer-Encoding: chunked\r\n"]
        #expect(status(request(fields.joined())) == 400)
        #expect(status(request(fields.reversed().joined())) == 400)
        #expect(status(request(fields.joined(separator: "A: b\r\n"))) == 400)
    }

    @Test(arguments: ["chunked", "gzip, chunked", "gzip"]) func `HTTP 1,0 has no codings`(coding: String) {
        #expect(status(request("Transfer-Encoding: \(coding)\r\n", version: "1.0")) == 400)
        #expect(status(request("Transfer-Encoding: \(coding)\r\nContent-Length: 1\r\n", version: "1.0")) == 400)
    }

    @Test func `content of HTTP 1,0 needs a length`() {
        #expect(status(request("Content-Type: a/b\r\n", version: "1.0")) == 411)
        #expect(status(request("Content-Type: a/b\r\nContent-Length: 0\r\n", version: "1.0")) == 200)
        #expect(status(request("", version: "1.0")) == 200)
        #expect(status(request("Content-Type: a/b\r\n")) == 200)
        #expect(status("GET / HTTP/1.0\r\nContent-Type: a/b\r\n\r\n") == 200)
        #expect(status("PUT / HTTP/1.0\r\nContent-Type: a/b\r\n\r\n") == 411)
    }
}

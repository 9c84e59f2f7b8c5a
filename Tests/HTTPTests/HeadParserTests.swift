import HTTP
import Testing

/// The result of parsing a head: its values, or the error.
private enum Outcome: Hashable {
    case head(method: String, path: String, query: String, fields: [String], BodyFraming, persistent: Bool, rest: Int)
    case refused(HeadError)
    case incomplete
}

/// Parses the text in pieces that end at the cuts.
private func parse(_ text: String, cuts: [Int] = [], limits: Limits = Limits()) -> Outcome {
    let bytes = Array(text.utf8)
    var parser = HeadParser(limits: limits)
    var head = RequestHead()
    var start = 0
    for end in cuts + [bytes.count] {
        do throws(HeadError) {
            switch try parser.parse(bytes, start..<end, into: &head) {
            case .incomplete: start = end
            case .complete(let position):
                return .head(
                    method: head.method.token, path: head.path,
                    query: String(decoding: head.bytes[head.queryRange], as: UTF8.self),
                    fields: head.fields.map { field in
                        String(decoding: head.bytes[field.name], as: UTF8.self) + "="
                            + String(decoding: head.bytes[field.value], as: UTF8.self)
                    }, head.framing, persistent: head.isPersistent, rest: bytes.count - position)
            }
        } catch {
            return .refused(error)
        }
    }
    return .incomplete
}

struct HeadParserTests {
    @Test func `a plain request is parsed`() {
        #expect(
            parse("GET /a/b?x=1&y HTTP/1.1\r\nHost: h\r\nAccept:  */* \t\r\nEmpty:\r\n\r\nrest")
                == .head(
                    method: "GET", path: "/a/b", query: "x=1&y", fields: ["Host=h", "Accept=*/*", "Empty="], .none,
                    persistent: true, rest: 4))
    }

    @Test(arguments: [
        "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1X\nHost: h\r\n\r\n",
        "GET / HTTP/1.10\r\nHost: h\r\n\r\n",
        "GET / HTTP/1\r\nHost: h\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\ta HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\u{7F} HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET  HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\r\n",
        "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "\rGET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / http/1.1\r\nHost: h\r\n\r\n",
        "GET /#f HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\u{0} HTTP/1.1\r\nHost: h\r\n\r\n",
        "G@T / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA\t: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n\tA: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\u{1}c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA\u{0}: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\n",
        "GET / HTTP/1.1\r\nHost: h\r\n\rA: b\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\nHost: h\n\n",
        "GET / HTTP/1.1\r\nHost: h\n\r\n",
        "GET / HTTP/1.1\rHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\rc\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\u{0}c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\u{7F}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n",
    ])
    func `a head that two readers could read differently is malformed`(text: String) {
        #expect(parse(text) == .refused(.malformed))
    }

    @Test(arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/2"])
    func `another major version is not supported`(version: String) {
        #expect(parse("GET / \(version)\r\nHost: h\r\n\r\n") == .refused(.versionNotSupported))
        #expect(HeadError.versionNotSupported.status.code == 505)
    }

    @Test func `the preface of HTTP 2 is refused for its version`() {
        #expect(parse("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == .refused(.versionNotSupported))
    }

    @Test(arguments: ["more", "100-continue, more", "100-continue, 100-continue", ""])
    func `another expectation than to continue fails`(expectation: String) {
        let text = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: \(expectation)\r\n\r\n"
        #expect(parse(text) == .refused(.unknownExpectation))
        #expect(HeadError.unknownExpectation.status.code == 417)
    }

    @Test func `to continue is expected of HTTP 1,1 with a body alone`() throws {
        let expects = { (start: String, length: Int) throws in
            try RequestHead(
                parsing: "\(start)\r\nHost: h\r\nContent-Length: \(length)\r\nExpect: 100-Continue\r\n\r\n"
            ).expectsContinue
        }
        #expect(try expects("PUT / HTTP/1.1", 1))
        #expect(try !expects("PUT / HTTP/1.0", 1))
        #expect(try !expects("PUT / HTTP/1.1", 0))
    }

    @Test(arguments: [
        ("1.1", "", true), ("1.1", "Connection: close\r\n", false), ("1.1", "Connection: a , CLOSE\r\n", false),
        ("1.0", "", false), ("1.0", "Connection: keep-alive\r\n", true),
        ("1.0", "Connection: keep-alive\r\nConnection: close\r\n", false), ("1.2", "", true),
    ])
    func `persistence follows version and Connection`(version: String, fields: String, isPersistent: Bool) throws {
        let head = try RequestHead(parsing: "GET / HTTP/\(version)\r\nHost: h\r\n\(fields)\r\n")
        #expect(head.isPersistent == isPersistent)
    }
}

struct HeadLimitTests {
    private func request(target: Int) -> String {
        "GET /" + String(repeating: "a", count: target - 1) + " HTTP/1.1\r\nHost: h\r\n\r\n"
    }

    private func request(bytes: Int) -> String {
        let frame = "GET / HTTP/1.1\r\nHost: h\r\nX: \r\n\r\n"
        return frame.replacing("X: ", with: "X: " + String(repeating: "x", count: bytes - frame.utf8.count))
    }

    private func request(fields: Int) -> String {
        "GET / HTTP/1.1\r\nHost: h\r\n" + String(repeating: "a: b\r\n", count: fields - 1) + "\r\n"
    }

    private func expectOutcome(_ text: String, _ error: HeadError?, _ source: SourceLocation = #_sourceLocation) {
        for cuts in [[], [text.utf8.count - 1], [20], Array(stride(from: 1, to: text.utf8.count, by: 7))] {
            let outcome = parse(text, cuts: cuts)
            if let error {
                #expect(outcome == .refused(error), sourceLocation: source)
            } else if case .head = outcome {
                continue
            } else {
                Issue.record("\(outcome)", sourceLocation: source)
            }
        }
    }

    @Test func `the target may be 8 KiB and no longer`() {
        #expect(HeadError.targetTooLong.status.code == 414)
        expectOutcome(request(target: 8 << 10), nil)
        expectOutcome(request(target: (8 << 10) + 1), .targetTooLong)
    }

    @Test func `the head may be 16 KiB and no longer`() {
        #expect(HeadError.fieldsTooLarge.status.code == 431)
        expectOutcome(request(bytes: 16 << 10), nil)
        expectOutcome(request(bytes: (16 << 10) + 1), .fieldsTooLarge)
    }

    @Test func `there may be 100 fields and no more`() {
        expectOutcome(request(fields: 100), nil)
        expectOutcome(request(fields: 101), .fieldsTooLarge)
    }

    @Test func `there may be four empty lines first and no more`() {
        let request = request(target: 1)
        expectOutcome(String(repeating: "\r\n", count: 4) + request, nil)
        expectOutcome(String(repeating: "\r\n", count: 5) + request, .malformed)
    }

    @Test func `a method may have 32 bytes and no more`() {
        let rest = " / HTTP/1.1\r\nHost: h\r\n\r\n"
        expectOutcome(String(repeating: "A", count: 32) + rest, nil)
        expectOutcome(String(repeating: "A", count: 33) + rest, .unknownMethod)
        #expect(HeadError.unknownMethod.status.code == 501)
    }

    @Test func `an endless head is refused before its end`() {
        let endless = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 16 << 10)
        #expect(parse(endless) == .refused(.fieldsTooLarge))
        #expect(parse("GET /" + String(repeating: "a", count: 9_000)) == .refused(.targetTooLong))
    }
}

import HTTPProbe
import Testing

/// The input of one connection, and the expected events.
struct Fixture: CustomTestStringConvertible {
    let name: String
    let text: String
    /// Heads, bodies, ends and the final status, by their descriptions.
    let events: [String]

    init(_ name: String, _ text: String, _ events: [String]) {
        self.name = name
        self.text = text
        self.events = events
    }

    var bytes: [UInt8] { Array(text.utf8) }
    var testDescription: String { name }
}

extension Fixture {
    static let all = valid + bodies + refused

    private static let host = "HTTP/1.1\r\nHost: h\r\n"
    private static let chunked = "PUT / \(host)Transfer-Encoding: chunked\r\n\r\n"

    private static let valid = [
        Fixture("plain", "GET / \(host)\r\n", ["GET /", "end"]),
        Fixture(
            "query and fields", "GET /a%20b?c=/d?e \(host)Accept: */*\r\nEmpty:\r\n\r\n", ["GET /a%20b?c=/d?e", "end"]),
        Fixture("empty lines first", "\r\n\r\nGET / \(host)\r\n", ["GET /", "end"]),
        Fixture("pipelined", "GET /1 \(host)\r\n\r\nHEAD /2 \(host)\r\nGET", ["GET /1", "end", "HEAD /2", "end"]),
        Fixture(
            "empty lines before each", String(repeating: "\r\n\r\nGET / \(host)\r\n", count: 3),
            ["GET /", "end", "GET /", "end", "GET /", "end"]),
        Fixture("close", "GET / \(host)Connection: x, Close\r\n\r\nGET /", ["GET / last", "end"]),
        Fixture("HTTP/1.0", "GET / HTTP/1.0\r\n\r\nGET /", ["GET / last", "end"]),
        Fixture("HTTP/1.0 kept", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", ["GET /", "end"]),
        Fixture("HTTP/1.9", "GET / HTTP/1.9\r\nHost: h\r\n\r\n", ["GET /", "end"]),
        Fixture("absolute form", "GET http://a:8/b?c \(host)\r\n", ["GET /b?c", "end"]),
        Fixture("absolute form, no path", "GET HTTPS://[::1]?c \(host)\r\n", ["GET /?c", "end"]),
        Fixture("asterisk form", "OPTIONS * \(host)\r\n", ["OPTIONS *", "end"]),
        Fixture("incomplete", "GET / \(host)Accept: x", []),
    ]

    private static let bodies = [
        Fixture("length", "PUT / \(host)Content-Length: 3\r\n\r\nabcGET", ["PUT / length 3", "body abc", "end"]),
        Fixture(
            "length with zeros", "PUT / \(host)Content-Length: 003\r\n\r\nabc", ["PUT / length 3", "body abc", "end"]),
        Fixture(
            "length of zero", "PUT / \(host)Content-Length: 0\r\n\r\nGET / \(host)\r\n",
            ["PUT /", "end", "GET /", "end"]),
        Fixture("broken off", "PUT / \(host)Content-Length: 9\r\n\r\nabc", ["PUT / length 9", "body abc"]),
        Fixture(
            "expected", "PUT / \(host)Expect: 100-continue\r\nContent-Length: 1\r\n\r\na",
            ["PUT / length 1 expects", "body a", "end"]),
        Fixture(
            "chunks", "\(chunked)3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n",
            ["PUT / chunked", "body abc0123456789", "end"]),
        Fixture("an empty body in chunks", "\(chunked)0\r\n\r\n", ["PUT / chunked", "end"]),
        Fixture(
            "extensions and trailer", "\(chunked)1;a;b=\"c\"\r\n\n\r\n0;d\r\nE: f\r\nG:\r\n\r\nGET / \(host)\r\n",
            ["PUT / chunked", "body \n", "end", "GET /", "end"]),
        Fixture("a bad chunk behind a good one", "\(chunked)1\r\na\r\n1 \r\nb", ["PUT / chunked", "body a", "400"]),
        Fixture(
            "a request in a body", "PUT / \(host)Content-Length: 7\r\n\r\nGET / HGET",
            ["PUT / length 7", "body GET / H", "end"]),
        Fixture(
            "a bad request behind a body", "PUT / \(host)Content-Length: 1\r\n\r\na\n",
            ["PUT / length 1", "body a", "end", "400"]),
    ]

    private static let refused = [
        Fixture("bare LF", "GET / HTTP/1.1\nHost: h\n\n", ["400"]),
        Fixture("white space before the colon", "GET / \(host)A : b\r\n\r\n", ["400"]),
        Fixture("folding", "GET / \(host)A: b\r\n c\r\n\r\n", ["400"]),
        Fixture("two lengths", "PUT / \(host)Content-Length: 1\r\nContent-Length: 1\r\n\r\na", ["400"]),
        Fixture("length and chunks", "PUT / \(host)Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\na", ["400"]),
        Fixture("gzip, chunked", "PUT / \(host)Transfer-Encoding: gzip, chunked\r\n\r\n", ["501"]),
        Fixture("chunked, chunked", "PUT / \(host)Transfer-Encoding: chunked, chunked\r\n\r\n", ["400"]),
        Fixture("a length beyond counting", "PUT / \(host)Content-Length: 99999999999999999999\r\n\r\n", ["413"]),
        Fixture("no length", "POST / HTTP/1.0\r\nContent-Type: a/b\r\n\r\n", ["411"]),
        Fixture("expectation", "PUT / \(host)Expect: more\r\nContent-Length: 1\r\n\r\na", ["417"]),
        Fixture("preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ["505"]),
        Fixture("HTTP/0.9", "GET /\r\n", ["400"]),
        Fixture("authority form", "CONNECT h:80 \(host)\r\n", ["501"]),
        Fixture("two Hosts", "GET / \(host)host: h\r\n\r\n", ["400"]),
        Fixture("no Host behind a good request", "GET / \(host)\r\nGET / HTTP/1.1\r\n\r\n", ["GET /", "end", "400"]),
        Fixture("a long method", String(repeating: "A", count: 40) + " / \(host)\r\n", ["501"]),
    ]
}

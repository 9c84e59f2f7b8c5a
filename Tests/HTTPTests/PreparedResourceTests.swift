import HTTP
import Testing

struct PreparedResourceTests {
    private static let text = [UInt8](repeating: 0x61, count: CodedBody.leastCodedBytes)
    private let resource = PreparedResource(
        CodedBody(text, gzip: [1, 2], brotli: [3]), etagName: "abc",
        fields: [.contentType: "text/css", .cacheControl: "no-cache", .accessControlAllowOrigin: "*"])

    private func respond(_ lines: String..., of resource: PreparedResource? = nil) throws -> PreparedResponse {
        let fields = lines.map { $0 + "\r\n" }.joined()
        let head = try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return (resource ?? self.resource).respond(to: head)
    }

    private func lines(_ response: PreparedResponse) -> [String] {
        String(decoding: response.head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    @Test func `each coding is a representation with a tag of its own`() throws {
        let plain = try respond()
        #expect(plain.bytes == Self.text)
        #expect(
            lines(plain) == [
                "HTTP/1.1 200 OK", "Content-Type: text/css", "Cache-Control: no-cache",
                "Access-Control-Allow-Origin: *", "Vary: Accept-Encoding", "ETag: \"abc\"", "Content-Length: 256",
            ])
        let gzip = try respond("Accept-Encoding: gzip")
        #expect(gzip.bytes == [1, 2])
        #expect(lines(gzip).suffix(3) == ["ETag: \"abc-gzip\"", "Content-Encoding: gzip", "Content-Length: 2"])
        let brotli = try respond("Accept-Encoding: gzip, br")
        #expect(brotli.bytes == [3])
        #expect(lines(brotli).suffix(3) == ["ETag: \"abc-br\"", "Content-Encoding: br", "Content-Length: 1"])
    }

    @Test func `a 304 response has the header fields of the whole, except those about the body`() throws {
        #expect(
            lines(try respond("Accept-Encoding: br", "If-None-Match: \"abc-br\"")) == [
                "HTTP/1.1 304 Not Modified", "Cache-Control: no-cache", "Access-Control-Allow-Origin: *",
                "Vary: Accept-Encoding", "ETag: \"abc-br\"",
            ])
        #expect(
            lines(try respond("If-Match: \"x\"")) == [
                "HTTP/1.1 412 Precondition Failed", "Cache-Control: no-store", "Access-Control-Allow-Origin: *",
                "Content-Length: 0",
            ])
    }

    /// Checks the response and its entity tag for accepted codings and a condition.
    @Test(arguments: [
        ("", "If-None-Match: \"abc\"", "304 abc"), ("", "If-None-Match: W/\"abc\"", "304 abc"),
        ("", "If-None-Match: *", "304 abc"), ("br", "If-None-Match: *", "304 abc-br"),
        ("", "If-None-Match: \"x\"", "200 abc"), ("gzip", "If-None-Match: \"abc-gzip\"", "304 abc-gzip"),
        ("gzip", "If-None-Match: W/\"abc-gzip\"", "304 abc-gzip"),
        ("gzip", "If-None-Match: \"abc-gzi\"", "200 abc-gzip"),
        // A copy in another coding is current if the request accepts that coding.
        ("gzip", "If-None-Match: \"abc\"", "304 abc"), ("gzip, br", "If-None-Match: \"abc-gzip\"", "304 abc-gzip"),
        ("gzip", "If-None-Match: \"abc-br\"", "200 abc-gzip"), ("", "If-None-Match: \"abc-gzip\"", "200 abc"),
        ("gzip, identity;q=0", "If-None-Match: \"abc\"", "200 abc-gzip"),
        ("gzip", "If-None-Match: \"abc\", \"abc-gzip\"", "304 abc-gzip"),
        ("gzip", "If-None-Match: \"x\"\r\nIf-None-Match: \"abc-gzip\"", "304 abc-gzip"),
        // `If-Match` compares strongly and takes precedence.
        ("", "If-Match: \"abc\"", "200 abc"), ("", "If-Match: *", "200 abc"), ("", "If-Match: W/\"abc\"", "412 -"),
        ("", "If-Match: \"x\"", "412 -"), ("gzip", "If-Match: \"abc-gzip\"", "200 abc-gzip"),
        ("", "If-Match: \"abc-gzip\"", "412 -"), ("", "If-Match: \"x\"\r\nIf-None-Match: \"abc\"", "412 -"),
        ("", "If-Match: \"abc\"\r\nIf-None-Match: \"abc\"", "304 abc"),
        ("", "If-Match: \"x\"\r\nIf-Match: \"abc\"", "200 abc"),
        // The resource has neither a date nor ranges.
        ("", "If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT", "200 abc"),
        ("", "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "200 abc"),
        ("", "Range: bytes=0-1", "200 abc"), ("", "Range: bytes=0-1\r\nIf-Range: \"abc\"", "200 abc"),
    ])
    func `a condition is weighed for the representation that is chosen`(
        codings: String, condition: String, expected: String
    ) throws {
        let response = try respond("Accept-Encoding: \(codings)", condition)
        let tag = lines(response).first { $0.hasPrefix("ETag: ") }.map { $0.dropFirst(7).dropLast() } ?? "-"
        #expect("\(response.status.code) \(tag)" == expected)
    }

    @Test func `a resource without codings has no Vary field`() throws {
        let plain = PreparedResource(CodedBody(Self.text), etagName: "abc", fields: [:])
        #expect(!lines(try respond("Accept-Encoding: br", of: plain)).contains { $0.hasPrefix("Vary") })
        #expect(lines(try respond("If-None-Match: \"abc\"", of: plain)).first == "HTTP/1.1 304 Not Modified")
        let coming = PreparedResource(CodedBody(uncoded: Self.text), etagName: "abc", fields: [:])
        #expect(lines(try respond(of: coming)).contains("Vary: Accept-Encoding"))
        let short = PreparedResource(CodedBody(uncoded: Array(Self.text.dropLast())), etagName: "abc", fields: [:])
        #expect(!lines(try respond(of: short)).contains("Vary: Accept-Encoding"))
    }

    @Test func `a prepared response is the same as one made for the request`() throws {
        for prepared in [try respond("Accept-Encoding: br"), try respond("If-None-Match: *")] {
            let response = prepared.response
            var head: [UInt8] = []
            response.writeHead(response.heading(minorVersion: 1), to: &head)
            #expect(head == prepared.head)
            guard case .bytes(let bytes) = response.body else {
                Issue.record("another body")
                return
            }
            #expect(bytes == prepared.bytes)
        }
    }

    @Test func `an outline serves requests that need no body, with the same head`() throws {
        let outline = PreparedOutline(of: resource)
        func head(_ method: String, _ lines: String...) throws -> RequestHead {
            let fields = lines.map { $0 + "\r\n" }.joined()
            return try RequestHead(parsing: "\(method) / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        }
        for lines in ["", "Accept-Encoding: gzip"] {
            let request = try head("HEAD", lines.isEmpty ? "X: y" : lines)
            let response = try #require(outline.respond(to: request))
            #expect(response.head == resource.respond(to: request).head && response.bytes == [])
        }
        let known = try head("GET", "If-None-Match: \"abc\"")
        #expect(try #require(outline.respond(to: known)).head == resource.respond(to: known).head)
        #expect(outline.respond(to: try head("GET", "If-Match: \"x\""))?.status == .preconditionFailed)
        #expect(outline.respond(to: try head("GET")) == nil)
        #expect(outline.respond(to: try head("GET", "If-None-Match: \"x\"")) == nil)
    }
}

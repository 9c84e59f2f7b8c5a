import HTTP
import Testing

struct FileCodingTests {
    private func coding(_ lines: String) throws -> ContentCoding {
        let fields = lines.isEmpty ? "" : lines + "\r\n"
        return try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n").coding(ofTagNamed: "abc")
    }

    @Test(arguments: [
        ("", ContentCoding.identity), ("Accept-Encoding: gzip", .gzip), ("Accept-Encoding: gzip, deflate, br", .gzip),
        ("Accept-Encoding: br", .identity), ("Accept-Encoding: *", .gzip), ("Accept-Encoding: gzip;q=0", .identity),
        ("Accept-Encoding: gzip;q=0.5, identity", .identity), ("Accept-Encoding: gzip;q=0.5", .gzip),
        ("Accept-Encoding: gzip\r\nRange: bytes=0-9", .identity),
        // The client's copy is current if its coding is acceptable.
        ("Accept-Encoding: gzip\r\nIf-None-Match: \"abc\"", .identity),
        ("Accept-Encoding: gzip\r\nIf-None-Match: W/\"x\", W/\"abc\"", .identity),
        ("Accept-Encoding: gzip\r\nIf-None-Match: \"abc-gzip\"", .gzip),
        ("Accept-Encoding: gzip\r\nIf-None-Match: *", .gzip),
        ("Accept-Encoding: gzip\r\nIf-None-Match: \"x\"", .gzip),
        ("Accept-Encoding: gzip, identity;q=0\r\nIf-None-Match: \"abc\"", .gzip),
        ("Accept-Encoding: identity, gzip;q=0.5\r\nIf-None-Match: \"abc-gzip\"", .gzip),
        ("If-None-Match: \"abc-gzip\"", .identity),
        ("Accept-Encoding: gzip\r\nIf-Match: \"abc\"\r\nIf-None-Match: \"abc-gzip\"", .identity),
        ("Accept-Encoding: gzip\r\nIf-Match: W/\"abc\"", .gzip),
    ])
    func `a file is sent in gzip if that is accepted and no other condition prevents it`(
        fields: String, expected: ContentCoding
    ) throws {
        #expect(try coding(fields) == expected)
    }

    @Test(arguments: [
        ("", 200), ("If-None-Match: \"abc-gzip\"", 304), ("If-Match: \"abc\"", 412), ("Range: bytes=0-0", 200),
    ])
    func `a body made of pieces supports conditions and no ranges`(field: String, status: Int) throws {
        let line = field.isEmpty ? "" : field + "\r\n"
        let head = try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\(line)\r\n")
        let response = Response.pieces(
            [.bytes([1, 2]), .bytes([3])], etag: "\"abc-gzip\"",
            fields: [.contentType: "text/css", .contentEncoding: "gzip", .cacheControl: "no-cache"], for: head)
        #expect(response.status.code == status)
        #expect(response.heading(minorVersion: 1) == (status == 304 ? .none : .length(status == 200 ? 3 : 0)))
        #expect((response.fields[.contentEncoding] == "gzip") == (status == 200))
        #expect((response.fields[.etag] == "\"abc-gzip\"") == (status != 412))
        #expect(response.fields[.acceptRanges] == nil)
    }
}

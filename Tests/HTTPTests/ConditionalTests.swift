import HTTP
import Testing

private let etag = "\"abc\""
private let modified = HTTPDate(secondsSinceEpoch: 784_111_777)

struct ConditionalTests {
    private func evaluate(_ fields: String, method: String = "GET", length: Int = 100) throws -> Precondition {
        let lines = fields.isEmpty ? "" : fields + "\r\n"
        let head = try RequestHead(parsing: "\(method) / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n")
        return Precondition(head, etag: etag, lastModified: modified, length: length)
    }

    @Test(arguments: [
        ("", Precondition.proceed),
        ("If-None-Match: \"abc\"", .notModified), ("If-None-Match: W/\"abc\"", .notModified),
        ("If-None-Match: \"x\" , \"abc\"", .notModified), ("If-None-Match: *", .notModified),
        ("If-None-Match: \"x\"\r\nIf-None-Match: \"abc\"", .notModified),
        ("If-None-Match: \"x\"", .proceed), ("If-None-Match: abc", .proceed), ("If-None-Match: \"x,\"abc\"", .proceed),
        ("If-None-Match: \"x\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .proceed),
        ("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .notModified),
        ("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", .proceed), ("If-Modified-Since: yesterday", .proceed),
        ("If-Match: \"abc\"", .proceed), ("If-Match: *", .proceed), ("If-Match: W/\"abc\"", .failed),
        ("If-Match: \"x\"", .failed), ("If-Match: \"x\"\r\nIf-None-Match: \"abc\"", .failed),
        ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", .failed),
        ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .proceed),
        ("If-Match: \"abc\"\r\nIf-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", .proceed),
        ("Range: bytes=0-9", .partial([0..<10])), ("Range: bytes=90-", .partial([90..<100])),
        ("Range: BYTES=90-200", .partial([90..<100])), ("Range: bytes=-10", .partial([90..<100])),
        ("Range: bytes=-200", .partial([0..<100])), ("Range: bytes=99-99", .partial([99..<100])),
        ("Range: bytes=100-", .unsatisfiable), ("Range: bytes=-0", .unsatisfiable),
        ("Range: bytes=99999999999999999999999-", .unsatisfiable),
        ("Range: bytes=0-99999999999999999999999", .partial([0..<100])),
        ("Range: bytes=5-4", .proceed), ("Range: lines=0-1", .proceed),
        ("Range: bytes=a-b", .proceed), ("Range: bytes=-", .proceed), ("Range: bytes", .proceed),
        ("Range: bytes=0-9\r\nIf-None-Match: \"abc\"", .notModified),
        ("Range: bytes=0-9\r\nIf-Range: \"abc\"", .partial([0..<10])),
        ("Range: bytes=0-9\r\nIf-Range: \"x\"", .proceed),
        ("Range: bytes=0-9\r\nIf-Range: W/\"abc\"", .proceed),
        ("Range: bytes=0-9\r\nIf-Range: Sun, 06 Nov 1994 08:49:37 GMT", .partial([0..<10])),
        ("Range: bytes=0-9\r\nIf-Range: Sun, 06 Nov 1994 08:49:38 GMT", .proceed),
    ])
    func `conditions are weighed in the order of the RFC`(fields: String, expected: Precondition) throws {
        #expect(try evaluate(fields) == expected)
    }

    @Test func `only reading knows not modified, only GET knows ranges`() throws {
        #expect(try evaluate("If-None-Match: *", method: "PUT") == .failed)
        #expect(try evaluate("If-None-Match: \"abc\"", method: "HEAD") == .notModified)
        #expect(try evaluate("Range: bytes=0-9", method: "HEAD") == .proceed)
        #expect(try evaluate("Range: bytes=0-", length: 0) == .unsatisfiable)
    }
}

struct FileResponseTests {
    private final class Owner: Sendable {}

    private func respond(_ field: String) throws -> Response {
        let head = try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\(field)\r\n\r\n")
        let region = FileRegion(descriptor: 0, owner: Owner(), offset: 7, count: 100)
        return Response.file(
            region, etag: etag, lastModified: modified,
            fields: [.contentType: "text/css", .cacheControl: "immutable", .vary: "Origin"], for: head)
    }

    private func region(of response: Response) -> [Int]? {
        if case .file(let region) = response.body { [region.offset, region.count] } else { nil }
    }

    @Test func `a response with the whole file has Accept-Ranges`() throws {
        let response = try respond("A: b")
        #expect(response.status == .ok)
        #expect(region(of: response) == [7, 100])
        #expect(response.fields[.acceptRanges] == "bytes")
        #expect(response.fields[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func `a part has a Content-Range`() throws {
        let response = try respond("Range: bytes=10-19")
        #expect(response.status == .partialContent)
        #expect(region(of: response) == [17, 10])
        #expect(response.fields[.contentRange] == "bytes 10-19/100")
        #expect(response.fields[.contentType] == "text/css")
    }

    @Test func `a 304 response keeps the fields for caches and none about a body`() throws {
        let response = try respond("If-None-Match: \"abc\"")
        #expect(response.status == .notModified)
        #expect(response.fields.all.map(\.name) == [.cacheControl, .vary, .etag, .lastModified])
    }

    @Test func `a range past the end gets the length, and is not stored`() throws {
        let response = try respond("Range: bytes=100-")
        #expect(response.status == .rangeNotSatisfiable)
        #expect(response.fields[.contentRange] == "bytes */100")
        #expect(response.fields[.cacheControl] == "no-store" && response.fields[.etag] == nil)
        let failed = try respond("If-Match: \"x\"")
        #expect(failed.status == .preconditionFailed)
        #expect(failed.fields[.cacheControl] == "no-store" && failed.fields[.etag] == nil)
    }
}

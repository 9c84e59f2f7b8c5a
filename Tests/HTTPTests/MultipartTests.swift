import HTTP
import Testing

private let type = "multipart/form-data; boundary=\"XX\""

/// Reads a body in pieces of a size; returns each part's head and content, or `nil` if the form is truncated.
private func read(
    _ text: String, pieces size: Int, limits: MultipartParser.Limits = .init()
) throws -> [(PartHead, String)]? {
    var parser = try #require(MultipartParser(contentType: type, limits: limits))
    var parts: [(PartHead, [UInt8])] = []
    var hasEnded = false
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
        for event in try parser.read(Array(bytes[start..<min(start + size, bytes.count)])) {
            switch event {
            case .head(let head): parts.append((head, []))
            case .body(let piece): parts[parts.count - 1].1 += piece
            case .end: hasEnded = true
            }
        }
    }
    return hasEnded ? parts.map { ($0.0, String(decoding: $0.1, as: UTF8.self)) } : nil
}

struct MultipartTests {
    private static let form = """
        preamble\r\n--XX\r\nContent-Disposition: form-data; name="version"\r\n\r\n1.0\r\n--XX  \r\n\
        content-disposition: form-data; name="file"; filename="包 \\"a\\".zip"\r\nContent-Type: application/zip\r\n\
        X-Other: 1\r\n\r\nPK\r\n--X\r\n-\r\n\r\r\n--XX\r\nContent-Disposition: form-data; name=empty\r\n\r\n\r\n--XX--\r\nepilogue
        """

    @Test(arguments: Array(1...40) + [10_000]) func `a form is read however it is cut`(size: Int) throws {
        let parts = try #require(try read(Self.form, pieces: size))
        #expect(parts.map(\.0.name) == ["version", "file", "empty"])
        #expect(parts.map(\.1) == ["1.0", "PK\r\n--X\r\n-\r\n\r", ""])
        #expect(parts.map(\.0.filename) == [nil, "包 \"a\".zip", nil])
        #expect(parts.map(\.0.contentType) == [nil, "application/zip", nil])
    }

    @Test(arguments: 1...12) func `the first boundary needs no line before it`(size: Int) throws {
        let parts = try #require(try read("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n--XX--", pieces: size))
        #expect(parts.map(\.1) == [""])
    }

    @Test(arguments: [
        "--XX\r\n\r\nbody\r\n--XX--", "--XX\r\nContent-Disposition: form-data\r\n\r\n\r\n--XX--",
        "--XX\r\nContent-Disposition: attachment; name=a\r\n\r\n\r\n--XX--", "--XX\r\nno colon\r\n\r\n\r\n--XX--",
        "--XXjunk\r\n\r\n", "--XX\nContent-Disposition: form-data; name=a\r\n\r\n",
        "--XX\r\nContent-Disposition: form-data; name=\"a\r\n\r\n\r\n--XX--",
        "--XX\r\nContent-Disposition : form-data; name=a\r\n\r\n\r\n--XX--",
        "--XX\r\nContent-Disposition: form-data; name=a\r\n : b\r\n\r\n\r\n--XX--",
        "--XX\r\n: b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--XX--",
        "--XX\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n\r\n\r\n--XX--",
    ])
    func `a broken form is refused`(text: String) {
        #expect(throws: MultipartError.malformed) { try read(text, pieces: 1_000) }
        #expect(throws: MultipartError.malformed) { try read(text, pieces: 1) }
    }

    @Test func `a form that breaks off has no end`() throws {
        let form = "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\nhalf"
        #expect(try read(form, pieces: 1_000) == nil)
        #expect(try read("", pieces: 1_000) == nil)
    }

    @Test func `heads and parts are limited`() throws {
        let head = "Content-Disposition: form-data; name=a\r\n\r\n"
        var limits = MultipartParser.Limits()
        limits.headBytes = head.utf8.count
        limits.parts = 2
        let part = "--XX\r\n\(head)x\r\n"
        #expect(try read(part + part + "--XX--", pieces: 5, limits: limits)?.count == 2)
        #expect(throws: MultipartError.tooManyParts) {
            try read(part + part + part + "--XX--", pieces: 5, limits: limits)
        }
        limits.headBytes -= 1
        #expect(throws: MultipartError.headTooLarge) { try read(part + "--XX--", pieces: 5, limits: limits) }
        #expect(throws: MultipartError.headTooLarge) { try read(part + "--XX--", pieces: 500, limits: limits) }
    }

    @Test(arguments: [1, 7, 1_000]) func `the bytes before a part are limited`(size: Int) throws {
        var limits = MultipartParser.Limits()
        limits.headBytes = 60
        let part = "Content-Disposition: form-data; name=a\r\n\r\nx\r\n--XX--"
        let preamble = { "\(String(repeating: "p", count: $0))\r\n--XX\r\n\(part)" }
        #expect(try read(preamble(58), pieces: size, limits: limits)?.count == 1)
        #expect(throws: MultipartError.headTooLarge) { try read(preamble(59), pieces: size, limits: limits) }
        let padded = { "--XX\(String(repeating: " ", count: $0))\r\n\(part)" }
        #expect(try read(padded(59), pieces: size, limits: limits)?.count == 1)
        #expect(throws: MultipartError.headTooLarge) { try read(padded(60), pieces: size, limits: limits) }
    }

    @Test(arguments: [
        "multipart/mixed; boundary=a", "multipart/form-data", "multipart/form-data; boundary=", "text/plain",
        "multipart/form-data; boundary=" + String(repeating: "b", count: 71),
    ])
    func `another media type or boundary is refused`(type: String) {
        #expect(MultipartParser(contentType: type) == nil)
    }

    @Test func `a boundary may have 70 bytes`() {
        let type = "Multipart/Form-Data; charset=utf-8; Boundary=" + String(repeating: "b", count: 70)
        #expect(MultipartParser(contentType: type) != nil)
    }
}

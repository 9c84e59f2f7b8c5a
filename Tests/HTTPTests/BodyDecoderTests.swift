import HTTP
import Testing

/// Decodes a chunked body that comes in pieces of a size; the body, and how many bytes are left over.
private func decode(
    _ text: String, pieces size: Int, limits: Limits = Limits()
) throws -> (String, rest: Int, done: Bool) {
    let bytes = Array(text.utf8)
    var decoder = BodyDecoder(.chunked, limits: limits)
    var body: [UInt8] = []
    var start = 0
    while start < bytes.count, !decoder.isComplete {
        var range = start..<min(start + size, bytes.count)
        while let found = try decoder.next(bytes, &range) { body += bytes[found] }
        start = decoder.isComplete ? range.lowerBound : range.upperBound
    }
    return (String(decoding: body, as: UTF8.self), bytes.count - start, decoder.isComplete)
}

struct BodyDecoderTests {
    @Test(arguments: 1...20) func `chunks are joined however they are cut`(size: Int) throws {
        let text = "5\r\nhello\r\n1;name=\"v\"\r\n \r\n00A\r\nwide world\r\n0\r\nTrailer: x\r\n\r\nGET"
        let (body, rest, isDone) = try decode(text, pieces: size)
        #expect(body == "hello wide world")
        #expect(rest == 3)
        #expect(isDone)
    }

    @Test(arguments: [
        "g\r\n", "\r\n", ";\r\n", "5 \r\nhello\r\n", "5\nhello\r\n", "5\r\nhelloX\r\n", "5\r\nhello\n", "-1\r\n",
        "fffffffffffffffff\r\n", "0\r\n folded\r\n\r\n", "0\r\nA: b\n\r\n", "0\r\n\rX", "1;\u{0}\r\n",
    ])
    func `broken framing is refused`(text: String) {
        #expect(throws: BodyError.malformed) { try decode(text, pieces: 100) }
        #expect(throws: BodyError.malformed) { try decode(text, pieces: 1) }
    }

    @Test func `a chunk's line and the trailer are limited`() throws {
        let line = "1;" + String(repeating: "e", count: 252) + "\r\n"
        #expect(line.utf8.count == 256)
        #expect(try decode(line + "a\r\n0\r\n\r\n", pieces: 50).0 == "a")
        #expect(throws: BodyError.malformed) { try decode("1" + line + "a", pieces: 50) }
        var limits = Limits()
        limits.trailerBytes = 10
        #expect(try decode("0\r\nA: bcd\r\n\r\n", pieces: 9, limits: limits).done)
        #expect(throws: BodyError.malformed) { try decode("0\r\nA: bcde\r\n\r\n", pieces: 9, limits: limits) }
    }

    @Test func `a declared length is kept to`() throws {
        var decoder = BodyDecoder(.length(5), limits: Limits())
        var range = 0..<3
        let bytes = Array("helloGET".utf8)
        #expect(try decoder.next(bytes, &range) == 0..<3)
        #expect(!decoder.isComplete)
        range = 3..<8
        #expect(try decoder.next(bytes, &range) == 3..<5)
        #expect(decoder.isComplete)
        #expect(try decoder.next(bytes, &range) == nil)
        #expect(range == 5..<8)
    }
}

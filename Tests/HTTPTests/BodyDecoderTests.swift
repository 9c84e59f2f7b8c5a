import HTTP
import Testing

/// Decodes a chunked body that arrives in pieces of a size; returns the body and the number of remaining bytes.
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
        "+1\r\na\r\n", " 1\r\na\r\n", "\t1\r\na\r\n", "0x1\r\na\r\n", "1,1\r\na\r\n", "5\rhello", "5\r\nhello\rX",
        "1;a\n\r\na", "1;a\rb\r\na", "1;\u{0}\r\n", "1;\u{7F}\r\n", "5\r\nhell\r\n",
        "0\r\n folded\r\n\r\n", "0\r\nA: b\n\r\n", "0\r\n\rX", "0\n\n", "0\r\n\n", "0\r\nA: b\rc\r\n\r\n",
        "0\r\nno colon\r\n\r\n", "0\r\nA\r\n\r\n", "0\r\nA : b\r\n\r\n", "0\r\n: b\r\n\r\n", "0\r\nA: \u{0}\r\n\r\n",
        "0\r\nA: b\r\n c\r\n\r\n",
    ])
    func `broken framing is refused`(text: String) {
        #expect(throws: BodyError.malformed) { try decode(text, pieces: 100) }
        #expect(throws: BodyError.malformed) { try decode(text, pieces: 1) }
    }

    @Test func `a size may have sixteen digits and no more`() throws {
        let zeros = String(repeating: "0", count: 15)
        #expect(try decode("\(zeros)1\r\na\r\n\(zeros)0\r\n\r\n", pieces: 9).0 == "a")
        #expect(throws: BodyError.malformed) { try decode("\(zeros)01\r\na\r\n", pieces: 9) }
    }

    @Test func `a size may be the largest integer and no more`() throws {
        #expect(try decode("7fffffffffffffff\r\na", pieces: 9).0 == "a")
        for size in ["8000000000000000", "ffffffffffffffff", "10000000000000000"] {
            #expect(throws: BodyError.malformed) { try decode("\(size)\r\na", pieces: 9) }
        }
    }

    @Test func `framing may outweigh the body by so much and no more`() throws {
        var limits = Limits()
        limits.chunkOverheadBytes = 100
        // 66 bytes of a line for one byte of the body: 48 beyond its share, which is allowed twice but not three times.
        let chunk = "1;" + String(repeating: "e", count: 62) + "\r\na\r\n"
        #expect(try decode("\(chunk)\(chunk)0\r\n\r\n", pieces: 9, limits: limits).0 == "aa")
        #expect(throws: BodyError.malformed) { try decode("\(chunk)\(chunk)\(chunk)", pieces: 9, limits: limits) }
        let small = String(repeating: "1;a=b\r\na\r\n", count: 1_000)
        #expect(try decode("\(chunk)\(small)0\r\n\r\n", pieces: 9, limits: limits).0.utf8.count == 1_001)
        limits.chunkOverheadBytes = 95
        #expect(throws: BodyError.malformed) { try decode("\(chunk)\(chunk)", pieces: 9, limits: limits) }
        limits.chunkOverheadBytes = 96
        #expect(try decode("\(chunk)\(chunk)0\r\n\r\n", pieces: 9, limits: limits).done)
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

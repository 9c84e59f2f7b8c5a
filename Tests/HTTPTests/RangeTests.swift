import HTTP
import Testing

private let etag = "\"abc\""

private func head(_ fields: String) throws -> RequestHead {
    try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n")
}

struct RangeTests {
    private func parts(_ set: String, length: Int) throws -> Precondition {
        Precondition(try head("Range: bytes=\(set)"), etag: etag, length: length)
    }

    @Test(arguments: [
        // Disjoint ranges in the order of the request.
        ("0-99,500-599", [0..<100, 500..<600]), ("500-599,0-99", [500..<600, 0..<100]),
        ("0-0,-1", [0..<1, 999..<1000]), ("900-,0-9", [900..<1000, 0..<10]),
        // Lists may contain white space and empty elements (RFC 9110 §5.6.1).
        (" 0-9 ,\t200-209 ", [0..<10, 200..<210]), (",0-9,,200-209,", [0..<10, 200..<210]),
        // Ranges after the end are ignored.
        ("0-9,2000-", [0..<10]), ("5000-6000,1000-1000,-5", [995..<1000]),
        // Ranges that overlap, touch or nearly touch are merged at the position of the first of them.
        ("0-99,50-149", [0..<150]), ("50-149,0-99", [0..<150]), ("0-99,100-199", [0..<200]),
        ("0-99,180-189", [0..<190]), ("0-99,181-189", [0..<100, 181..<190]),
        ("600-699,0-99,650-799", [600..<800, 0..<100]), ("0-9,500-599,5-505", [0..<600]),
        ("800-809,0-9,400-409,0-999", [0..<1000]), ("0-0,0-0,0-0", [0..<1]),
    ])
    func `several ranges are read, and those that overlap are one`(set: String, expected: [Range<Int>]) throws {
        #expect(try parts(set, length: 1000) == .partial(expected))
    }

    @Test(arguments: [
        "0-9,", ",", "", " ", "0-9 20-29", "0-9;20-29", "0-9,x", "0-9,5-4", "0-9,-", "0-9,1-2-3", "0-9,+1-2", "0 -9",
    ])
    func `a set of ranges with a fault is ignored`(set: String) throws {
        let isFine = set == "0-9,"
        #expect(try parts(set, length: 1000) == (isFine ? .partial([0..<10]) : .proceed))
    }

    @Test func `a set of ranges is unsatisfiable only if all are past the end`() throws {
        #expect(try parts("1000-,2000-2001,-0", length: 1000) == .unsatisfiable)
        #expect(try parts("0-,-1", length: 0) == .unsatisfiable)
    }

    @Test func `sixteen ranges are sent, and one more is not`() throws {
        let ranges = (0..<17).map { $0 * 1000..<$0 * 1000 + 10 }
        let written = ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
        #expect(
            try parts(written.prefix(16).joined(separator: ","), length: 20_000) == .partial(Array(ranges.prefix(16))))
        #expect(try parts(written.joined(separator: ","), length: 20_000) == .proceed)
        // Even if they could be merged into one.
        #expect(try parts(Array(repeating: "0-0", count: 17).joined(separator: ","), length: 20_000) == .proceed)
    }

    @Test func `two Range fields are ignored`() throws {
        let twice = try head("Range: bytes=0-1\r\nRange: bytes=2-3")
        #expect(Precondition(twice, etag: etag, length: 10) == .proceed)
    }
}

struct MultipartRangeTests {
    private final class Owner: Sendable {}

    private func respond(_ field: String, length: Int = 10_000) throws -> Response {
        let region = FileRegion(descriptor: 0, owner: Owner(), offset: 7, count: length)
        return Response.file(
            region, etag: etag, fields: [.contentType: "text/css", .cacheControl: "immutable"], for: try head(field))
    }

    /// Returns the pieces of the body, with the boundary as `B`.
    private func pieces(of response: Response) throws -> [String] {
        guard case .pieces(let pieces) = response.body else { return [] }
        let type = try #require(response.fields[.contentType])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(boundary.utf8.count == 32)
        return pieces.map { piece in
            switch piece {
            case .bytes(let bytes):
                String(decoding: bytes, as: UTF8.self).split(separator: boundary, omittingEmptySubsequences: false)
                    .joined(separator: "B")
            case .file(let region): "file \(region.offset) \(region.count)"
            }
        }
    }

    @Test func `several parts are one body, each with its Content-Range`() throws {
        let response = try respond("Range: bytes=5000-5009,0-99")
        #expect(response.status == .partialContent)
        #expect(response.fields[.contentType]?.hasPrefix("multipart/byteranges; boundary=") == true)
        #expect(response.fields[.contentRange] == nil, "that is for the parts to say (RFC 9110 §15.3.7.2)")
        #expect(response.fields[.etag] == etag && response.fields[.cacheControl] == "immutable")
        let expected = [
            "--B\r\nContent-Type: text/css\r\nContent-Range: bytes 5000-5009/10000\r\n\r\n", "file 5007 10",
            "\r\n--B\r\nContent-Type: text/css\r\nContent-Range: bytes 0-99/10000\r\n\r\n", "file 7 100",
            "\r\n--B--\r\n",
        ]
        #expect(try pieces(of: response) == expected)
        let boundary = 31
        let length = expected.joined().utf8.count - "file 5007 10file 7 100".utf8.count + 110 + 3 * boundary
        #expect(response.heading(minorVersion: 1) == .length(length))
        #expect(try pieces(of: respond("Range: bytes=5000-5009,0-99")) == expected)
    }

    @Test func `no two responses have the same boundary`() throws {
        let types = try (0..<50).map { _ in try respond("Range: bytes=0-9,500-509").fields[.contentType] ?? "" }
        #expect(Set(types).count == 50)
    }

    @Test func `ranges that merge into one are sent without parts`() throws {
        for set in ["0-9,5-19", "0-19,20000-", "0-9,10-19"] {
            let response = try respond("Range: bytes=\(set)")
            #expect(response.fields[.contentRange] == "bytes 0-19/10000")
            #expect(response.fields[.contentType] == "text/css")
        }
    }

    /// Requests for ranges must not inflate the response (RFC 9110 §17.15).
    @Test func `no set of ranges takes more bytes than the whole`() throws {
        var generator = SystemRandomNumberGenerator()
        var kinds: Set<Status> = []
        for _ in 0..<2_000 {
            let length = Int.random(in: 1...4_000, using: &generator)
            let set = (0..<Int.random(in: 1...18, using: &generator)).map { _ in
                let start = Int.random(in: 0..<length, using: &generator)
                return "\(start)-\(start + Int.random(in: 0...300, using: &generator))"
            }
            let response = try respond("Range: bytes=\(set.joined(separator: ","))", length: length)
            guard case .length(let count) = response.heading(minorVersion: 1) else { throw BodyError.malformed }
            #expect(count <= length, "\(set)")
            kinds.insert(response.status)
        }
        #expect(kinds == [.ok, .partialContent])
    }

    @Test func `If-Range decides about several ranges as about one`() throws {
        #expect(try respond("Range: bytes=0-9,500-509\r\nIf-Range: \(etag)").status == .partialContent)
        #expect(try respond("Range: bytes=0-9,500-509\r\nIf-Range: W/\(etag)").status == .ok)
    }
}

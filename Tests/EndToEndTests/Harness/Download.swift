import Ground
import TestKit
import Testing

/// A download URL, with the rules that apply to all of them (clients.md §0).
struct Download {
    let server: Server
    let target: String
    /// The bytes of the file.
    let bytes: [UInt8]
    private let tag: String

    init(_ target: String, from server: Server) throws {
        self.server = server
        self.target = target
        let whole = try server.exchange("GET", target)
        try #require(whole.statusLine == "HTTP/1.1 200 OK", "\(whole.lines) \(server.log)")
        bytes = whole.body
        tag = try whole.value(of: "ETag")
        // For a file smaller than the parts with their heads, the server sends the whole.
        try #require(bytes.count > 1_000)
    }

    private func get(_ fields: String...) throws -> WireResponse { try server.exchange("GET", target, fields) }

    private func expectWhole(_ response: WireResponse, _ what: String) {
        #expect(response.statusLine == "HTTP/1.1 200 OK", "\(what)")
        response.expectExactLength()
        let isWhole = response.body == bytes
        #expect(isWhole, "\(what)")
    }

    /// Checks G1: the exact length, no chunks and no coding, for all HTTP versions and codings of clients.
    func expectExactLength() throws {
        for version in ["1.1", "1.0"] {
            for fields in [
                [], ["Accept-Encoding: gzip, deflate, br, zstd"], ["accept-encoding: gzip;q=1, identity;q=0"],
            ] {
                let response = try server.exchange("GET", target, fields, version: version)
                expectWhole(response, "HTTP/\(version) \(fields)")
                #expect(!response.has("Content-Encoding") && response.values(of: "Accept-Ranges") == ["bytes"])
            }
        }
    }

    /// Checks G3: caches keep the bytes for a year, and no browser guesses a type or displays them.
    func expectImmutable() throws {
        // The second response is a prepared one.
        for _ in 0..<2 {
            let response = try get()
            #expect(response.values(of: "Cache-Control") == ["public, max-age=31536000, immutable"])
            #expect(response.values(of: "X-Content-Type-Options") == ["nosniff"])
            #expect(response.values(of: "Content-Disposition") == ["attachment"])
            #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
            #expect(response.values(of: "ETag") == [tag])
        }
    }

    /// Checks G7: one range in each of its forms, several ranges, and ranges after the end.
    func expectRanges() throws {
        let (count, last, middle) = (bytes.count, bytes.count - 1, bytes.count / 2)
        for (range, expected) in [
            ("0-0", 0...0), ("5-9", 5...9), ("\(middle)-", middle...last), ("\(last)-\(count + 100)", last...last),
            ("-3", (count - 3)...last), ("-\(count + 5)", 0...last),
        ] {
            for name in ["Range", "range"] {
                let response = try get("\(name): bytes=\(range)")
                #expect(response.statusLine == "HTTP/1.1 206 Partial Content", "\(range)")
                let contentRange = "bytes \(expected.lowerBound)-\(expected.upperBound)/\(count)"
                #expect(response.values(of: "Content-Range") == [contentRange])
                #expect(response.values(of: "ETag") == [tag])
                response.expectExactLength()
                let isPart = response.body == Array(bytes[expected])
                #expect(isPart, "\(range)")
            }
        }
        for range in ["\(count)-", "\(count + 1)-\(count + 9)", "-0"] {
            let past = try get("Range: bytes=\(range)")
            #expect(past.statusLine == "HTTP/1.1 416 Range Not Satisfiable", "\(range)")
            #expect(past.values(of: "Content-Range") == ["bytes */\(count)"])
            #expect(past.values(of: "Cache-Control") == ["no-store"] && past.body.isEmpty)
            past.expectExactLength()
        }
        // Malformed ranges, so the field is ignored.
        for range in ["bytes=9-5", "bytes=x-", "items=0-1"] { expectWhole(try get("Range: \(range)"), range) }
        try expectSeveralRanges()
    }

    private func expectSeveralRanges() throws {
        let count = bytes.count
        let response = try get("Range: bytes=-4,0-1")
        #expect(response.statusLine == "HTTP/1.1 206 Partial Content")
        let type = try response.value(of: "Content-Type")
        let boundary = try #require(type.split(separator: "multipart/byteranges; boundary=").first, "\(type)")
        let partType = try get().value(of: "Content-Type")
        let opening = "--\(boundary)\r\nContent-Type: \(partType)\r\nContent-Range: bytes"
        var expected = Array("\(opening) \(count - 4)-\(count - 1)/\(count)\r\n\r\n".utf8) + bytes.suffix(4)
        expected += Array("\r\n\(opening) 0-1/\(count)\r\n\r\n".utf8) + bytes.prefix(2)
        expected += Array("\r\n--\(boundary)--\r\n".utf8)
        #expect(response.body == expected)
        #expect(!response.has("Content-Range"))
        response.expectExactLength()
    }

    /// Checks G7: a broken download continues where it stopped, and begins again if the file has changed.
    func expectResume() throws {
        var received: [UInt8] = []
        do {
            let connection = try server.connect()
            try connection.sendHead("GET", target)
            #expect(try connection.receiveHead().fields["etag"] == tag)
            received = try connection.take(bytes.count / 3)
            connection.breakOff()
        }
        let range = "Range: bytes=\(received.count)-"
        let rest = try get(range, "If-Range: \(tag)")
        #expect(rest.statusLine == "HTTP/1.1 206 Partial Content")
        rest.expectExactLength()
        let isWhole = received + rest.body == bytes
        #expect(isWhole)
        // If-Range compares strongly (RFC 9110 §13.1.5).
        for other in ["\"other\"", "W/\(tag)"] { expectWhole(try get(range, "If-Range: \(other)"), other) }
    }

    /// Checks the conditions of RFC 9110 on the tag: `If-Match` compares strongly and takes precedence.
    func expectPreconditions() throws {
        expectWhole(try get("If-Match: \(tag)"), "If-Match")
        for fields in [["If-Match: W/\(tag)"], ["If-Match: \"x\"", "If-None-Match: \(tag)"]] {
            let failed = try server.exchange("GET", target, fields)
            #expect(failed.statusLine == "HTTP/1.1 412 Precondition Failed", "\(fields)")
            #expect(failed.values(of: "Cache-Control") == ["no-store"] && failed.body.isEmpty)
        }
    }

    /// Checks all rules of a download whose bytes never change.
    func expectEveryRule() throws {
        try expectExactLength()
        try expectImmutable()
        try expectRanges()
        try expectResume()
        try expectPreconditions()
        try server.expectNotModified(target)
        try server.expectHeadOfGet(target)
    }
}

import Ground
import TestKit
import Testing

/// A response as raw bytes of the socket, up to the end of the connection.
struct WireResponse {
    /// The status line and the field lines, byte for byte, without their CRLF.
    let lines: [String]
    /// The bytes after the empty line that ends the head.
    let body: [UInt8]

    init(_ bytes: [UInt8]) throws {
        let end = Array("\r\n\r\n".utf8)
        let headEnd = try #require(
            bytes.indices.first { bytes[$0...].starts(with: end) }, "no end of a head in \(bytes.count) bytes")
        lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false
        ).map(String.init)
        body = Array(bytes[(headEnd + end.count)...])
    }

    var statusLine: String { lines.first ?? "" }
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The lines of the head that do not depend on the time of the request.
    var stableLines: [String] { lines.filter { !$0.hasPrefix("Date: ") } }

    /// Returns the values of the fields with exactly this spelling of the name.
    func values(of name: String) -> [String] {
        lines.dropFirst().filter { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.utf8.count + 2)) }
    }

    /// Returns the only value of a field; a missing or repeated field fails the test.
    func value(of name: String) throws -> String {
        let values = values(of: name)
        try #require(values.count == 1, "\(name): \(values) in \(lines)")
        return values[0]
    }

    /// Whether the head has a field of this name, case-insensitively.
    func has(_ name: String) -> Bool {
        lines.dropFirst().contains { $0.lowercased().hasPrefix("\(name.lowercased()):") }
    }

    /// Expects a body of exactly the length in the head, without a transfer coding (clients.md G1).
    func expectExactLength(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(values(of: "Content-Length") == ["\(body.count)"], "\(lines)", sourceLocation: sourceLocation)
        #expect(!has("Transfer-Encoding"), sourceLocation: sourceLocation)
    }

    /// Expects an error that no client mistakes for a package: JSON of exact length that no cache keeps (clients.md
    /// G4).
    func expectProblem(_ status: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(statusLine == "HTTP/1.1 \(status)", sourceLocation: sourceLocation)
        #expect(values(of: "Content-Type") == ["application/problem+json"], sourceLocation: sourceLocation)
        #expect(values(of: "Cache-Control") == ["no-store"], sourceLocation: sourceLocation)
        #expect(text.hasPrefix("{") && !has("ETag"), sourceLocation: sourceLocation)
        expectExactLength(sourceLocation: sourceLocation)
    }
}

extension Server {
    /// Sends one request with `Connection: close`, and returns every byte up to the end.
    ///
    /// - Parameters:
    ///   - fields: Whole lines, so that a test controls the spelling of names.
    ///   - version: The HTTP version of the request.
    func exchange(
        _ method: String, _ target: String, _ fields: [String] = [], body: [UInt8] = [], version: String = "1.1"
    ) throws -> WireResponse {
        let connection = try connect()
        let lines = ["\(method) \(target) HTTP/\(version)", "Host: larder.test", "Connection: close"] + fields
        try connection.send(lines.map { "\($0)\r\n" }.joined() + "\r\n")
        try connection.send(body)
        return try WireResponse(connection.takeAll())
    }

    /// Returns the path and query of a URL of this server.
    func target(of url: String) throws -> String {
        try #require(url.hasPrefix("\(base)/"), "\(url)")
        return String(url.dropFirst(base.count))
    }

    /// Expects that `HEAD` returns the head of `GET` and no further byte, also if another request follows on the
    /// connection (clients.md G11).
    func expectHeadOfGet(_ target: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let whole = try exchange("GET", target)
        let head = try exchange("HEAD", target)
        #expect(head.stableLines == whole.stableLines, sourceLocation: sourceLocation)
        #expect(head.body.isEmpty && head.has("Content-Length"), sourceLocation: sourceLocation)

        let connection = try connect()
        let request = { (method: String, more: String) in "\(method) \(target) HTTP/1.1\r\nHost: h\r\n\(more)\r\n" }
        try connection.send(request("HEAD", "") + request("GET", "Connection: close\r\n"))
        let first = try WireResponse(connection.takeAll())
        let second = try WireResponse(first.body)
        #expect(second.statusLine == whole.statusLine, sourceLocation: sourceLocation)
        let isSame = second.body == whole.body
        #expect(isSame, sourceLocation: sourceLocation)
    }

    /// Expects 304 without a body for each form of a condition that names the current tag, and 200 for another tag.
    ///
    /// - Parameter kept: The names of fields that 304 repeats from the full response.
    func expectNotModified(
        _ target: String, kept: [String] = ["ETag", "Cache-Control", "Access-Control-Allow-Origin"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let whole = try exchange("GET", target)
        let tag = try whole.value(of: "ETag")
        // A proxy that speaks HTTP/2 to the client sends names in lower case.
        for condition in ["If-None-Match: \(tag)", "if-none-match: W/\(tag)", "If-None-Match: \"x\", \(tag)"] {
            for method in ["GET", "HEAD"] {
                let response = try exchange(method, target, [condition])
                #expect(
                    response.statusLine == "HTTP/1.1 304 Not Modified", "\(condition)", sourceLocation: sourceLocation)
                #expect(response.body.isEmpty, sourceLocation: sourceLocation)
                for name in ["Content-Length", "Content-Type", "Transfer-Encoding", "Content-Disposition"] {
                    #expect(!response.has(name), "\(name)", sourceLocation: sourceLocation)
                }
                for name in kept {
                    #expect(
                        response.values(of: name) == whole.values(of: name), "\(name)", sourceLocation: sourceLocation)
                    #expect(response.has(name), "\(name)", sourceLocation: sourceLocation)
                }
            }
        }
        let other = try exchange("GET", target, ["If-None-Match: \"other\""])
        #expect(other.statusLine == "HTTP/1.1 200 OK", sourceLocation: sourceLocation)
        let isSame = other.body == whole.body
        #expect(isSame, sourceLocation: sourceLocation)
    }
}

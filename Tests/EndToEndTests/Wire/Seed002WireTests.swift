import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the rules of seed 002's client on framing, caching and ranges with raw bytes (clients.md §1.2).
    @Suite struct Seed002WireTests {
        private struct Newest: Decodable {
            let version: String
            let path: String
        }

        /// The largest body that `/getNewestPackage` accepts, in bytes.
        private static let bodyLimit = 16 << 10

        private func start() throws -> Server {
            let server = try Server(options: ["--newest-package-at", "app"])
            try server.putPackage("app", #"{"dialects": ["newest-package"]}"#)
            try ship("1.0", on: server)
            return server
        }

        private func ship(_ version: String, on server: Server) throws {
            let files = [
                "js/app.js": Data("'\(version)'".utf8),
                "noise.bin": SamplePackage.noise(100_000, seed: UInt64(version.utf8.reduce(0) { $0 + Int($1) })),
            ]
            try server.mustPublish(try SamplePackage.folder(version, files), as: "app", version)
            try server.release(version, of: "app")
        }

        private func ask(
            _ server: Server, _ body: String = #"{"packageId":"app"}"#, version: String = "1.1"
        ) throws -> WireResponse {
            let fields = ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
            return try server.exchange(
                "POST", "/getNewestPackage", fields, body: Array(body.utf8), version: version)
        }

        /// Sends a body in chunks, like a client that does not know its length.
        private func askInChunks(_ server: Server, _ body: String) throws -> WireResponse {
            let pieces = [body.prefix(7), body.dropFirst(7)].filter { !$0.isEmpty }
            let chunks = pieces.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
            return try server.exchange(
                "POST", "/getNewestPackage", ["Transfer-Encoding: chunked"], body: Array(chunks.utf8))
        }

        @Test func `O1: the response is exactly 200 with JSON of exact length, which no cache keeps`() throws {
            let server = try start()
            for response in [
                try ask(server), try ask(server, version: "1.0"), try askInChunks(server, #"{"packageId":"app"}"#),
            ] {
                #expect(response.statusLine == "HTTP/1.1 200 OK")
                #expect(response.values(of: "Content-Type") == ["application/json"])
                #expect(response.values(of: "Cache-Control") == ["no-store"])
                #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
                #expect(!response.has("ETag") && !response.has("Content-Encoding"))
                response.expectExactLength()
                let members = try #require(
                    try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: String])
                #expect(members.keys.sorted() == ["path", "version"])
            }
        }

        @Test func `O6: clients do not check the download, so it states its length, is never coded and resumes`() throws
        {
            let server = try start()
            let newest = try JSONDecoder().decode(Newest.self, from: Data(try ask(server).body))
            try Download(server.target(of: newest.path), from: server).expectEveryRule()
        }

        @Test func `O5: '@' states its length and resumes, and after a release a resumed download begins again`() throws
        {
            let server = try start()
            let first = try Download("/@", from: server)
            try first.expectExactLength()
            try first.expectRanges()
            try first.expectResume()
            try server.expectNotModified("/@")
            try server.expectHeadOfGet("/@")
            let before = try server.exchange("GET", "/@")
            #expect(before.values(of: "Cache-Control") == ["no-cache"])
            #expect(before.values(of: "Content-Type") == ["application/zip"])
            #expect(before.values(of: "Content-Disposition") == ["attachment"])

            try ship("2.0", on: server)
            let tag = try before.value(of: "ETag")
            for fields in [["If-None-Match: \(tag)"], ["Range: bytes=500-", "If-Range: \(tag)"]] {
                let after = try server.exchange("GET", "/@", fields)
                #expect(after.statusLine == "HTTP/1.1 200 OK", "\(fields)")
                #expect(try after.value(of: "ETag") != tag)
                after.expectExactLength()
                let isAnother = after.body != before.body
                #expect(isAnother)
            }
            try server.putPackage("app", #"{"enable": false}"#)
            try server.exchange("GET", "/@").expectProblem("404 Not Found")
        }

        @Test func `O10: a package that is not on offer is 404 in JSON of exact length, never 200`() throws {
            let server = try start()
            for body in [#"{"packageId":"none"}"#, #"{"packageId":"no/id\n"}"#] {
                for response in [try ask(server, body), try askInChunks(server, body)] {
                    response.expectProblem("404 Not Found")
                    #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
                }
            }
            try server.exchange("GET", "/blobs/\(String(repeating: "0", count: 64))/app-1.0-r1.zip")
                .expectProblem("404 Not Found")
        }

        @Test func `O10: a request of 16 KiB is accepted and one byte more is refused, in one piece or in chunks`()
            throws
        {
            let server = try start()
            func body(_ size: Int) -> String {
                let start = #"{"packageId":"app","pad":""#
                return start + String(repeating: "x", count: size - start.utf8.count - 2) + "\"}"
            }
            for ask in [{ try ask(server, $0) }, { try askInChunks(server, $0) }] as [(String) throws -> WireResponse] {
                #expect(try ask(body(Self.bodyLimit)).statusLine == "HTTP/1.1 200 OK")
                try ask(body(Self.bodyLimit + 1)).expectProblem("413 Content Too Large")
            }
        }
    }
}

import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the rules of seed 000's client on framing, caching and ranges with raw bytes (clients.md §0).
    @Suite struct Seed000WireTests {
        private func publish(_ version: String, to server: Server) throws {
            let script = (1...2_000).map { "let line\($0) = '\($0)';\n" }.joined()
            let files = [
                "js/app.js": Data("\(script)let version = '\(version)';\n".utf8),
                "img/noise.png": SamplePackage.noise(100_000, seed: 7),
                "img/new.png": SamplePackage.noise(3_000, seed: UInt64(version.utf8.reduce(0) { $0 + Int($1) })),
            ]
            try server.mustPublish(try SamplePackage.folder(version, files), as: "news", version)
        }

        /// Starts a server that offers a full archive, an incremental one and a delta patch.
        private func start(_ versions: [String] = ["1.0.0", "1.1.0"]) throws -> Server {
            let server = try Server()
            try server.putPackage("news")
            for version in versions {
                try publish(version, to: server)
                try server.release(version, of: "news")
            }
            return server
        }

        @Test func `G1, G3, G7, G11: every archive and patch has its length, never changes, resumes, and has a HEAD`()
            throws
        {
            let server = try start()
            let archives = try #require(try server.config()["news"]).archives
            #expect(archives.count == 3, "a full archive, an incremental one and a delta patch")
            for (digest, url) in archives {
                let download = try Download(server.target(of: url), from: server)
                let file = "\(ScratchDirectory.path)/\(digest)"
                try Data(download.bytes).write(to: URL(fileURLWithPath: file))
                #expect(try Program.succeed(["sha256sum", file]).hasPrefix(digest))
                try download.expectEveryRule()
            }
        }

        @Test func `G3: an archive has the date of its publication, and a condition on that date saves the bytes`()
            throws
        {
            let server = try start()
            let target = try server.target(of: try #require(try server.config()["news"]?.url))
            let whole = try server.exchange("GET", target)
            let date = try whole.value(of: "Last-Modified")
            #expect(date.hasSuffix(" GMT"))
            let same = try server.exchange("GET", target, ["If-Modified-Since: \(date)"])
            #expect(same.statusLine == "HTTP/1.1 304 Not Modified" && same.body.isEmpty)
            #expect(same.values(of: "ETag") == whole.values(of: "ETag"))
            let past = "Sun, 06 Nov 1994 08:49:37 GMT"
            for field in ["If-Modified-Since: \(past)", "If-Unmodified-Since: \(date)"] {
                #expect(try server.exchange("GET", target, [field]).statusLine == "HTTP/1.1 200 OK", "\(field)")
            }
            let failed = try server.exchange("GET", target, ["If-Unmodified-Since: \(past)"])
            #expect(failed.statusLine == "HTTP/1.1 412 Precondition Failed")
            for (condition, status) in [(date, "206 Partial Content"), (past, "200 OK")] {
                let part = try server.exchange("GET", target, ["Range: bytes=0-0", "If-Range: \(condition)"])
                #expect(part.statusLine == "HTTP/1.1 \(status)")
            }
        }

        @Test func `G2: each check is revalidated, and an unchanged config costs only a head`() throws {
            // Without a patch, which the server replaces by a smaller one in the background.
            let server = try start(["1.1.0"])
            for version in ["1.1", "1.0"] {
                let response = try server.exchange("GET", "/config", version: version)
                #expect(response.statusLine == "HTTP/1.1 200 OK")
                #expect(response.values(of: "Content-Type") == ["application/json"])
                #expect(response.values(of: "Cache-Control") == ["max-age=0, must-revalidate, s-maxage=30"])
                #expect(response.values(of: "Larder-Poll-After") == ["600"])
                response.expectExactLength()
            }
            let kept = [
                "ETag", "Cache-Control", "Vary", "Larder-Config-Version", "Larder-Cursor", "Larder-Poll-After",
                "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
            ]
            try server.expectNotModified("/config", kept: kept)
            let any = try server.exchange("GET", "/config", ["If-None-Match: *"])
            #expect(any.statusLine == "HTTP/1.1 304 Not Modified" && any.body.isEmpty)
            try server.expectHeadOfGet("/config")

            let tag = try server.exchange("GET", "/config").value(of: "ETag")
            try publish("1.2.0", to: server)
            try server.release("1.2.0", of: "news")
            let changed = try server.exchange("GET", "/config", ["If-None-Match: \(tag)"])
            #expect(changed.statusLine == "HTTP/1.1 200 OK" && changed.text.contains("\"1.2.0\""))
            #expect(try changed.value(of: "ETag") != tag)
        }

        @Test func `G2: no shared cache keeps a config that names a device`() throws {
            let server = try start(["1.1.0"])
            for query in ["?deviceId=d", "?x=1&deviceId=", "?device%49d=d"] {
                let response = try server.exchange("GET", "/config" + query)
                #expect(response.values(of: "Cache-Control") == ["private, no-cache"], "\(query)")
                response.expectExactLength()
            }
            try server.expectNotModified("/config?deviceId=d")
            let other = try server.exchange("GET", "/config?deviceid=d")
            #expect(other.values(of: "Cache-Control") == ["max-age=0, must-revalidate, s-maxage=30"])
        }

        @Test func `G4, G11: an error is JSON of exact length for any origin, and a preflight has no body`() throws {
            let server = try start()
            let none = String(repeating: "0", count: 64)
            for target in ["/blobs/\(none)/news-1.1.0.zip", "/blobs/x/y.zip", "/apps/none/config"] {
                let response = try server.exchange("GET", target, ["Range: bytes=0-", "If-None-Match: *"])
                response.expectProblem("404 Not Found")
                #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
                try server.expectHeadOfGet(target)
            }
            let archive = try server.target(of: try #require(try server.config()["news"]?.url))
            for target in ["/config", archive] {
                let response = try server.exchange(
                    "OPTIONS", target, ["Origin: null", "Access-Control-Request-Method: GET"])
                #expect(response.statusLine == "HTTP/1.1 204 No Content" && response.body.isEmpty)
                #expect(!response.has("Content-Length") && !response.has("Transfer-Encoding"))
                #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
                #expect(try response.value(of: "Access-Control-Allow-Headers").contains("If-Range"))
            }
        }
    }
}

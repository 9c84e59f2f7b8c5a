import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the rules of seed 003's client on framing, caching and ranges with raw bytes (clients.md §1.3).
    @Suite struct Seed003WireTests {
        private struct Info: Decodable {
            let packageName: String
        }

        private static let info = "/packages/app/info.json"
        private static let script = (1...3_000).map { "let line\($0) = '\($0)';\n" }.joined()

        private func start() throws -> Server {
            let server = try Server()
            try server.putPackage("app", #"{"dialects": ["info-json"]}"#)
            try ship("1.0", on: server)
            return server
        }

        private func ship(_ version: String, on server: Server) throws {
            let files = [
                "js/app.js": Data("\(Self.script)'\(version)'".utf8),
                "img/noise.png": SamplePackage.noise(100_000, seed: 9),
            ]
            try server.mustPublish(try SamplePackage.folder(version, files), as: "app", version)
            try server.release(version, of: "app")
        }

        private func name(_ server: Server) throws -> String {
            try JSONDecoder().decode(Info.self, from: Data(try server.exchange("GET", Self.info).body)).packageName
        }

        @Test func `H1, H8: info_json is JSON of exact length, revalidated at each start, and 304 if unchanged`() throws
        {
            let server = try start()
            for version in ["1.1", "1.0"] {
                let response = try server.exchange("GET", Self.info, ["Accept-Encoding: gzip, br"], version: version)
                #expect(response.statusLine == "HTTP/1.1 200 OK")
                #expect(response.values(of: "Content-Type") == ["application/json"])
                #expect(response.values(of: "Cache-Control") == ["no-cache"])
                #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
                response.expectExactLength()
                let members = try #require(
                    try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
                #expect(members.keys.sorted() == ["fileList", "packageName"])
            }
            try server.expectNotModified(Self.info)
            try server.expectHeadOfGet(Self.info)
            let tag = try server.exchange("GET", Self.info).value(of: "ETag")
            try ship("2.0", on: server)
            let changed = try server.exchange("GET", Self.info, ["If-None-Match: \(tag)"])
            #expect(changed.statusLine == "HTTP/1.1 200 OK" && changed.text.contains("app-2.0-r2.zip"))
        }

        @Test func `H1: without an offer info_json is 404 of exact length, which no cache keeps`() throws {
            let server = try start()
            try server.putPackage("app", #"{"enable": false}"#)
            let response = try server.exchange("GET", Self.info, ["If-None-Match: *"])
            response.expectProblem("404 Not Found")
            #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
        }

        @Test func `H2, H4: the zip that info_json names is whole, never coded and resumes, and any other name is 404`()
            throws
        {
            let server = try start()
            let zip = try Download("/packages/app/\(try name(server))", from: server)
            try zip.expectEveryRule()
            let response = try server.exchange("GET", zip.target)
            #expect(response.values(of: "Content-Type") == ["application/zip"])
            for other in ["app-1.0-r2.zip", "app-2-r1.zip", "app-1.0-r01.zip", "app-1.0.zip", "other-1.0-r1.zip"] {
                try server.exchange("GET", "/packages/app/\(other)", ["Range: bytes=0-"]).expectProblem("404 Not Found")
            }
        }

        @Test func `H5: a file beside info_json is revalidated each time, has its length, and resumes`() throws {
            let server = try start()
            let image = try Download("/packages/app/noise.png", from: server)
            let isExact = image.bytes == Array(SamplePackage.noise(100_000, seed: 9))
            #expect(isExact)
            for target in [image.target, "/packages/app/js/app.js"] {
                let file = try Download(target, from: server)
                try file.expectRanges()
                try file.expectResume()
                try server.expectNotModified(target)
                try server.expectHeadOfGet(target)
                let response = try server.exchange("GET", target)
                #expect(response.values(of: "Cache-Control") == ["no-cache"])
                #expect(response.values(of: "X-Content-Type-Options") == ["nosniff"])
                response.expectExactLength()
            }
            try image.expectExactLength()

            let coded = try server.exchange("GET", "/packages/app/js/app.js", ["Accept-Encoding: gzip"])
            #expect(coded.values(of: "Content-Encoding") == ["gzip"] && coded.body.count < Self.script.utf8.count)
            #expect(coded.values(of: "Vary") == ["Accept-Encoding, Service-Worker"] && !coded.has("Accept-Ranges"))
            coded.expectExactLength()
            let tag = try coded.value(of: "ETag")
            let plain = try server.exchange("GET", "/packages/app/js/app.js")
            #expect(try plain.value(of: "ETag") != tag)
            // A range counts plain bytes, so the tag of the compressed ones fails the condition, and the response is
            // whole.
            let part = try server.exchange(
                "GET", "/packages/app/js/app.js", ["Accept-Encoding: gzip", "Range: bytes=8-10", "If-Range: \(tag)"])
            #expect(part.statusLine == "HTTP/1.1 200 OK")
            part.expectExactLength()
        }
    }
}

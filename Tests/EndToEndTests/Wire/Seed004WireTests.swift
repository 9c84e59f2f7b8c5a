import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the rules of seed 004's client on framing, caching and ranges with raw bytes (clients.md §1.4).
    @Suite struct Seed004WireTests {
        private struct List: Decodable {
            let version: String
            let resourceList: [Resource]

            struct Resource: Decodable {
                let resourceID: String
                let downUrl: String
                let size: Int
            }
        }

        private static let list = "/packages/app/resources.json"

        private func start() throws -> Server {
            let server = try Server()
            try server.putPackage("app", #"{"dialects": ["resources-json"]}"#)
            try ship("1.0", on: server)
            return server
        }

        private func ship(_ version: String, on server: Server) throws {
            let script = (1...200).map { "let line\($0) = '\($0)';\n" }.joined()
            let files = [
                "index.html": Data("<h1>\(String(repeating: "page ", count: 1_000))</h1>".utf8),
                "js/app.js": Data("\(script)'\(version)'".utf8), "img/noise.png": SamplePackage.noise(50_000, seed: 11),
            ]
            try server.mustPublish(try SamplePackage.folder(version, files), as: "app", version)
            try server.release(version, of: "app")
        }

        private func resources(_ server: Server) throws -> List {
            try JSONDecoder().decode(List.self, from: Data(try server.exchange("GET", Self.list).body))
        }

        @Test func `G2, P6: the list is JSON of exact length, revalidated each time, and 304 if unchanged`() throws {
            let server = try start()
            let first = try resources(server).version
            for target in [Self.list, "/resources.json", "\(Self.list)?version=\(first)"] {
                for version in ["1.1", "1.0"] {
                    let response = try server.exchange("GET", target, version: version)
                    #expect(response.statusLine == "HTTP/1.1 200 OK")
                    #expect(response.values(of: "Content-Type") == ["application/json"])
                    #expect(response.values(of: "Cache-Control") == ["no-cache"])
                    #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
                    #expect(response.body.allSatisfy { $0 < 0x80 })
                    response.expectExactLength()
                }
                try server.expectNotModified(target)
                try server.expectHeadOfGet(target)
            }
            let tag = try server.exchange("GET", Self.list).value(of: "ETag")
            try ship("1.1", on: server)
            let changed = try server.exchange("GET", Self.list, ["If-None-Match: \(tag)"])
            #expect(changed.statusLine == "HTTP/1.1 200 OK")
            // With patches it is another representation, which has another tag than the list without them.
            let own = try server.exchange("GET", Self.list)
            let patched = try server.exchange("GET", "\(Self.list)?version=\(first)")
            #expect(patched.text.contains("\"diff\"") && !own.text.contains("\"diff\""))
            #expect(try patched.value(of: "ETag") != own.value(of: "ETag"))
            patched.expectExactLength()
        }

        @Test func `P3, P7: a resource has its length, never changes under its URL, and resumes`() throws {
            let server = try start()
            let list = try resources(server).resourceList
            #expect(list.map(\.resourceID) == ["img_noise.png", "index.html", "js_app.js"])
            for resource in list {
                let download = try Download(server.target(of: resource.downUrl), from: server)
                #expect(download.bytes.count == resource.size)
                try download.expectEveryRule()
            }
        }

        @Test func `G4: a list that is not on offer is 404 in JSON of exact length, which no cache keeps`() throws {
            let server = try start()
            try server.putPackage("app", #"{"dialects": []}"#)
            for target in [Self.list, "/resources.json", "/packages/none/resources.json"] {
                let response = try server.exchange("GET", target)
                response.expectProblem("404 Not Found")
                #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
            }
        }
    }
}

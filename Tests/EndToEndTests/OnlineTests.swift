import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests that other programs read the unpacked copy.
    @Suite struct OnlineTests {
        private static let files: [String: Data] = [
            "js/app.js": Data((0..<80_000).map { "console.log(\($0 * 7919))\n" }.joined().utf8),
            "img/noise.png": SamplePackage.noise(300_000, seed: 3),
            "empty.css": Data(),
        ]

        private func start() throws -> Server {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("news", Self.files), as: "news", "1.0.0")
            try server.release("1.0.0", of: "news")
            return server
        }

        @Test func `every file comes back byte for byte, plain, in gzip and in parts`() throws {
            let server = try start()
            let folder = "\(ScratchDirectory.path)/news"
            for path in ["index.html"] + Self.files.keys {
                let url = "\(server.base)/online/news/1.0.0/\(path)"
                for fields in [[], ["--compressed"], ["-H", "Accept-Encoding: gzip", "--raw"]] {
                    let copy = "\(ScratchDirectory.path)/copy"
                    let result = try Program.succeed(
                        ["curl", "-sS", "--fail", "-o", copy, "-w", "%{size_download} %header{content-length}"]
                            + fields + [url])
                    let sizes = result.split(separator: " ")
                    #expect(sizes.count == 2 && sizes[0] == sizes[1], "\(path) \(fields)")
                    if fields.contains("--raw"), path.hasSuffix(".js") {
                        try Program.succeed(["sh", "-c", "gzip -dc < \(copy) > \(copy).plain"])
                        try Program.succeed(["cmp", "\(copy).plain", "\(folder)/\(path)"])
                        #expect(Int(sizes[0]) ?? .max < 1_000_000)
                    } else {
                        try Program.succeed(["cmp", copy, "\(folder)/\(path)"])
                    }
                }
            }
            let connection = try server.connect()
            let part = try connection.get(
                "/online/news/1.0.0/js/app.js", "Accept-Encoding: gzip\r\nRange: bytes=1000000-1000010\r\n")
            #expect(part.status == 206 && part.body == Array(Self.files["js/app.js"]?[1_000_000...1_000_010] ?? Data()))
            // On the same connection, to show that no bytes of the pieces before are left.
            let coded = try connection.get("/online/news/1.0.0/js/app.js", "Accept-Encoding: gzip\r\n")
            let tag = try #require(coded.fields["etag"])
            let kept = try connection.get(
                "/online/news/1.0.0/js/app.js", "Accept-Encoding: gzip\r\nIf-None-Match: \(tag)\r\n")
            #expect(coded.fields["content-encoding"] == "gzip" && kept.status == 304)
            try connection.send(
                "HEAD /online/news/1.0.0/js/app.js HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n")
            let head = try connection.receive(withoutBody: true)
            #expect(head.fields["content-length"] == "\(coded.body.count)" && head.fields["etag"] == tag)
            #expect(try connection.get("/online/news/1.0.0/").text == "<h1>news</h1>")
        }

        @Test func `a folder is found behind its redirect, and the current version switches with a release`() throws {
            let server = try start()
            let follow = ["curl", "-sS", "--fail", "-L", "\(server.base)/online/news/current"]
            #expect(try Program.succeed(follow) == "<h1>news</h1>")
            let other = try SamplePackage.folder("other", ["index.html": Data("<h1>other</h1>".utf8)])
            try server.mustPublish(other, as: "news", "1.1.0")
            #expect(try server.get("/online/news/1.1.0/").status == 404)
            try server.release("1.1.0", of: "news")
            #expect(try Program.succeed(follow) == "<h1>other</h1>")
            let fallback = try #require(try server.config()["news"]?.fallbackUrl)
            #expect(fallback == "\(server.base)/online/news/1.1.0/index.html")
            #expect(try Program.succeed(["curl", "-sS", "--fail", fallback]) == "<h1>other</h1>")
        }

        @Test(arguments: ["/../1.0.0/", "/%2e%2e/", "/..%2fx", "/js%2fapp.js", "/%00", "/js\\app.js"])
        func `no path leads out of a version`(path: String) throws {
            let response = try start().get("/online/news/1.0.0\(path)")
            #expect(response.status == 400)
        }

        @Test func `uploaded pages run in a sandbox, or on a host of their own`() throws {
            let shared = try start()
            let sandboxed = try shared.get("/online/news/1.0.0/")
            #expect(sandboxed.fields["content-security-policy"] == "sandbox allow-scripts allow-forms")
            try shared.stop()

            let server = try Server(
                token: shared.token, options: ["--content-url", "http://Content.example:\(shared.port)"])
            func get(_ path: String, at host: String) throws -> RawClient.Response {
                let connection = try server.connect()
                try connection.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                return try connection.receive()
            }
            let host = "content.EXAMPLE:\(shared.port)"
            let page = try get("/online/news/1.0.0/", at: host)
            #expect(page.status == 200 && page.fields["content-security-policy"] == nil)
            for path in ["/console/", "/api/v1/apps", "/config", "/healthz"] {
                #expect(try get(path, at: host).status == 404)
                #expect(try get(path, at: "larder.test").status == (path == "/api/v1/apps" ? 401 : 200))
            }
            let led = try get("/online/news/1.0.0/", at: "larder.test")
            #expect(led.status == 308)
            #expect(led.fields["location"] == "http://Content.example:\(shared.port)/online/news/1.0.0/")
            let fallback = try server.config()["news"]?.fallbackUrl
            #expect(fallback?.hasPrefix("http://Content.example:\(shared.port)/online/news/1.0.0/") == true)
        }

        @Test(arguments: [
            ["--public-url", "https://larder.example", "--content-url", "https://LARDER.example:8443/x"],
            ["--content-url", "http://127.0.0.1:1"], ["--content-url", "content.example"],
        ])
        func `a host for uploaded files that is the server's own is refused at the start`(options: [String]) throws {
            let data = "\(ScratchDirectory.path)/data"
            let outcome = try Program.run(
                [Larder.path, "serve", "--listen", "127.0.0.1:0", "--data", data] + options)
            #expect(outcome.status == 64)
            #expect(outcome.errorOutput.contains("--content-url"))
        }

        @Test func `the host of the files is a setting like any other`() throws {
            let result = try Larder.run(
                "serve", "--print-config", environment: ["LARDER_CONTENT_URL": "https://c.example"])
            #expect(result.output.contains("content-url = https://c.example  (environment)"))
            #expect(try Larder.run("serve", "--help").output.contains("LARDER_CONTENT_URL"))
        }
    }
}

import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

@testable import API

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct OnlineTests {
    private static let script = String(repeating: "console.log('news');\n", count: 100)
    private static let files: KeyValuePairs<String, String> = [
        "index.html": "<html>", "js/app.js": script, "docs/index.html": "<h1>", "图 1%/é.svg": "<svg/>",
        "data.bin": "\u{1}", "none": "?", "a.json": "{}", "fonts/a.woff2": "w",
    ]

    private func ready(contentURL: String? = nil) async throws -> TestService {
        let service = try await TestService(contentURL: contentURL)
        try await service.publish("1.0.0", Self.files)
        try await service.release("1.0.0")
        return service
    }

    @Test(arguments: [
        ("", "text/html; charset=utf-8", "<html>"), ("index.html", "text/html; charset=utf-8", "<html>"),
        ("js/app.js", "text/javascript; charset=utf-8", script), ("docs/", "text/html; charset=utf-8", "<h1>"),
        ("%E5%9B%BE%201%25/%C3%A9.svg", "image/svg+xml", "<svg/>"), ("data.bin", "application/octet-stream", "\u{1}"),
        ("none", "application/octet-stream", "?"), ("a.json", "application/json", "{}"),
        ("fonts/a.woff2", "font/woff2", "w"), ("index.html?v=1", "text/html; charset=utf-8", "<html>"),
    ])
    func `a file is sent with its type and never sniffed, a folder with its page`(
        path: String, type: String, content: String
    ) async throws {
        let service = try await ready()
        for base in ["", "/apps/default", "/apps/default/channels/production"] {
            // The second response comes from memory.
            for _ in 0..<2 {
                let response = try await service.get("\(base)/online/news/1.0.0/\(path)")
                #expect(response.status == 200 && response.text == content)
                #expect(response["Content-Type"] == type && response["X-Content-Type-Options"] == "nosniff")
                #expect(response["Cache-Control"] == "public, max-age=31536000, immutable")
                #expect(response["Content-Length"] == "\(content.utf8.count)" && response["Content-Disposition"] == nil)
                #expect(response["ETag"] == "\"\(service.cryptography.sha256(Array(content.utf8)).hex)\"")
                #expect(response["Accept-Ranges"] == "bytes" && response["Content-Encoding"] == nil)
            }
        }
    }

    @Test(arguments: [nil, "https://content.example"])
    func `the script of a service worker is refused, wherever uploaded files are`(contentURL: String?) async throws {
        let service = try await ready(contentURL: contentURL)
        let host = contentURL.map { String($0.dropFirst("https://".count)) } ?? "larder.example"
        func get(_ path: String, worker: String?) async throws -> TestResponse {
            let request = TestRequest("GET", path).at(host)
            return try await service.send(worker.map { request.with("Service-Worker", $0) } ?? request)
        }
        for path in ["/online/news/1.0.0/js/app.js", "/apps/default/online/news/current/js/app.js"] {
            let refused = try await get(path, worker: "script")
            #expect(refused.status == 403 && refused.text.contains("service worker"))
            #expect(try await get(path, worker: "other").status == 200)
            #expect(try await get(path, worker: nil).status == 200)
        }
        #expect(try await get("/packages/news/js/app.js", worker: "Script").status == 403)
        // It is not redirected to the host of uploaded pages either.
        #expect(try await service.get("/online/news/1.0.0/js/app.js", ("Service-Worker", "script")).status == 403)
    }

    @Test func `a client that requests many missing files does not block other clients`() async throws {
        let service = try await ready()
        let door = Door()
        service.store.setBefore(.unpackedItem) { () throws(PlatformError) in await door.pass() }
        let flooding = PeerAddress(ipv4: 0x0A00_0001)
        // The requests that query the store, those that wait, and one more.
        let count = LookupQueue.width + LookupQueue.capacity + 1
        let flood = try (0..<count).map { number in
            let request = TestRequest("GET", "/online/news/1.0.0/none-\(number)").from(flooding)
            return try begin(request, on: service)
        }
        #expect(door.held == LookupQueue.width)
        let honest = try begin(
            TestRequest("GET", "/online/news/1.0.0/index.html").from(PeerAddress(ipv4: 0x0A00_0002)), on: service)
        door.open()
        #expect(await honest.value.status == .ok)
        var refused = 0
        for task in flood {
            let response = await task.value
            if response.status == .serviceUnavailable { refused += 1 }
            #expect([.notFound, .serviceUnavailable].contains(response.status))
        }
        // The request past the limit, and the one that made room for the other client.
        #expect(refused == 2)
    }

    /// Starts the task of a request.
    private func begin(_ request: TestRequest, on service: TestService) throws -> Task<Response, Never> {
        let head = try request.head
        guard case .handle(_, let handler) = service.application.decide(head).disposition else {
            throw Unexpected("no handler")
        }
        return Task.immediate { await handler(Request(head: head, body: .empty)) }
    }

    @Test func `the store is queried once for an existing path, and every time for a missing one`() async throws {
        let service = try await ready()
        let asked = Counter()
        service.store.setBefore(.unpackedItem) { () throws(PlatformError) in asked.increment() }
        for _ in 0..<3 { _ = try await service.get("/online/news/1.0.0/index.html") }
        #expect(asked.value == 1)
        #expect(try await service.get("/online/news/current/index.html").status == 200)
        #expect(asked.value == 1, "it is the same file")
        for _ in 0..<3 { _ = try await service.get("/online/news/1.0.0/index.htm") }
        #expect(asked.value == 4)
    }

    /// A cached script must not be used for a request that is rejected by its field.
    private static let vary = "Accept-Encoding, Service-Worker"

    @Test func `gzip is the stored stream in its frame, with a tag of its own`() async throws {
        let service = try await ready()
        let path = "/online/news/1.0.0/js/app.js"
        let plain = try await service.get(path)
        let response = try await service.get(path, ("Accept-Encoding", "gzip, deflate, br"))
        #expect(response.status == 200 && response["Content-Encoding"] == "gzip")
        #expect(plain["Vary"] == Self.vary && response["Vary"] == Self.vary)
        #expect(response["ETag"] == plain["ETag"].map { "\($0.dropLast())-gzip\"" })
        #expect(response["Content-Length"] == "\(response.body.count)" && response["Accept-Ranges"] == nil)
        #expect(response["Content-Type"] == plain["Content-Type"])
        let package = try #require(PackageID("news"))
        let name = try #require(VersionString("1.0.0"))
        let version = try #require(try await service.store.version(name, of: package, in: .default))
        let stream = try #require(version.tree[try TreePath("js/app.js")]?.content.deflated)
        let stored = try #require(try service.blobs.open(stream.digest)?.readAll())
        #expect(response.body.prefix(3) == [0x1F, 0x8B, 8])
        #expect(response.body.dropFirst(10).dropLast(8).elementsEqual(stored))
        #expect(response.body.suffix(4) == [0x34, 0x08, 0, 0], "2,100 bytes")
        // Compression would not shorten it, so the response varies only by the field of service workers.
        let small = try await service.get("/online/news/1.0.0/index.html", ("Accept-Encoding", "gzip"))
        #expect(small["Content-Encoding"] == nil && small["Vary"] == "Service-Worker" && small.text == "<html>")
    }

    @Test func `unpacked files support conditional and range requests`() async throws {
        let service = try await ready()
        let path = "/online/news/1.0.0/js/app.js"
        let tag = try #require(try await service.get(path)["ETag"])
        let gzip = (name: "Accept-Encoding", value: "gzip")
        let coded = try #require(try await service.get(path, gzip)["ETag"])
        #expect(try await service.get(path, ("If-None-Match", tag)).status == 304)
        #expect(try await service.get(path, gzip, ("If-None-Match", tag))["ETag"] == tag)
        let kept = try await service.get(path, gzip, ("If-None-Match", coded))
        #expect(kept.status == 304 && kept["ETag"] == coded && kept["Vary"] == Self.vary)
        #expect(kept["Content-Encoding"] == nil && kept.body.isEmpty)
        #expect(try await service.get(path, ("If-None-Match", coded)).status == 200)
        #expect(try await service.get(path, ("If-Match", "\"other\"")).status == 412)
        let part = try await service.get(path, gzip, ("Range", "bytes=8-10"), ("If-Range", tag))
        #expect(part.status == 206 && part.text == "log" && part["Content-Range"] == "bytes 8-10/2100")
        #expect(part["ETag"] == tag && part["Content-Encoding"] == nil)
        #expect(try await service.get(path, gzip, ("Range", "bytes=8-10"), ("If-Range", coded)).text == Self.script)
        #expect(try await service.get(path, ("Range", "bytes=2100-")).status == 416)
    }

    @Test(arguments: [
        ("", "./1.0.0/"), ("?a=b&c", "./1.0.0/?a=b&c"), ("/js", "./js/"), ("/%E5%9B%BE%201%25", "./%E5%9B%BE%201%25/"),
    ])
    func `a folder without its slash leads to the one with it, wherever the server is mounted`(
        path: String, location: String
    ) async throws {
        let response = try await ready().get("/online/news/1.0.0\(path)")
        #expect(response.status == 308 && response["Location"] == location && response.body.isEmpty)
        #expect(response["Cache-Control"] == "public, max-age=31536000, immutable")
    }

    @Test func `the root redirects to a nested entry page, and its folder serves it`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(entry: .some(try TreePath("p a/home.html"))))
        try await service.publish("1.0.0", ["p a/home.html": "home", "b/x.txt": "x"], unwrapping: .never)
        try await service.release("1.0.0")
        let response = try await service.get("/online/news/1.0.0/?q")
        #expect(response.status == 308 && response["Location"] == "./p%20a/home.html?q")
        #expect(try await service.get("/online/news/1.0.0/p%20a/").text == "home")
        #expect(try await service.get("/online/news/1.0.0/b/").status == 404)
        let url = "https://larder.example/online/news/1.0.0/p%20a/home.html"
        #expect(try await service.get("/config").json["news"]?["fallbackUrl"]?.string == url)
    }

    @Test func `a version without an entry has no root and no fallback`() async throws {
        let service = try await TestService()
        try await service.putPackage("news", .init(entry: .some(nil)))
        try await service.publish("1.0.0", ["a.js": "1", "b/index.html": "b"])
        try await service.release("1.0.0")
        let response = try await service.get("/online/news/1.0.0/")
        #expect(response.status == 404 && response.detail.contains("no entry page"))
        #expect(try await service.get("/online/news/1.0.0/b/").text == "b")
        #expect(try await service.get("/config").json["news"]?["fallbackUrl"] == nil)
    }

    @Test func `'current' is the version that the channel offers, and is revalidated on every request`() async throws {
        let service = try await ready()
        let before = try await service.get("/online/news/current/")
        #expect(before.text == "<html>" && before["Cache-Control"] == "no-cache")
        let tag = try #require(before["ETag"])
        #expect(try await service.get("/online/news/current/", ("If-None-Match", tag)).status == 304)
        #expect(try await service.get("/online/news/current")["Cache-Control"] == "no-cache")
        try await service.publish("1.1.0", ["index.html": "new"])
        let moment = service.fromNow(1000)
        try await service.release("1.1.0", at: moment)
        #expect(try await service.get("/online/news/current/").text == "<html>")
        #expect(try await service.get("/online/news/1.1.0/").text == "new", "it may be downloaded ahead")
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        #expect(try await service.get("/online/news/current/", ("If-None-Match", tag)).text == "new")
        #expect(try await service.get("/online/news/1.0.0/").text == "<html>")
        service.clock.advance(milliseconds: 1)
        try await service.release("1.0.0")
        #expect(try await service.get("/online/news/current/").text == "<html>")
    }

    @Test(arguments: [
        ("/online/news/1.0.0/none.js", "has no file at this path"), ("/online/news/1.0.0/js/", "has no file"),
        ("/online/news/1.0.0/js/app.js/", "has no file"), ("/online/news/1.0.0/INDEX.html", "has no file"),
        ("/online/news/1.0.0/files.json", "has no file"), ("/online/news/2.0.0/", "no released version '2.0.0'"),
        ("/online/news/0.9.0/", "no released version '0.9.0'"), ("/online/news/0.9.0", "no released version '0.9.0'"),
        ("/online/News/1.0.0/", "'News' has"), ("/online/shop/current/", "no current version"),
        ("/online/news/1..0/", "no released version '1..0'"), ("/apps/none/online/news/1.0.0/", "no app 'none'"),
        ("/apps/default/channels/beta/online/news/1.0.0/", "no channel 'beta'"),
    ])
    func `a missing or unreleased file or version is 404 with a sentence`(
        target: String, sentence: String
    ) async throws {
        let service = try await ready()
        try await service.publish("0.9.0", Self.files)
        let response = try await service.get(target)
        #expect(response.status == 404 && response.detail.contains(sentence), "\(response.detail)")
        #expect(response["Cache-Control"] == "no-store" && response["Access-Control-Allow-Origin"] == "*")
        #expect(response["Content-Security-Policy"] == Self.sandbox)
    }

    @Test(arguments: [
        "..", "../1.0.0/index.html", "%2e%2e/index.html", "js/%2E./index.html", "js%2Fapp.js", "js%5capp.js",
        "js\\app.js", "index.html%00", "%00", "./index.html", "%ff",
    ])
    func `a path that would lead elsewhere is refused`(path: String) async throws {
        let service = try await ready()
        let response = try await service.get("/online/news/1.0.0/\(path)")
        #expect(response.status == 400 && response.code == "invalid-request")
    }

    @Test func `empty parts of a path are nowhere`() async throws {
        let service = try await ready()
        for path in ["/online/news/1.0.0//", "/online/news/1.0.0/js//app.js", "/online//1.0.0/", "/online/news//"] {
            #expect(try await service.get(path).status == 404, "\(path)")
        }
    }

    @Test func `a file whose bytes are gone is 404, not a fault`() async throws {
        let service = try await ready()
        let target = "/online/news/1.0.0/index.html"
        _ = try await service.get(target)
        _ = try service.blobs.sweep(keeping: [])
        let response = try await service.get(target)
        #expect(response.status == 404 && response.detail.contains("was removed"))
    }

    // MARK: Isolation

    private static let sandbox = "sandbox allow-scripts allow-forms"

    @Test(arguments: [
        ("1.0.0/", 200), ("1.0.0/js/app.js", 200), ("1.0.0/js", 308), ("1.0.0/nothing", 404), ("current/", 200),
        ("1.0.0", 308), ("9/", 404),
    ])
    func `beside the console every page has an origin of its own`(path: String, status: Int) async throws {
        let service = try await ready()
        // From the store, then from memory.
        for _ in 0..<2 {
            let response = try await service.get("/online/news/\(path)")
            #expect(response.status == status)
            #expect(response["Content-Security-Policy"] == Self.sandbox)
            // A sandboxed page loads its own modules and fonts as cross-origin.
            #expect(response["Access-Control-Allow-Origin"] == "*")
            #expect(response["Cross-Origin-Resource-Policy"] == "cross-origin")
        }
        let conditions = [("If-None-Match", "*"), ("If-Match", "\"x\""), ("Range", "bytes=0-1")]
        for field in conditions where status == 200 {
            #expect(try await service.get("/online/news/\(path)", field)["Content-Security-Policy"] == Self.sandbox)
        }
    }

    @Test(arguments: [
        "content.example", "CONTENT.example", "content.example:443", "content.example:8443", "content.example.",
        "content.example.:80",
    ])
    func `a separate host serves uploaded files without a sandbox, and no other route`(host: String) async throws {
        let service = try await ready(contentURL: "https://Content.example")
        let page = try await service.send(TestRequest("GET", "/online/news/1.0.0/").at(host))
        #expect(page.status == 200 && page.text == "<html>" && page["Content-Security-Policy"] == nil)
        #expect(page["Access-Control-Allow-Origin"] == "*" && page["X-Content-Type-Options"] == "nosniff")
        let url = try #require(try await service.get("/config").json["news"]?["url"]?.string)
        let archive = String(url.dropFirst(TestService.publicURL.count))
        #expect(try await service.send(TestRequest("GET", archive).at(host)).status == 200)
        #expect(try await service.get(archive).status == 200)
        for target in [
            "/", "/console", "/console/", "/config", "/apps/default/config", "/push", "/report", "/keys.json",
            "/healthz", "/readyz", "/metrics", "/api/v1/apps",
        ] {
            for method in ["GET", "POST", "PUT", "DELETE", "OPTIONS"] {
                let request = TestRequest(method, target).at(host).by(try await service.makeToken(.admin))
                #expect(try await service.send(request).status == 404, "\(method) \(target)")
            }
        }
    }

    @Test(arguments: ["larder.example", "content.example.evil", "acontent.example", "content.examplex", "other", ""])
    func `other hosts lead to the host of the files`(host: String) async throws {
        let service = try await ready(contentURL: "https://content.example")
        for path in ["/online/news/1.0.0/js/app.js?a=%20", "/apps/default/online/none/current"] {
            let response = try await service.send(TestRequest("GET", path).at(host))
            #expect(response.status == 308 && response["Location"] == "https://content.example\(path)")
            #expect(response["Access-Control-Allow-Origin"] == "*" && response.body.isEmpty)
        }
        #expect(try await service.send(TestRequest("GET", "/config").at(host)).status == 200)
    }

    @Test func `figures and logs call a route the same at both hosts`() async throws {
        let service = try await ready(contentURL: "http://content.example:8081")
        let routes = try ["larder.example", "content.example:8081"].map { host in
            let head = try TestRequest("GET", "/online/news/1.0.0/").at(host).head
            return service.application.routes[Int(service.application.decide(head).route.index)]
        }
        #expect(Set(routes) == ["GET /online/{package}/{version}/{path...}"])
        let elsewhere = try TestRequest("GET", "/config").at("content.example:8081").head
        #expect(service.application.decide(elsewhere).route == RouteID.none)
    }

    @Test func `config names the entry of the very version, under each base and at the host of the files`() async throws
    {
        let service = try await TestService(contentURL: "https://content.example/")
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        for (version, channel) in [("1.0.0+5", ChannelName.production), ("2.0.0", beta)] {
            try await service.publish(version, Self.files)
            try await service.release(version, on: channel)
        }
        try await service.release("2.0.0", at: service.fromNow(1000))
        func entry(_ base: String) async throws -> JSON {
            try #require(try await service.get(base + "/config").json["news"])
        }
        let first = "https://content.example/online/news/1.0.0%2B5/index.html"
        #expect(try await entry("")["fallbackUrl"]?.string == first)
        #expect(try await entry("/apps/default")["fallbackUrl"]?.string == first)
        let next = try #require(try await entry("")["next"]?["fallbackUrl"]?.string)
        #expect(next == "https://content.example/online/news/2.0.0/index.html")
        let other = try #require(try await entry("/apps/default/channels/beta")["fallbackUrl"]?.string)
        #expect(other == "https://content.example/apps/default/channels/beta/online/news/2.0.0/index.html")
        for url in [first, next, other] {
            let path = String(url.dropFirst("https://content.example".count))
            #expect(try await service.send(TestRequest("GET", path).at("content.example")).text == "<html>")
        }
    }

    @Test(arguments: [
        ("https://Content.Example", "content.example"), ("https://content.example:8443/a", "content.example"),
        ("http://content.example.:80", "content.example"), ("http://[::1]:8080", "[::1]"), ("http://[::1]", "[::1]"),
        ("http://user@127.0.0.1:1", "127.0.0.1"), ("http://a:b", "a:b"),
    ])
    func `the host of a URL is its name alone, in lower case`(text: String, host: String) throws {
        #expect(try #require(PublicURL(text)).host == host)
    }
}

import API
import Domain
import Glibc
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct BlobTests {
    /// Returns a service with a release, and the path of its archive.
    private func ready() async throws -> (service: TestService, path: String, digest: SHA256Digest) {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let url = try #require(try await service.get("/config").json["news"]?["url"]?.string)
        let artifact = try #require(try service.entry()?.current?.version.full.artifact)
        return (service, String(url.dropFirst(TestService.publicURL.count)), artifact.blob)
    }

    @Test func `an archive has the date at which it came, for conditions as well`() async throws {
        let (service, path, _) = try await ready()
        #expect(try await service.get(path)["Last-Modified"] == nil, "the tests' clock is behind the machine's")
        service.clock.set(to: Timestamp(milliseconds: 4_000_000_000_000))
        let date = try #require(try await service.get(path)["Last-Modified"])
        let seconds = try #require(HTTPDate(date.utf8)).secondsSinceEpoch
        #expect(abs(seconds - time(nil)) < 600)
        let before = HTTPDate(secondsSinceEpoch: seconds - 1).description
        #expect(try await service.get(path, ("If-Modified-Since", date)).status == 304)
        #expect(try await service.get(path, ("If-Modified-Since", before)).status == 200)
        #expect(try await service.get(path, ("If-Modified-Since", date), ("If-None-Match", "\"x\"")).status == 200)
        #expect(try await service.get(path, ("If-Unmodified-Since", date)).status == 200)
        let failed = try await service.get(path, ("If-Unmodified-Since", before))
        #expect(failed.status == 412 && failed["Cache-Control"] == "no-store")
        #expect(try await service.get(path, ("Range", "bytes=0-0"), ("If-Range", date)).status == 206)
        #expect(try await service.get(path, ("Range", "bytes=0-0"), ("If-Range", before)).status == 200)
        // The date has whole seconds: for a clock at the same second, and for one that is behind.
        let machine = try #require(try service.blobs.open(try digest(path))).storedAt
        service.clock.set(to: machine)
        #expect(try await service.get(path)["Last-Modified"] == date)
        service.clock.set(to: machine.adding(milliseconds: -1))
        #expect(try await service.get(path)["Last-Modified"] == nil)
    }

    private func digest(_ path: String) throws -> SHA256Digest {
        try #require(SHA256Digest(hex: String(path.split(separator: "/")[1])))
    }

    @Test func `the file name after a digest is required, and does not change the response`() async throws {
        let (service, _, digest) = try await ready()
        #expect(try await service.get("/blobs/\(digest)/other.zip").status == 200)
        #expect(try await service.get("/blobs/\(digest)/x.html")["Content-Type"] == "application/octet-stream")
        #expect(try await service.get("/blobs/\(digest)").status == 404)
        #expect(try await service.get("/blobs/\(digest)/").status == 404)
        #expect(try await service.get("/blobs/\(digest)/a/b").status == 404)
    }

    @Test(arguments: [
        "x", "..%2f..%2flarder.sqlite", String(repeating: "0", count: 64), String(repeating: "0", count: 63),
        String(repeating: "A", count: 64), String(repeating: "g", count: 64), "%00", "staging",
    ])
    func `a path that is not the digest of a blob is 400 or 404`(digest: String) async throws {
        let response = try await TestService().get("/blobs/\(digest)/x.zip")
        #expect(response.status == 404 || response.status == 400)
        #expect(response["Cache-Control"] == "no-store")
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct KeyDocumentRouteTests {
    @Test(arguments: ["/keys.json", "/apps/default/keys.json", "/apps/default/channels/production/keys.json"])
    func `the document verifies with the root key, and names the key that signed the archives`(
        target: String
    ) async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        let response = try await desk.service.get(target)
        #expect(response.status == 200)
        #expect(response["Content-Type"] == "application/json" && response["Cache-Control"] == "no-cache")
        let json = try response.json
        let signed = try #require(json["signed"]?.string.flatMap(Base64.decode))
        let signature = try #require(json["signatures"]?.elements?.first)
        let document = try #require(JSON(parsing: signed))
        let rootKey = try #require(document["root"]?["publicKey"]?.string.flatMap(Base64.decode))
        let value = try #require(signature["value"]?.string.flatMap(Base64.decode))
        #expect(
            desk.service.cryptography.verifyEd25519(
                value, of: Array("larder-keys-1\n".utf8) + signed, publicKey: rootKey))
        // The fingerprint that an operator gives to clients that pin the root key.
        let keys = try #require(try await desk.call("GET", "/api/v1/apps/default/keys").json["keys"]?.elements)
        let root = try #require(keys.first { $0["purpose"] == "root" })
        #expect(root["fingerprint"]?.string == desk.service.cryptography.sha256(rootKey).hex)
        #expect(root["keyId"] == signature["keyId"] && root["keyId"] == document["root"]?["keyId"])
        let entry = try #require(try await desk.service.get("/config").json["news"])
        #expect(document["keys"]?.elements?.first?["keyId"] == entry["signatures"]?.elements?.first?["keyId"])
    }

    @Test func `the key document contains no private key and no legacy key`() async throws {
        let service = try await TestService()
        let response = try await service.get("/keys.json")
        let signed = try #require(try response.json["signed"]?.string.flatMap(Base64.decode))
        let text = response.text + String(decoding: signed, as: UTF8.self)
        #expect(!text.contains("PRIVATE") && !text.contains("BEGIN") && !text.contains("rsa"))
        for key in try await service.store.keys(of: .default) where key.purpose != .legacy {
            #expect(!text.contains(Base64.encode(try #require(key.privateKey))))
        }
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ConsoleTests {
    private func service(script: String = "1") async throws -> TestService {
        try await TestService(
            hasLegacyKey: false,
            console: [
                ConsoleFile(path: "index.html", bytes: Array(#"<html><script src="code/app.js">"#.utf8)),
                ConsoleFile(path: "app.js", bytes: Array(script.utf8)), ConsoleFile(path: "a/b.css", bytes: []),
                ConsoleFile(path: "logo.svg", bytes: Array("<svg>".utf8)), ConsoleFile(path: "x.bin", bytes: [1]),
                ConsoleFile(path: "pages/charts/line.js", bytes: Array("2".utf8)),
            ])
    }

    @Test(arguments: [
        ("", "text/html; charset=utf-8"), ("index.html", "text/html; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"), ("a/b.css", "text/css; charset=utf-8"),
        ("logo.svg", "image/svg+xml"), ("x.bin", "application/octet-stream"),
        ("pages/charts/line.js", "text/javascript; charset=utf-8"),
    ])
    func `a file has its type and is kept from harm`(path: String, type: String) async throws {
        let response = try await service().get("/console/\(path)")
        #expect(response.status == 200)
        #expect(response["Content-Type"] == type)
        #expect(response["X-Content-Type-Options"] == "nosniff")
        #expect(
            response["Content-Security-Policy"]
                == "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
                + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
        #expect(response["Referrer-Policy"] == "no-referrer")
        #expect(response["Cross-Origin-Opener-Policy"] == "same-origin")
        #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
        #expect(response["Cache-Control"] == "no-cache")
        #expect(response["Access-Control-Allow-Origin"] == nil)
    }

    @Test func `a client that holds the file gets 304`() async throws {
        let service = try await service()
        let etag = try #require(try await service.get("/console/app.js")["ETag"])
        let response = try await service.get("/console/app.js", ("If-None-Match", etag))
        #expect(response.status == 304 && response.body.isEmpty)
        #expect(
            response["ETag"] == etag && response["Content-Security-Policy"] != nil && response["Content-Type"] == nil)
        #expect(try await service.get("/console/index.html")["ETag"] != etag)
    }

    @Test func `a page names its code by its digest, and browsers keep the code without asking again`() async throws {
        let service = try await service()
        let page = try await service.get("/console/").text
        let code = try #require(page.firstMatch(of: /src="(code\/[0-9a-f]{32}\/)app\.js"/)).1
        let response = try await service.get("/console/\(code)app.js", ("Accept-Encoding", "identity"))
        #expect(response.status == 200 && response.text == "1")
        #expect(response["Cache-Control"] == "public, max-age=31536000, immutable")
        #expect(response["Content-Security-Policy"] != nil && response["ETag"] != nil)
        #expect(try await service.get("/console/\(code)pages/charts/line.js").text == "2")
        #expect(try await service.get("/console/\(code)none.js").status == 404)
        #expect(try await service.get("/console/\(code)index.html").status == 404, "a page changes with each version")
        #expect(try await service.get("/console/\(code)").status == 404)
    }

    @Test func `another file gives the code another address`() async throws {
        let (former, present) = (try await service(script: "1"), try await service(script: "2"))
        let pages = [try await former.get("/console/"), try await present.get("/console/")]
        #expect(pages[0].text != pages[1].text && pages[0]["ETag"] != pages[1]["ETag"])
        let script = try #require(pages[0].text.firstMatch(of: /src="([^"]+)"/)).1
        let response = try await present.get("/console/\(script)")
        #expect(response.text == "2" && response["Cache-Control"] == "no-cache")
    }

    @Test func `the code of another version is the present one, which no cache keeps`() async throws {
        let service = try await service()
        let response = try await service.get("/console/code/0123456789abcdef0123456789abcdef/app.js")
        #expect(response.status == 200 && response.text == "1" && response["Cache-Control"] == "no-cache")
        #expect(try await service.get("/console/code/app.js").status == 404)
    }

    @Test(arguments: ["none.js", "a", "a/", "a/b.css/", "INDEX.html", "pages/line.js", "pages/charts"])
    func `a missing file is 404`(path: String) async throws {
        #expect(try await service().get("/console/\(path)").status == 404)
    }

    @Test(arguments: ["/", "/console"])
    func `the root redirects to the console`(target: String) async throws {
        let response = try await service().get(target)
        #expect(response.status == 302 && response["Location"] == "/console/")
    }
}

import API
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RoutingTests {
    @Test(arguments: [
        "/nothing", "/config/", "/Config", "/apps", "/apps/default", "/api", "/api/v2", "/api/v2/apps", "/blobs/x",
        "/apps/default/channels", "/console/../config2", "//config", "/config%2F",
    ])
    func `unknown paths are 404 or refused, as a problem`(target: String) async throws {
        let response = try await TestService().get(target)
        let isRefused = target.contains("..") || target.contains("%2F")
        #expect(response.status == (isRefused ? 400 : 404))
        #expect(response["Content-Type"] == "application/problem+json")
        #expect(try response.json["status"]?.integer == Int64(response.status))
        #expect(response["Cache-Control"] == "no-store")
    }

    @Test(arguments: [
        ("POST", "/config", "GET, HEAD, OPTIONS"), ("DELETE", "/push", "GET, HEAD, OPTIONS"),
        ("PUT", "/report", "GET, HEAD, POST, OPTIONS"), ("POST", "/blobs/a/b", "GET, HEAD, OPTIONS"),
        ("DELETE", "/api/v1/apps/shop", "GET, HEAD, PUT, OPTIONS"),
        ("PATCH", "/api/v1/tokens", "GET, HEAD, POST, OPTIONS"),
        ("POST", "/console/", "GET, HEAD, OPTIONS"), ("BREW", "/healthz", "GET, HEAD, OPTIONS"),
    ])
    func `another method is 405, and those that are allowed are named`(
        method: String, target: String, allowed: String
    ) async throws {
        let response = try await TestService().send(TestRequest(method, target, body: [1]))
        #expect(response.status == 405 && response.code == "method-not-allowed")
        #expect(response["Allow"] == allowed)
        #expect(response.isBodyUntouched)
    }

    @Test func `the methods of the whole server are named`() async throws {
        let response = try await TestService().send(TestRequest("OPTIONS", "*"))
        #expect(response.status == 204)
        let methods = try #require(response["Allow"]).split(separator: ", ")
        #expect(Set(methods) == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    }

    @Test func `an internal error shows only the id of its log entry`() async throws {
        let desk = try await Desk()
        desk.service.store.setBefore(.state) { () throws(PlatformError) in
            throw PlatformError(.storageFailed, "secret message", cause: "secret cause")
        }
        let response = try await desk.call("PUT", Desk.news, .object(["name": "News"]))
        #expect(response.status == 500 && response.code == "storage-failed")
        #expect(!response.text.contains("secret"))
        let id = try #require(try response.json["id"]?.string)
        #expect(response.detail.contains(id))
        let line = try #require(desk.service.log.all.first { $0.contains(id) })
        #expect(line.contains("secret cause") && line.contains("storage-failed"))
    }

    @Test(arguments: ["/config", "/push", "/keys.json", "/online/news/current", "/api/v1/apps", "/nothing"])
    func `a query of 128 parameters is accepted, and one more is refused`(path: String) async throws {
        let service = try await TestService(hasLegacyKey: false)
        func query(_ count: Int) -> String { (1...count).map { "p\($0)" }.joined(separator: "&") }
        let edge = try await service.get("\(path)?\(query(128))")
        #expect(edge.code != "invalid-request")
        let past = try await service.get("\(path)?\(query(129))")
        #expect(past.status == 400 && past.code == "invalid-request")
        #expect(past.detail.contains("more than 128 parameters"))
        #expect(past["Access-Control-Allow-Origin"] == "*", "pages can read what is wrong")
    }

    @Test func `every code has a status and a title of its own`() throws {
        let log = RecordingLog()
        for code in PlatformError.Code.allCases {
            let response = PlatformError(code, "What happened.", entry: "e", reason: "r").response(log: log)
            #expect((400...599).contains(response.status.code))
            guard case .bytes(let bytes) = response.body else { throw Unexpected("no body") }
            let problem = try #require(JSON(parsing: bytes))
            #expect(problem["code"]?.string == code.rawValue)
            #expect(problem["type"] == "about:blank")
            #expect(problem["entry"] == "e" && problem["reason"] == "r")
            #expect(problem["title"]?.string?.first?.isUppercase == true)
            #expect((response.fields[.retryAfter] != nil) == [.busy, .storageUnavailable].contains(code))
        }
        #expect(PlatformError.Code.busy.status == .serviceUnavailable)
        #expect(PlatformError.Code.storageFull.status == .insufficientStorage)
        #expect(PlatformError.Code.badPackage.status == .unprocessableContent)
    }

    @Test func `health does not query the store, and readiness does`() async throws {
        let service = try await TestService()
        #expect(try await service.get("/readyz").status == 200)
        service.store.setBefore(.check) { () throws(PlatformError) in
            throw PlatformError(.storageFailed, "no", cause: "disk gone")
        }
        let ready = try await service.get("/readyz")
        #expect(ready.status == 503)
        #expect(!ready.text.contains("disk gone"))
        #expect(service.log.all.contains { $0.contains("disk gone") })
        let health = try await service.get("/healthz")
        #expect(health.status == 200 && health.text == "ok\n" && health["Cache-Control"] == "no-store")
    }

    @Test(arguments: [
        ("https://larder.example", "https://larder.example"), ("http://h:8080/", "http://h:8080"),
        ("https://h/a/b//", "https://h/a/b"), ("http://[::1]:80", "http://[::1]:80"),
    ])
    func `a public URL is kept without its final slash`(text: String, kept: String) {
        #expect(PublicURL(text)?.text == kept)
    }

    @Test(arguments: [
        "", "larder.example", "ftp://h", "http://", "http:///x", "https://h?x", "https://h#x", "https://h h",
        "https://中文.example", "HTTPS://h", "http://:80", "http://h\n", "http://h\\x", "http://h/\"",
    ])
    func `a URL that is not plain is refused`(text: String) {
        #expect(PublicURL(text) == nil)
    }
}

import API
import Domain
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct MethodTests {
    @Test(arguments: [
        ("/config", "GET, HEAD, OPTIONS"), ("/push", "GET, HEAD, OPTIONS"), ("/keys.json", "GET, HEAD, OPTIONS"),
        ("/report", "GET, HEAD, POST, OPTIONS"), ("/report/schema.json", "GET, HEAD, OPTIONS"),
        ("/blobs/00/x.zip", "GET, HEAD, OPTIONS"),
        ("/online/news/1/a", "GET, HEAD, OPTIONS"),
        ("/apps/none/config", "GET, HEAD, OPTIONS"), ("/apps/default/channels/beta/report", "GET, HEAD, POST, OPTIONS"),
    ])
    func `a preflight response lists what pages of any origin may send to clients' routes`(
        target: String, methods: String
    ) async throws {
        let service = try await TestService(hasLegacyKey: false)
        for origin in ["null", "capacitor://localhost", "https://a.example"] {
            let request = TestRequest("OPTIONS", target).with("Origin", origin)
                .with("Access-Control-Request-Method", "PATCH").with("Access-Control-Request-Headers", "x-\(origin)")
            let response = try await service.send(request)
            #expect(response.status == 204)
            #expect(response["Allow"] == methods)
            #expect(response["Access-Control-Allow-Origin"] == "*")
            #expect(response["Access-Control-Allow-Methods"] == methods)
            #expect(
                response["Access-Control-Allow-Headers"]
                    == "Accept-Signature, Content-Encoding, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Last-Event-ID, Range"
            )
            #expect(response["Access-Control-Max-Age"] == "86400")
            #expect(!response.fields.contains { $0.value.contains(origin) }, "nothing is echoed")
        }
    }

    @Test(arguments: ["/", "/console", "/console/", "/console/none.js", "/healthz", "/readyz", "/metrics"])
    func `OPTIONS names the methods of every other path, and lets no page in`(target: String) async throws {
        let response = try await TestService(hasLegacyKey: false).send(
            TestRequest("OPTIONS", target).with("Origin", "null"))
        #expect(response.status == 204 && response.body.isEmpty)
        #expect(response["Allow"] == "GET, HEAD, OPTIONS")
        #expect(!response.fields.contains { $0.name.hasPrefix("Access-Control") })
    }

    @Test func `OPTIONS on an unknown path is 404`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        #expect(try await service.send(TestRequest("OPTIONS", "/nothing")).status == 404)
        #expect(try await service.send(TestRequest("OPTIONS", "/config/..")).status == 400)
    }

    private static let clients = [
        "/config", "/push", "/report", "/keys.json", "/config?deviceId=d", "/online/news/1.0.0/",
    ]
    private static let others = ["/", "/console/", "/healthz", "/readyz", "/nothing", "/apps/none/config"]

    @Test(arguments: clients + others + OperatorRoute.all.filter { $0.method == "GET" }.map { Desk.api + $0.path })
    func `HEAD has the status and header fields of GET, and no body`(target: String) async throws {
        let desk = try await Desk(TestService(console: [.init(path: "index.html", bytes: Array("<html>".utf8))]))
        try await desk.service.ship("1.0.0")
        for coding in ["", "gzip", "br"] {
            let request = { method in
                try TestRequest(method, target).by(desk.token(.admin)).with("Accept-Encoding", coding)
            }
            let got = try await desk.service.send(try request("GET"))
            let head = try await desk.service.send(try request("HEAD"))
            #expect(head.status == got.status)
            #expect(head.fields.map { "\($0)" } == got.fields.map { "\($0)" })
            #expect(head.body.isEmpty)
            #expect(got["Content-Length"] == "\(got.body.count)")
        }
    }
}

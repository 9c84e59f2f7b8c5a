import API
import Domain
import FoundationEssentials
import Platform
import ServiceKit
import TestKit
import Testing

/// What docs/api.md says of each route's answers is what they are.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RouteTableTests {
    private static let routes = [
        "GET /config", "GET /config?deviceId=…", "GET /push", "GET /report", "POST /report", "GET /keys.json",
        "GET /blobs/{sha256}/{name}", "GET /console/{file}", "GET /", "GET /healthz", "GET /readyz",
        "GET /api/v1/…", "GET /api/v1/apps/{app}/keys/legacy", "GET /metrics", "GET /nothing",
    ]

    private static let table: [Substring] = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    }()

    @Test(arguments: routes)
    func `the table says what the answer is`(route: String) async throws {
        let row = try #require(Self.table.first { $0.hasPrefix("| `\(route)` |") }, "there is no row")
        #expect(try await "\(measured(route))" == row)
    }

    /// A row of the table, made from what the route answers.
    private func measured(_ route: String) async throws -> String {
        let text = Array(String(repeating: "// text\n", count: 50).utf8)
        let desk = try await Desk(TestService(console: [ConsoleFile(path: "main.js", bytes: text)]))
        try await desk.service.ship("1.0.0")
        // The archives' files were written by the machine's clock.
        desk.service.clock.set(to: .init(milliseconds: 4_000_000_000_000))
        try await desk.service.live.activate(desk.service.app)
        let request = try await request(route, desk)

        func ask(_ name: String, _ value: String) async throws -> TestAnswer {
            try await desk.service.send(request.with(name, value))
        }

        let plain = try await desk.service.send(request)
        let cache = plain["Cache-Control"].map { "`\($0)`" } ?? "–"
        let vary = plain["Vary"].map { "`\($0)`" } ?? "–"
        let origins = plain["Access-Control-Allow-Origin"] == "*" ? "all" : "own"
        let tag = try await ask("If-None-Match", plain["ETag"] ?? "*").status == 304 ? ["tag"] : []
        let future = "Fri, 01 Jan 2100 00:00:00 GMT"
        let date = try await ask("If-Modified-Since", future).status == 304 ? ["date"] : []
        let conditions = (tag + date).joined(separator: ", ")
        let isPart = try await ask("Range", "bytes=0-0").status == 206
        #expect(isPart == (plain["Accept-Ranges"] == "bytes"))
        var codings: [String] = []
        for coding in ["gzip", "br"] where try await ask("Accept-Encoding", coding)["Content-Encoding"] == coding {
            codings.append(coding)
        }
        let cells = [
            "`\(route)`", cache, vary, origins, conditions.isEmpty ? "–" : conditions, isPart ? "yes" : "–",
            codings.isEmpty ? "–" : codings.joined(separator: ", "),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    private func request(_ route: String, _ desk: Desk) async throws -> TestRequest {
        let parts = route.split(separator: " ")
        let url = try #require(try await desk.service.get("/config").json["news"]?["url"]?.string)
        let target =
            switch parts[1] {
            case "/config?deviceId=…": "/config?deviceId=d"
            case "/blobs/{sha256}/{name}": String(url.dropFirst(TestService.publicURL.count))
            case "/console/{file}": "/console/main.js"
            case "/api/v1/…": "/api/v1/apps"
            case "/api/v1/apps/{app}/keys/legacy": "/api/v1/apps/default/keys/legacy"
            default: String(parts[1])
            }
        return try TestRequest(String(parts[0]), target, body: parts[0] == "POST" ? Array("[]".utf8) : nil)
            .by(desk.token(.admin))
    }
}

import API
import Dialects
import Domain
import FoundationEssentials
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Compares the responses of each route with docs/api.md.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RouteTableTests {
    /// Returns the rows of a section's tables by the route in their first column.
    private static func rows(of section: String) -> [String: String] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        guard let start = text.firstRange(of: "\n## \(section)\n") else { return [:] }
        let end = text[start.upperBound...].firstRange(of: "\n## ")?.lowerBound ?? text.endIndex
        var rows: [String: String] = [:]
        for row in text[start.upperBound..<end].split(separator: "\n") where row.hasPrefix("| `") {
            let parts = row.split(separator: "`", maxSplits: 2)
            if parts.count == 3, parts[1].contains(" /") { rows[String(parts[1])] = String(row) }
        }
        return rows
    }

    private static let table = rows(of: "All routes")

    /// Returns the name of a route in the table, and whether it is one of the operators' routes.
    private static func name(of route: String) -> (isOperators: Bool, name: String) {
        let parts = route.split(separator: " ", maxSplits: 1)
        let (method, path) = (parts[0], String(parts[1]).replacing("...}", with: "}"))
        if path == "/api/v1" { return (true, route) }
        if path.hasPrefix("/api/v1/") { return (true, "\(method) \(path.dropFirst("/api/v1".count))") }
        // The routes of clients exist below each of their base URLs.
        let bases = [
            "/apps/{app}/legacy/{keyId}/channels/{channel}/", "/apps/{app}/legacy/{keyId}/",
            "/apps/{app}/channels/{channel}/", "/apps/{app}/",
        ]
        let base = bases.first(where: path.hasPrefix)
        return (false, "\(method) \(base.map { path.dropFirst($0.count - 1) } ?? path[...])")
    }

    @Test func `every route has a row, and operators' rows are routes`() async throws {
        let routes = try await TestService().application.routes.dropFirst().filter { !$0.hasPrefix("OPTIONS ") }
        let names = routes.map(Self.name)
        let missing = names.lazy.filter { !$0.isOperators }.map(\.name).filter { Self.table[$0] == nil }
        #expect(Set(missing) == [])
        let operators = Set(names.filter(\.isOperators).map(\.name))
        #expect(operators.symmetricDifference(Self.rows(of: "Operators").keys) == [])
    }

    @Test(arguments: table.keys.sorted())
    func `the table states the properties of each response`(route: String) async throws {
        #expect(try await measured(route) == Self.table[route])
    }

    /// Returns a row of the table, derived from the route's responses.
    private func measured(_ route: String) async throws -> String {
        let text = Array(String(repeating: "// text\n", count: 50).utf8)
        let desk = try await Desk(
            TestService(
                console: [
                    ConsoleFile(path: "main.js", bytes: text),
                    ConsoleFile(path: "index.html", bytes: Array(#"<script src="code/main.js">"#.utf8)),
                ],
                newestPackageAt: "pages"))
        try await desk.service.ship("1.0.0")
        try await desk.service.publish("1.0.0", of: "pages", zip: StoredZip([("index.html", text)]).bytes)
        try await desk.service.release("1.0.0", of: "pages")
        try await desk.service.putPackage("pages", .init(dialects: [.newestPackage, .infoJSON, .resourcesJSON]))
        // The machine's clock dated the archives' files.
        desk.service.clock.set(to: .init(milliseconds: 4_000_000_000_000))
        try await desk.service.live.activate(desk.service.app)
        let request = try await request(route, desk)

        func ask(_ name: String, _ value: String) async throws -> TestResponse {
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

    /// Returns the path of the script that the console's page names.
    private func codePath(_ desk: Desk) async throws -> Substring {
        let page = try await desk.service.get("/console/").text
        return try #require(page.firstMatch(of: /src="([^"]+)"/)).1
    }

    private func request(_ route: String, _ desk: Desk) async throws -> TestRequest {
        let parts = route.split(separator: " ")
        let url = try #require(try await desk.service.get("/config").json["news"]?["url"]?.string)
        let target =
            switch parts[1] {
            case "/config?deviceId=…": "/config?deviceId=d"
            case "/blobs/{digest}/{name}": String(url.dropFirst(TestService.publicURL.count))
            case "/online/{package}/{version}/{path}": "/online/pages/1.0.0/"
            case "/online/{package}/current/{path}": "/online/pages/current/"
            case "/online/{package}/{version}": "/online/pages/1.0.0"
            case "/packages/{package}/info.json": "/packages/pages/info.json"
            case "/packages/{package}/resources.json": "/packages/pages/resources.json"
            case "/packages/{package}/{packageName}": "/packages/pages/pages-1.0.0-r2.zip"
            case "/packages/{package}/{path}": "/packages/pages/index.html"
            case "/console/{path}": "/console/main.js"
            case "/console/code/{digest}/{path}": "/console/\(try await codePath(desk))"
            case "/api/v1/…": "/api/v1/apps"
            case "/api/v1/apps/{app}/keys/legacy": "/api/v1/apps/default/keys/legacy"
            default: String(parts[1])
            }
        let body = target == "/getNewestPackage" ? #"{"packageId": "pages"}"# : "[]"
        return try TestRequest(String(parts[0]), target, body: parts[0] == "POST" ? Array(body.utf8) : nil)
            .by(desk.token(.admin))
    }
}

import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the pages, orders and filters of all lists but the audit log.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ListPageTests {
    /// A list, with the member that has its items and the member that tells them apart.
    struct List: Sendable, CustomTestStringConvertible {
        let path: String
        let name: String
        let id: String
        let sorts: [String]

        var testDescription: String { path }

        static let all = [
            List(path: "/apps", name: "apps", id: "id", sorts: ["id"]),
            List(path: "/apps/default/channels", name: "channels", id: "name", sorts: ["name"]),
            List(path: "/apps/default/packages", name: "packages", id: "id", sorts: ["id", "name"]),
            List(path: news + "/versions", name: "versions", id: "version", sorts: ["published"]),
            List(path: news + "/versions/1.0.0/archives", name: "archives", id: "layout", sorts: ["layout"]),
            List(path: news + "/waivers", name: "waivers", id: "code", sorts: ["code", "at"]),
            List(path: news + "/releases", name: "releases", id: "id", sorts: ["-rank", "id"]),
            List(path: "/apps/default/releases", name: "releases", id: "id", sorts: ["-id", "activeTime"]),
            List(path: "/apps/default/release-sets", name: "releaseSets", id: "id", sorts: ["-id"]),
            List(
                path: "/apps/default/device-lists", name: "deviceLists", id: "name",
                sorts: ["name", "changedAt", "devices"]),
            List(path: "/apps/default/builds", name: "builds", id: "appVersion", sorts: ["appVersion", "changedAt"]),
            List(path: "/apps/default/page-grants", name: "pageGrants", id: "name", sorts: ["name", "expires"]),
            List(
                path: "/apps/default/presets", name: "presets", id: "appVersion", sorts: ["-createdAt", "appVersion"]),
            List(path: "/apps/default/keys", name: "keys", id: "keyId", sorts: ["place"]),
            List(path: "/tokens", name: "tokens", id: "id", sorts: ["id", "name"]),
            List(path: "/apps/default/webhooks", name: "webhooks", id: "id", sorts: ["id"]),
        ]

        static let news = "/apps/default/packages/news"
    }

    /// Returns a service that has at least three items in every list.
    private func filled() async throws -> Desk {
        let desk = try await Desk()
        let service = desk.service
        for version in ["0.9.0", "1.0.0", "1.1.0"] {
            try await service.publishSample(version)
            try await service.publishSample(version, of: "common")
        }
        func make(_ method: String, _ path: String, _ body: String) async throws {
            let response = try await desk.send(method, Desk.api + path, Array(body.utf8))
            try #require((200...201).contains(response.status), "\(path): \(response.text)")
        }
        for (number, name) in ["b", "a", "c"].enumerated() {
            try await make("PUT", "/apps/\(name)", "")
            try await make("PUT", "/apps/default/channels/\(name)", "")
            try await make("PUT", "/apps/default/packages/\(name)", #"{"name": "Same"}"#)
            try await make("PUT", "/apps/default/device-lists/\(name)", String(repeating: "x\(number)\n", count: 1))
            try await make("PUT", "/apps/default/builds/\(name)", #"{"apis": ["camera"]}"#)
            try await make(
                "PUT", "/apps/default/page-grants/\(name)",
                #"{"origin": "https://\#(name).example", "path": "/", "apis": ["pay"], "expires": "2030-01-01T00:00:00Z"}"#
            )
            try await make("POST", "/apps/default/webhooks", #"{"url": "\#(Desk.receiver)"}"#)
        }
        for layout in ["flat", "top-folder"] {
            try await make("PUT", List.news + "/versions/1.0.0/archives/\(layout)", "")
        }
        for code in ["secret", "source-map", "name-unsafe"] {
            try await make("PUT", List.news + "/waivers/\(code)", #"{"reason": "r"}"#)
        }
        for version in ["0.9.0", "1.0.0", "1.1.0"] {
            try await make(
                "POST", "/apps/default/release-sets", #"{"versions": {"news": "\#(version)", "common": "\#(version)"}}"#
            )
            try await make(
                "POST", "/apps/default/presets", #"{"appVersion": "\#(version)", "packages": {"news": "1.0.0"}}"#)
        }
        return desk
    }

    private func ids(_ response: TestResponse, _ list: List) throws -> [JSON] {
        try #require(response.status == 200, "\(response.text)")
        return try #require(try response.json[list.name]?.elements).compactMap { $0[list.id] }
    }

    /// Returns the items of each page.
    private func pages(_ desk: Desk, _ list: List, _ query: String) async throws -> [[JSON]] {
        var pages: [[JSON]] = []
        var target: String? = Desk.api + list.path + query
        while let next = target, pages.count < 50 {
            let response = try await desk.call("GET", next)
            pages.append(try ids(response, list))
            target = try response["Link"].map { link in
                let url = try #require(link.wholeMatch(of: #/<([^>]*)>; rel="next"/#), "\(link)").1
                return String(url)
            }
        }
        return pages
    }

    @Test(arguments: List.all)
    func `the pages of a list have all of its items once, in either order`(list: List) async throws {
        let desk = try await filled()
        let whole = try await pages(desk, list, "")
        #expect(whole.count == 1 && whole[0].count >= 3)
        let standard = try #require(list.sorts.first)
        for sort in list.sorts + list.sorts.map({ $0.hasPrefix("-") ? String($0.dropFirst()) : "-" + $0 }) {
            let sorted = try await pages(desk, list, "?sort=\(sort)").flatMap { $0 }
            if sort == standard { #expect(sorted == whole[0]) }
            for limit in [1, 2, sorted.count - 1, sorted.count] {
                let pages = try await pages(desk, list, "?limit=\(limit)&sort=\(sort)")
                #expect(pages.flatMap { $0 } == sorted, "\(sort) \(limit)")
                #expect(pages.dropLast().allSatisfy { $0.count == limit })
                #expect(pages.count == (sorted.count + limit - 1) / limit)
            }
            let reverse = sort.hasPrefix("-") ? String(sort.dropFirst()) : "-" + sort
            #expect(try await pages(desk, list, "?sort=\(reverse)").flatMap { $0 } == sorted.reversed())
        }
    }

    @Test(arguments: List.all)
    func `a malformed limit, order or cursor is refused`(list: List) async throws {
        let desk = try await filled()
        let first = try await desk.call("GET", Desk.api + list.path + "?limit=1")
        let link = try #require(first["Link"])
        let cursor = try #require(link.firstMatch(of: #/cursor=([^&>]*)/#)).1
        let other = list.sorts[0].hasPrefix("-") ? String(list.sorts[0].dropFirst()) : "-" + list.sorts[0]
        for (query, hint) in [
            ("limit=0", "1 to 1000"), ("limit=1001", "1 to 1000"), ("limit=x", "1 to 1000"), ("limit=", "1 to 1000"),
            ("sort=colour", "one of"), ("sort=", "one of"), ("sort=--\(other)", "one of"),
            ("cursor=", "first page"), ("cursor=x", "first page"), ("cursor=W10", "first page"),
            ("sort=\(other)&cursor=\(cursor)", "first page"), ("colour=red", "not a parameter"),
        ] {
            let response = try await desk.call("GET", "\(Desk.api)\(list.path)?\(query)")
            #expect(
                response.status == 400 && response.code == "invalid-request" && response.detail.contains(hint),
                "\(query): \(response.text)")
        }
        for query in ["limit=1", "limit=1000", "cursor=\(cursor)"] {
            #expect(try await desk.call("GET", "\(Desk.api)\(list.path)?\(query)").status == 200, "\(query)")
        }
    }

    @Test(arguments: [
        ("/apps?text=B", "apps", 1), ("/apps/default/channels?text=prod", "channels", 1),
        ("/apps/default/packages?text=SAME", "packages", 3), ("/apps/default/packages?text=ew", "packages", 1),
        ("/apps/default/packages?text=%25", "packages", 0), ("/apps/default/packages?text=_", "packages", 0),
        (List.news + "/versions?prefix=1.", "versions", 2), (List.news + "/versions?prefix=1_", "versions", 0),
        (List.news + "/versions?state=retired", "versions", 0),
        (List.news + "/versions?state=releasable&prefix=0", "versions", 1),
        (List.news + "/waivers?code=secret", "waivers", 1), (List.news + "/releases?state=superseded", "releases", 2),
        (List.news + "/releases?channel=beta", "releases", 0), (List.news + "/releases?version=1.1.0", "releases", 1),
        ("/apps/default/releases?package=common", "releases", 3), ("/apps/default/releases?text=1.1", "releases", 2),
        ("/apps/default/releases?text=OMM", "releases", 3), ("/apps/default/releases?text=%231", "releases", 1),
        ("/apps/default/releases?state=active&package=news", "releases", 1),
        ("/apps/default/releases?state=active,superseded", "releases", 6),
        ("/apps/default/releases?state=rolled-back", "releases", 0),
        ("/apps/default/releases?package=nothing", "releases", 0),
        ("/apps/default/packages?channel=production&flight=1", "packages", 0),
        ("/apps/default/packages?online=1", "packages", 0),
        ("/apps/default/release-sets?state=active", "releaseSets", 1),
        ("/apps/default/release-sets?channel=production", "releaseSets", 3),
        ("/apps/default/device-lists?text=a", "deviceLists", 1), ("/apps/default/builds?api=camera", "builds", 3),
        ("/apps/default/builds?api=nfc", "builds", 0), ("/apps/default/page-grants?text=b.example", "pageGrants", 1),
        ("/apps/default/presets?package=news", "presets", 3), ("/apps/default/presets?package=common", "presets", 0),
        ("/apps/default/keys?purpose=root", "keys", 1), ("/apps/default/keys?state=retired", "keys", 0),
        ("/tokens?role=admin", "tokens", 1), ("/tokens?state=revoked", "tokens", 0),
        ("/apps/default/webhooks?state=paused", "webhooks", 0), ("/apps/default/webhooks?kind=standard", "webhooks", 3),
    ])
    func `a filter selects items`(target: String, name: String, count: Int) async throws {
        let response = try await filled().call("GET", Desk.api + target)
        #expect(try response.json[name]?.elements?.count == count, "\(response.text)")
    }

    @Test func `without a limit a page has 1,000 items, and the next one follows`() async throws {
        let desk = try await Desk()
        let limit = 1_000
        for number in 0...limit {
            let id = try #require(PackageID("package-\(number)"))
            let package = Package(
                app: .default, id: id, name: id.text, entry: nil, urlPrefix: .root, isEnabled: true, priority: 1)
            let audit = AuditEntry(
                time: desk.service.clock.now(), actor: "test", action: AuditAction.putPackage.rawValue, app: .default,
                subject: id.text, details: [], source: .server)
            _ = try await desk.service.store.putPackage(package, audit: audit)
        }
        let list = List(path: "/apps/default/packages", name: "packages", id: "id", sorts: [])
        #expect(try await pages(desk, list, "").map(\.count) == [limit, 1])
        // One fewer fits on a page.
        #expect(try await desk.call("DELETE", "\(Desk.api)\(list.path)/package-7").status == 200)
        #expect(try await pages(desk, list, "").map(\.count) == [limit])
    }

    @Test func `an item that is deleted between two pages neither repeats nor hides another`() async throws {
        let desk = try await filled()
        let list = List(path: "/apps/default/packages", name: "packages", id: "id", sorts: [])
        let first = try await desk.call("GET", Desk.api + list.path + "?limit=2&sort=name")
        let seen = try ids(first, list)
        let last = try #require(seen.last?.string)
        #expect(try await desk.call("DELETE", "\(Desk.api)\(list.path)/\(last)").status == 200)
        let url = try #require(first["Link"]?.firstMatch(of: #/<([^>]*)>/#)).1
        let next = List(
            path: String(url.trimmingPrefix(Desk.api)), name: list.name, id: list.id, sorts: list.sorts)
        let rest = try await pages(desk, next, "").flatMap { $0 }
        let whole = try ids(try await desk.call("GET", Desk.api + list.path + "?sort=name"), list)
        #expect(seen.dropLast() + rest == whole[...])
    }
}

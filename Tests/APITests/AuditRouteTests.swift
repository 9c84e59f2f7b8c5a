import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the route of the audit log: filters, pages and export.
@Suite(.scratchDirectory)
struct AuditRouteTests {
    private static let audit = Desk.api + "/audit"

    /// Returns a service with entries of several actions, apps and actors besides those of its tokens.
    private func filled(_ count: Int = 12) async throws -> Desk {
        let desk = try await Desk()
        for number in 0..<count {
            try await desk.service.store.recordAudit(
                AuditEntry(
                    time: desk.service.clock.now().adding(milliseconds: Int64(number) * 1_000),
                    actor: number % 2 == 0 ? "ann (#9)" : "ci (#8)",
                    action: (number % 3 == 0 ? AuditAction.makeRelease : .haltRelease).rawValue, app: .default,
                    subject: "news@\(number)"))
        }
        return desk
    }

    private func subjects(_ desk: Desk, _ query: String) async throws -> [String] {
        let response = try await desk.call("GET", Self.audit + query)
        #expect(response.status == 200, "\(query): \(response.text)")
        return try response.json["entries"]?.elements?.compactMap { $0["subject"]?.string } ?? []
    }

    @Test func `entries are filtered by actor, action, object, app and time`() async throws {
        let desk = try await filled()
        #expect(try await subjects(desk, "?actor=ann%20(%239)&action=release.make") == ["news@6", "news@0"])
        #expect(try await subjects(desk, "?action=release.*&limit=2") == ["news@11", "news@10"])
        #expect(try await subjects(desk, "?object=news@7") == ["news@7"])
        #expect(try await subjects(desk, "?app=shop") == [])
        #expect(try await subjects(desk, "?action=token.*").count == Role.allCases.count)
        let since = desk.service.clock.now().adding(milliseconds: 4_000).rfc3339
        let until = desk.service.clock.now().adding(milliseconds: 6_000).rfc3339
        #expect(try await subjects(desk, "?action=release.*&since=\(since)&until=\(until)") == ["news@5", "news@4"])
    }

    @Test(arguments: [
        ("?acton=release.make", "actor, action, object, app, since, until, limit, before, format"),
        ("?action=release.none", "release-set"), ("?action=", "device-list"), ("?action=*", "token.revoke"),
        ("?action=release.make&action=release.halt", "repeated"), ("?app=Shop", "app id"), ("?since=today", "RFC 3339"),
        ("?until=1", "RFC 3339"), ("?since=2026-12-01T08:00:00Z&until=2026-12-01T08:00:00Z", "before 'until'"),
        ("?limit=0", "1 to 1000"), ("?limit=1001", "1 to 1000"), ("?limit=x", "1 to 1000"),
        ("?before=x", "id of an entry"),
        ("?format=csv", "json, ndjson"), ("?format=ndjson&limit=5", "Leave out 'limit'"),
    ])
    func `a wrong or unknown parameter gets 400 with what is allowed`(query: String, hint: String) async throws {
        let response = try await Desk().call("GET", Self.audit + query)
        #expect(response.status == 400 && response.text.contains(hint), "\(response.text)")
    }

    @Test func `an entry shows the members that a change has changed, before and after`() async throws {
        let desk = try await Desk()
        func newest() async throws -> JSON? {
            try await desk.call("GET", Self.audit + "?limit=1").json["entries"]?.elements?.first?["details"]
        }
        _ = try await desk.call("PUT", Desk.news, .object(["name": "News"]))
        let created = try await newest()
        #expect(created?["before"] == .null && created?["after"]?["name"] == "News")
        _ = try await desk.call("PUT", Desk.news, .object(["name": "Daily", "enable": false]))
        #expect(try await newest()?["before"]?.text == #"{"enable":true,"name":"News"}"#)
        #expect(try await newest()?["after"]?.text == #"{"enable":false,"name":"Daily"}"#)

        for version in ["1.0.0", "2.0.0"] { try await desk.service.publishSample(version) }
        _ = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0"]))
        let made = try await desk.call("POST", Desk.releases, .object(["version": "2.0.0", "percent": 5]))
        #expect(try await newest()?["after"]?["versions"]?.text == #"{"news":"2.0.0"}"#)
        let release = "\(Desk.releases)/\(try #require(try made.json["id"]?.integer))"
        _ = try await desk.call("PATCH", release, .object(["percent": 40]))
        #expect(try await newest()?["before"]?.text == #"{"percent":5}"#)
        #expect(try await newest()?["after"]?.text == #"{"percent":40}"#)
        _ = try await desk.call("POST", release + "/halt")
        #expect(try await newest()?["after"]?.text == #"{"course":"halted"}"#)

        let lists = Desk.api + "/apps/default/device-lists/testers"
        _ = try await desk.send("PUT", lists, type: "text/plain", Array("a\nb\n".utf8))
        _ = try await desk.send("PUT", lists, type: "text/plain", Array("a\n".utf8))
        #expect(try await newest()?["before"]?.text == #"{"devices":2,"revision":1}"#)
        let build = Desk.api + "/apps/default/builds/8.3.0"
        _ = try await desk.call("PUT", build, .object(["apis": .array(["camera"])]))
        _ = try await desk.call("DELETE", build)
        let removed = try await newest()
        #expect(removed?["before"]?.text == #"{"apis":["camera"]}"# && removed?["after"] == .null)
    }

    @Test func `event streams and webhooks show no state before or after`() async throws {
        let desk = try await Desk()
        _ = try await desk.call("PUT", Desk.news, .object(["name": "News"]))
        let recorded = try #require(try await desk.service.store.audit(before: nil, limit: 1).first)
        #expect(recorded.json["details"]?["after"] != nil)
        let message = WebhookMessage(entry: recorded.id, recorded.entry, epoch: "e").data["details"]
        #expect(message?["name"] == "News" && message?["after"] == nil && message?["before"] == nil)
    }

    @Test func `Link leads through all pages with the same filters, and the last page has none`() async throws {
        let desk = try await filled()
        var target: String? = Self.audit + "?action=release.*&actor=ann%20(%239)&limit=2"
        var pages: [[String]] = []
        while let next = target {
            let response = try await desk.call("GET", next)
            pages.append(try response.json["entries"]?.elements?.compactMap { $0["subject"]?.string } ?? [])
            target = response["Link"].map { link in
                #expect(link.hasPrefix("</api/v1/audit?") && link.hasSuffix(">; rel=\"next\""), "\(link)")
                return String(link.dropFirst().prefix { $0 != ">" })
            }
        }
        #expect(pages == [["news@10", "news@8"], ["news@6", "news@4"], ["news@2", "news@0"]])
    }

    @Test func `a page has up to 1,000 entries, and 200 unless the request says otherwise`() async throws {
        let desk = try await filled(1_001)
        #expect(try await subjects(desk, "").count == 200)
        #expect(try await subjects(desk, "?limit=1").count == 1)
        #expect(try await subjects(desk, "?limit=1000").count == 1_000)
    }

    @Test(arguments: ["?format=ndjson", ""])
    func `an export has all matching entries as NDJSON, oldest first`(query: String) async throws {
        // More than two pages of an export.
        let count = AuditLog.exportPage * 2 + 1
        let desk = try await filled(count)
        var request = try TestRequest("GET", Self.audit + query).by(desk.token(.admin))
        if query.isEmpty { request = request.with("Accept", "application/x-ndjson;q=1, text/plain") }
        let response = try await desk.service.send(request)
        #expect(response["Content-Type"] == "application/x-ndjson")
        let entries = response.text.split(separator: "\n").compactMap { JSON(parsing: Array($0.utf8)) }
        // Those of the app and its keys as well.
        let tokens = entries.count { $0["actor"] == "server" }
        #expect(entries.count == count + tokens && tokens > Role.allCases.count)
        #expect(entries.dropFirst(tokens).map { $0["subject"]?.string } == (0..<count).map { "news@\($0)" })
        let some = try await desk.call("GET", Self.audit + "?format=ndjson&object=news@7")
        #expect(some.text.split(separator: "\n").count == 1 && some.text.contains("news@7"))
        let before = try #require(entries[tokens + 3]["id"]?.integer)
        let early = try await desk.call("GET", Self.audit + "?format=ndjson&action=release.*&before=\(before)")
        #expect(early.text.split(separator: "\n").count == 3)
    }

    @Test func `a request that accepts JSON as well gets JSON`() async throws {
        let desk = try await Desk()
        let request = try TestRequest("GET", Self.audit).by(desk.token(.admin))
        let response = try await desk.service.send(
            request.with("Accept", "application/x-ndjson, application/json"))
        #expect(response["Content-Type"] == "application/json")
        #expect(try await desk.call("GET", Self.audit + "?format=json").json["entries"] != nil)
    }
}

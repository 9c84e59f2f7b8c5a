import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the history of an app, which viewers read.
@Suite(.scratchDirectory)
struct HistoryRouteTests {
    private static let history = Desk.api + "/apps/default/history"

    private func record(_ action: AuditAction, _ subject: String, app: AppID? = .default, by desk: Desk) async throws {
        try await desk.service.store.recordAudit(
            AuditEntry(
                time: desk.service.clock.now(), actor: "ann (#9)", action: action.rawValue, app: app, subject: subject,
                details: [JSON.Member("before", .integer(1)), JSON.Member("percent", .integer(5))]))
    }

    private func subjects(_ desk: Desk, _ query: String = "", by role: Role = .viewer) async throws -> [String] {
        let response = try await desk.service.send(TestRequest("GET", Self.history + query).by(desk.token(role)))
        #expect(response.status == 200, "\(query): \(response.text)")
        return try response.json["entries"]?.elements?.compactMap { $0["subject"]?.string } ?? []
    }

    @Test func `a viewer reads the changes of the app, the newest first, without those of keys and other apps`()
        async throws
    {
        let desk = try await Desk()
        try await record(.publishVersion, "news@1", by: desk)
        try await record(.makeKey, "6207bef7226b9d6b", by: desk)
        try await record(.createToken, "ci", by: desk)
        try await record(.makeRelease, "news@1", app: AppID("shop"), by: desk)
        try await record(.haltRelease, "news@2", by: desk)
        #expect(try await subjects(desk).prefix(2) == ["news@2", "news@1"])
        #expect(try await subjects(desk, by: .admin).prefix(2) == ["news@2", "news@1"])
        #expect(try await subjects(desk, "?action=key.make", by: .admin) == [])
        #expect(try await subjects(desk, "?action=release.*") == ["news@2"])
    }

    @Test func `the history of a package has the package and its versions, and no package whose name begins alike`()
        async throws
    {
        let desk = try await Desk()
        for subject in ["news", "news@1", "news@2-rc.1", "newsA", "news-cn@1", "common@1,news@2"] {
            try await record(.makeRelease, subject, by: desk)
        }
        #expect(try await subjects(desk, "?package=news&action=release.*") == ["news@2-rc.1", "news@1", "news"])
        let wrong = try await desk.call("GET", Self.history + "?package=..")
        #expect(wrong.status == 400 && wrong.text.contains("id of a package"), "\(wrong.text)")
    }

    @Test func `the history of a package has its release sets and approval requests, and no others`() async throws {
        let desk = try await Desk()
        for package in ["news", "common", "shop", "pages"] {
            for version in ["1.0.0", "1.1.0"] { try await desk.service.publishSample(version, of: package) }
        }
        func set(_ version: String, of packages: [String]) async throws {
            let versions = JSON.object(packages.map { .init($0, .string(version)) })
            let made = try await desk.call(
                "POST", Desk.api + "/apps/default/release-sets", .object(["versions": versions, "percent": 10]))
            try #require(made.status == 201, "\(made.text)")
        }
        try await set("1.0.0", of: ["news", "common"])
        let widened = try await desk.call(
            "PATCH", Desk.api + "/apps/default/release-sets/1", .object(["percent": 20]))
        #expect(widened.status == 200, "\(widened.text)")
        try await set("1.0.0", of: ["shop", "pages"])
        try await desk.protect()
        let common = try await desk.call(
            "POST", Desk.api + "/apps/default/packages/common/releases", .object(["version": "1.1.0"]), as: .releaser)
        #expect(common.status == 202, "\(common.text)")
        _ = try await desk.ask(["version": "1.1.0"])
        #expect(try await subjects(desk, "?package=common&limit=3") == ["1", "1", "common@1.0.0,news@1.0.0"])
        #expect(try await subjects(desk, "?package=common&action=release-set.*").count == 2)
        #expect(try await subjects(desk, "?package=news&action=approval.*") == ["2"])
        #expect(try await subjects(desk, "?package=shop&action=release-set.*") == ["pages@1.0.0,shop@1.0.0"])
        #expect(try await subjects(desk, "?package=none") == [])
    }

    @Test func `an entry shows neither its source nor the object before the change`() async throws {
        let desk = try await Desk()
        try await record(.widenRelease, "news@1", by: desk)
        let response = try await desk.service.send(
            TestRequest("GET", Self.history + "?limit=1").by(desk.token(.viewer)))
        let entry = try #require(try response.json["entries"]?.elements?.first)
        #expect(entry["from"] == nil && entry["hash"] == nil && entry["details"]?["before"] == nil)
        #expect(entry["details"]?["percent"] == .integer(5))
    }

    @Test func `pages of the history follow each other by their links`() async throws {
        let desk = try await Desk()
        for number in 0..<5 { try await record(.haltRelease, "news@\(number)", by: desk) }
        let first = try await desk.call("GET", Self.history + "?limit=2&action=release.halt")
        let link = try #require(first["Link"])
        let next = try #require(link.split(separator: ">").first?.dropFirst())
        let second = try await desk.call("GET", String(next))
        let shown = try second.json["entries"]?.elements?.compactMap { $0["subject"]?.string }
        #expect(shown == ["news@2", "news@1"] && next.contains("action=release.halt"), "\(link)")
    }
}

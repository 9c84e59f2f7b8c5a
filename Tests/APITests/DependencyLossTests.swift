import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests changes of `common` that would remove `news` from devices.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DependencyLossTests {
    private static let common = Desk.api + "/apps/default/packages/common/releases"
    private static let sets = Desk.api + "/apps/default/release-sets"

    /// Releases `news` 0.9, 1.0 that needs `common` 7, and `common` 7; publishes `common` 8.0.
    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.ship("0.9")
        try await desk.service.ship("7.0", of: "common")
        try await desk.service.publishSample("8.0", of: "common")
        let response = try await desk.upload("1.0", ["index.html": "<p>1"], query: "&needs=common%20~7")
        #expect(response.status == 201, "\(response.text)")
        try await desk.service.release("1.0")
        return desk
    }

    private func news(_ desk: Desk, _ query: String = "") async throws -> String? {
        try await desk.service.get("/config" + query).json["news"]?["version"]?.string
    }

    @Test func `a release that costs devices another package is refused with the loss, and can be forced`()
        async throws
    {
        let desk = try await ready()
        for query in ["?deviceId=ann&have=news@1.0,common@7.0", "?deviceId=bob", "?deviceId=cy&appVersion=8.3"] {
            #expect(try await news(desk, query) == "1.0")
        }
        await desk.service.devicesSeen.flush { Issue.record($0) }
        let refused = try await desk.call("POST", Self.common, .object(["version": "8.0"]))
        #expect(refused.status == 409 && refused.code == "dependents-lost", "\(refused.text)")
        #expect(refused.detail.contains("news 1.0 needs common ~7") && refused.detail.contains("--force"))
        let loss = try #require(try refused.json["losses"]?.elements?.first)
        #expect(loss["package"] == "news" && loss["version"] == "1.0" && loss["needs"] == "common ~7")
        #expect(loss["cause"] == JSON(parsing: Array(#"{"change":"begins","package":"common","version":"8.0"}"#.utf8)))
        #expect(try loss["devices"] == 3 && refused.json["devices"] == 3)
        #expect(try await news(desk) == "1.0")
        #expect(try await desk.call("GET", Self.common).json["releases"]?.elements?.count == 1)

        let forced = try await desk.call("POST", Self.common, .object(["version": "8.0", "force": true]))
        #expect(forced.status == 201, "\(forced.text)")
        #expect(try await news(desk, "?have=news@1.0,common@7.0") == "0.9")
    }

    @Test func `a dry run is refused like the change, and a forced dry run makes no change`() async throws {
        let desk = try await ready()
        let dryRun = "?dryRun=1"
        let refused = try await desk.call("POST", Self.common + dryRun, .object(["version": "8.0"]))
        #expect(refused.code == "dependents-lost", "\(refused.text)")
        let forced = JSON.object(["version": "8.0", "force": true])
        let dry = try await desk.call("POST", Self.common + dryRun, forced)
        #expect(try dry.status == 200 && dry.json["dryRun"] == true, "\(dry.text)")
        let halt = Self.common + "/2/halt" + dryRun
        #expect(try await desk.call("POST", halt).code == "dependents-lost")
        #expect(try await desk.call("POST", halt, .object(["force": true])).status == 200)
        let rollback = try await desk.call("POST", Self.common + "/2/rollback" + dryRun, .object(["to": "8.0"]))
        #expect(try rollback.status == 200 && rollback.json["losses"]?.elements?.count == 1, "\(rollback.text)")
        #expect(try await news(desk) == "1.0")
        #expect(try await desk.call("GET", Self.common).json["releases"]?.elements?.count == 1)
    }

    @Test func `a server that notes no devices refuses without a number`() async throws {
        let desk = try await Desk(try await TestService(devicesSeen: 0))
        try await desk.service.ship("0.9")
        try await desk.service.ship("7.0", of: "common")
        try await desk.service.publishSample("8.0", of: "common")
        _ = try await desk.upload("1.0", ["index.html": "<p>1"], query: "&needs=common%20~7")
        try await desk.service.release("1.0")
        let refused = try await desk.call("POST", Self.common, .object(["version": "8.0"]))
        #expect(try refused.code == "dependents-lost" && refused.json["devices"] == .null, "\(refused.text)")
    }

    @Test func `a release set is checked in the same way, and may contain both packages`() async throws {
        let desk = try await ready()
        _ = try await desk.upload("2.0", ["index.html": "<p>2"], query: "&needs=common%20%5E8")
        try await desk.service.publishSample("1.0.0", of: "shop")
        let apart = try await desk.call(
            "POST", Self.sets, .object(["versions": .object(["common": "8.0", "shop": "1.0.0"])]))
        #expect(apart.status == 409 && apart.code == "dependents-lost", "\(apart.text)")
        let both = JSON.object(["versions": .object(["common": "8.0", "news": "2.0"]), "percent": 10])
        let made = try await desk.call("POST", Self.sets, both)
        #expect(made.status == 201, "\(made.text)")
        let set = "\(Self.sets)/\(try #require(try made.json["id"]?.integer))"
        #expect(try await desk.call("PATCH", set, .object(["percent": 100])).status == 200)
        #expect(try await news(desk) == "2.0")
        // Both are rolled back together.
        #expect(try await desk.call("POST", set + "/halt").status == 200)
        #expect(try await news(desk) == "1.0")
    }

    @Test func `an action that loses another package's release is refused, and can be forced`() async throws {
        let desk = try await ready()
        let first = Self.common + "/2"
        let halt = try await desk.call("POST", first + "/halt")
        #expect(halt.status == 409 && halt.code == "dependents-lost", "\(halt.text)")
        let dry = try await desk.call("POST", first + "/rollback", .object(["to": "8.0", "dryRun": true]))
        #expect(dry.status == 200)
        #expect(try dry.json["losses"]?.elements?.map { $0["version"] } == ["1.0"])
        let back = try await desk.call("POST", first + "/rollback", .object(["to": "8.0"]))
        #expect(back.code == "dependents-lost", "\(back.text)")
        let moment = desk.service.fromNow(60_000).rfc3339
        let later = try await desk.call(
            "POST", Self.common, .object(["version": "8.0", "activeTime": .string(moment), "percent": 0]))
        #expect(later.status == 201)
        let path = "\(Self.common)/\(try #require(try later.json["id"]?.integer))"
        #expect(try await desk.call("PATCH", path, .object(["percent": 5])).code == "dependents-lost")
        #expect(try await desk.call("PATCH", path, .object(["percent": 5, "force": true])).status == 200)
        // A forced change needs no further force.
        let moved = JSON.object(["activeTime": .string(desk.service.fromNow(90_000).rfc3339)])
        #expect(try await desk.call("PATCH", path, moved).status == 200)
        let halted = try await desk.call("POST", first + "/halt", .object(["force": true]))
        #expect(halted.status == 200)
        #expect(try await news(desk) == "0.9")
        #expect(try await news(desk, "?have=news@1.0,common@7.0") == "1.0")
    }

    @Test func `a kill that costs devices other packages is refused unless forced`() async throws {
        let desk = try await ready()
        let kill = Desk.api + "/apps/default/packages/common/kill"
        let page: JSON.Member = .init("to", "https://m.example.com")
        let dry = try await desk.call("POST", kill, .object([page, .init("version", "9"), .init("dryRun", true)]))
        #expect(try dry.status == 200 && dry.json["losses"]?.elements?.count == 1, "\(dry.text)")
        let refused = try await desk.call("POST", kill, .object([page, .init("version", "9")]))
        #expect(refused.code == "dependents-lost", "\(refused.text)")
        // The version was not published either.
        #expect(try await desk.call("GET", Desk.api + "/apps/default/packages/common/versions/9").status == 404)
        // A version named after the highest one stays in the range.
        #expect(try await desk.call("POST", kill, .object([page])).status == 201)
        #expect(try await news(desk) == "1.0")
    }

    @Test func `a version without an order is not published if another package needs a range`() async throws {
        let desk = try await ready()
        let zip = StoredZip(TestService.sample("winter")).bytes
        let path = Desk.api + "/apps/default/packages/common/versions?version="
        let refused = try await desk.send("POST", path + "winter-build", zip)
        #expect(refused.status == 409 && refused.code == "conflict", "\(refused.text)")
        #expect(refused.detail.contains("news 1.0 needs common ~7") && refused.detail.contains("winter-build"))
        #expect(try await desk.send("POST", path + "9.0-winter", zip).status == 201)
        // A package that no other one needs may have any version name.
        #expect(try await desk.upload("winter-build", ["index.html": "<p>w"]).status == 201)
        try await desk.service.release("winter-build")
        let needs = try await desk.send(
            "POST", path + "10", StoredZip(TestService.sample("10")).bytes)
        #expect(needs.status == 201)
        let dependent = try await desk.send(
            "POST", path + "11&needs=news%20%3E%3D1", StoredZip(TestService.sample("11")).bytes)
        #expect(
            dependent.status == 409 && dependent.detail.contains("'news' has 'winter-build' on offer"),
            "\(dependent.text)")
    }
}

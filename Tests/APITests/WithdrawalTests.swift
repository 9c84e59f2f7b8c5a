import Dialects
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests how operators stop devices from using their copy of a package (semantics.md §12).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct WithdrawalTests: ReleasingSuite {
    private static let target: JSON = "https://m.example.com/news/"

    private func config(_ desk: Desk, _ query: String = "") async throws -> JSON {
        try #require(try await desk.service.get("/config" + query).json["news"])
    }

    // MARK: Kill

    @Test func `a killed package is a version whose page leads to the network, for everyone and at once`()
        async throws
    {
        let desk = try await ready("1.2.0", "1.3.0")
        _ = try await make(desk, ["version": "1.2.0"])
        _ = try await make(desk, ["version": "1.3.0", "percent": 10])
        let response = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        #expect(response.status == 201, "\(response.text)")
        // The version is above the highest of devices, so that packages that need 1.3 still work.
        #expect(try response.json["version"] == "1.3.0.1")
        let entry = try await config(desk, "?deviceId=ann&have=news@1.2.0")
        #expect(entry["version"] == "1.3.0.1" && entry["mandatory"] == true && entry["updateMode"] == "immediate")
        #expect(try await config(desk)["enable"] == true)
        let url = try #require(entry["url"]?.string?.dropFirst(TestService.publicURL.count))
        let files = try desk.service.unzip(try await desk.service.get(String(url)).body)
        #expect(files["news/index.html"]?.contains("https://m.example.com/news/") == true)
        // K18: the copy serves no request of a page.
        let listed = try #require(files["news/files.json"])
        let map = try #require(JSON(parsing: Array(listed.utf8))?.members)
        #expect(map.allSatisfy { $0.key.hasPrefix("/.larder-killed") }, "\(map)")
    }

    @Test func `a dry run lists the effect on each kind of client, and changes nothing`() async throws {
        let desk = try await ready("1.2.0")
        _ = try await desk.call(
            "PUT", Desk.news, .object(["dialects": .array(["newest-package", "resources-json"])]))
        _ = try await make(desk, ["version": "1.2.0"])
        let later = desk.service.fromNow(60_000)
        _ = try await make(desk, ["version": "1.2.0", "activeTime": .string(later.rfc3339)])
        let response = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target, "dryRun": true]))
        #expect(response.status == 200, "\(response.text)")
        let json = try response.json
        #expect(
            json["clients"]?.elements?.map { $0["client"] } == ["config", "newest-package", "resources-json"])
        #expect(json["release"] == nil && json["dryRun"] == true && json["version"] == "1.2.0.1")
        #expect(json["replaces"]?.elements?.count == 1)
        #expect(json["replacedBy"]?.elements?.first?["activeTime"] == .string(later.rfc3339))
        #expect(try await version(desk) == "1.2.0")
        #expect(try await desk.call("GET", Desk.news + "/versions/1.2.0.1").status == 404)
    }

    @Test func `killed once more it has another name, and a roll-back brings the package back`() async throws {
        let desk = try await ready("1.2.0")
        _ = try await make(desk, ["version": "1.2.0"])
        _ = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        let again = try await desk.call("POST", Desk.news + "/kill", .object(["to": "https://other.example"]))
        #expect(try again.json["version"] == "1.2.0.1.1")
        let release = try #require(try again.json["release"]?.integer)
        let back = try await desk.call(
            "POST", "\(Desk.releases)/\(release)/rollback", .object(["to": "1.2.0", "mandatory": true]))
        #expect(back.status == 201, "\(back.text)")
        #expect(try await version(desk) == "1.2.0")
    }

    @Test func `a package is killed even if its live version has no order and another package needs a range`()
        async throws
    {
        let desk = try await ready("winter-build")
        let shop = "/api/v1/apps/default/packages/shop"
        _ = try await desk.call("PUT", shop, .object([]))
        let zip = StoredZip(["index.html": "<p>1"]).bytes
        let response = try await desk.send(
            "POST", shop + "/versions?version=1.0&needs=news%20~7", type: "application/zip", zip)
        #expect(response.status == 201, "\(response.text)")
        _ = try await make(desk, ["version": "winter-build"])
        let killed = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        #expect(killed.status == 201, "\(killed.text)")
        #expect(try await version(desk) == "winter-build.1")
        // An upload by an operator has to follow the order.
        let upload = try await desk.upload("spring-build", ["index.html": "<p>1"])
        #expect(upload.status == 409 && upload.detail.contains("is in no range"), "\(upload.text)")
    }

    @Test func `a package without a version on devices cannot be killed, and a bad target is refused`() async throws {
        let desk = try await ready("1.2.0")
        let none = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        #expect(none.status == 409 && none.text.contains("no version to replace"), "\(none.text)")
        _ = try await make(desk, ["version": "1.2.0"])
        for body: JSON in [
            .object(["to": "javascript:x"]), .object([]), .object(["to": Self.target, "version": ".."]),
        ] {
            #expect(try await desk.call("POST", Desk.news + "/kill", body).status == 400)
        }
        let taken = try await desk.call(
            "POST", Desk.news + "/kill", .object(["to": Self.target, "version": "1.2.0"]))
        #expect(taken.status == 409, "\(taken.text)")
        let other = try await desk.call(
            "POST", Desk.news + "/kill", .object(["to": Self.target, "channel": "beta"]))
        #expect(other.status == 404)
        #expect(try await version(desk) == "1.2.0")
    }

    @Test func `a kill page does not replace a scheduled version, and is replaced by it`() async throws {
        let desk = try await ready("1.2.0", "2.0.0")
        let later = desk.service.fromNow(60_000)
        _ = try await make(desk, ["version": "2.0.0", "activeTime": .string(later.rfc3339)])
        let early = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        #expect(early.status == 409 && early.text.contains("no version to replace"), "\(early.text)")
        _ = try await make(desk, ["version": "1.2.0"])
        let killed = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        #expect(killed.status == 201, "\(killed.text)")
        let json = try killed.json
        #expect(json["version"] == "1.2.0.1")
        #expect(json["replaces"]?.elements?.map { $0["version"] } == ["1.2.0"])
        #expect(json["replacedBy"]?.elements?.map { $0["version"] } == ["2.0.0"])
    }

    @Test func `a package that only builds ship is removed from devices too`() async throws {
        let desk = try await ready("1.0.0")
        let made = try await desk.call(
            "POST", "/api/v1/apps/default/presets",
            .object(["appVersion": "8.3.0", "packages": .object(["news": "1.0.0"])]))
        #expect(made.status == 201, "\(made.text)")
        let killed = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        #expect(killed.status == 201, "\(killed.text)")
        #expect(try killed.json["version"] == "1.0.0.1")
        #expect(try killed.json["replaces"]?.elements == [])
        #expect(try await version(desk) == "1.0.0.1")
    }

    @Test func `a kill is refused while 'enable' is off, also as a dry run`()
        async throws
    {
        let desk = try await ready("1.2.0")
        _ = try await make(desk, ["version": "1.2.0"])
        _ = try await desk.call("PUT", Desk.news, .object(["enable": false]))
        for isDryRun in [true, false] {
            let refused = try await desk.call(
                "POST", Desk.news + "/kill", .object(["to": Self.target, "dryRun": .bool(isDryRun)]))
            #expect(refused.status == 409 && refused.text.contains("'enable' on first"), "\(refused.text)")
        }
        _ = try await desk.call("PUT", Desk.news, .object(["enable": true]))
        let killed = try await desk.call("POST", Desk.news + "/kill", .object(["to": Self.target]))
        #expect(killed.status == 201, "\(killed.text)")
    }

    @Test func `O2, H3: clients of seeds 002 and 003 get the page as a new file at the root`() async throws {
        let service = try await TestService.withDialects([.newestPackage, .infoJSON])
        try await service.shipApp("1")
        let desk = try await Desk(service)
        let before = try await service.get("/packages/app/info.json").json["packageName"]
        let killed = try await desk.call("POST", "/api/v1/apps/default/packages/app/kill", .object(["to": Self.target]))
        #expect(killed.status == 201, "\(killed.text)")
        let newest = try await service.askNewest()
        #expect(try newest.json["version"] == "1.1")
        let zip = try await service.get(try service.target(ofPathIn: newest)).body
        #expect(try service.unzip(zip)["index.html"]?.contains("https://m.example.com/news/") == true)
        #expect(try await service.get("/packages/app/info.json").json["packageName"] != before)
    }

    @Test func `P9: clients of seed 004 get a list whose only file matches no URL that a page requests`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let desk = try await Desk(service)
        let before = try await service.resources()
        let killed = try await desk.call("POST", "/api/v1/apps/default/packages/app/kill", .object(["to": Self.target]))
        #expect(killed.status == 201, "\(killed.text)")
        let after = try await service.resources(before.version)
        #expect(after.items.map(\.id) == ["index.html"])
        #expect(after.items.allSatisfy { $0.json["matchUrl"]?.string?.contains("larder-killed") == true })
    }

    @Test func `P9: rules of the package that name a URL do not apply to the page`() async throws {
        let rule = ResourceRule(
            files: try #require(PathGlob("index.html")),
            matchURL: try URLPattern("^https://m\\.example\\.com/news/"))
        let service = try await TestService.withResources(ResourceSettings(rules: [rule]))
        try await service.shipText("1.0")
        let desk = try await Desk(service)
        let before = try await service.resources().item("index.html").json["matchUrl"]?.string
        #expect(before?.contains("example") == true)
        let killed = try await desk.call("POST", "/api/v1/apps/default/packages/app/kill", .object(["to": Self.target]))
        #expect(killed.status == 201, "\(killed.text)")
        let after = try await service.resources().item("index.html").json["matchUrl"]?.string
        #expect(after?.contains("larder-killed") == true, "\(after ?? "none")")
    }

    // MARK: Off, and online for a while

    @Test func `the response to disabling a package lists the effect on each kind of client`() async throws {
        let desk = try await ready("1.2.0")
        let off = try await desk.call(
            "PUT", Desk.news, .object(["enable": false, "dialects": .array(["info-json"])]))
        #expect(try off.json["clients"]?.elements?.map { $0["client"] } == ["config", "info-json"])
        let on = try await desk.call("PUT", Desk.news, .object(["enable": true]))
        #expect(try on.json["clients"] == nil)
    }

    @Test func `pages come from the network until a given time, and from the package again after it`() async throws {
        let desk = try await ready("1.2.0")
        _ = try await make(desk, ["version": "1.2.0"])
        let waiting = try await desk.service.get("/push")
        let response = try await desk.call("POST", Desk.news + "/online", .object(["for": "2h"]))
        #expect(response.status == 200, "\(response.text)")
        let until = desk.service.fromNow(7_200_000)
        #expect(try response.json["onlineUntil"] == .string(until.rfc3339))
        #expect(try await config(desk)["onlineUntil"] == .string(until.rfc3339))

        desk.service.clock.advance(milliseconds: 7_200_000 - 10_000)
        // No cache keeps it any longer (semantics.md §4).
        let late = try await desk.service.get("/config")
        #expect(late["Cache-Control"] == "max-age=0, must-revalidate, s-maxage=10")
        desk.service.clock.advance(milliseconds: 9_999)
        try await desk.service.live.activate(desk.service.app)
        #expect(try await config(desk)["onlineUntil"] != nil)
        desk.service.clock.advance(milliseconds: 1)
        try await desk.service.live.activate(desk.service.app)
        #expect(try await config(desk)["onlineUntil"] == nil)
        let cursor = try #require(waiting["Larder-Cursor"])
        let pushed = try await desk.service.get("/push?cursor=\(cursor)&wait=0")
        #expect(try pushed.json["events"]?.elements?.map { $0["type"] } == ["package", "package"])
        // A clock set back does not repeat it for any device.
        desk.service.clock.advance(milliseconds: -60_000)
        try await desk.service.live.load()
        #expect(try await config(desk)["onlineUntil"] == nil)
    }

    @Test func `clients of seed 004 take their files from the network meanwhile, and their list counts up both times`()
        async throws
    {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let desk = try await Desk(service)
        let online = "/api/v1/apps/default/packages/app/online"
        var lists = [try await service.resources()]
        #expect(try await desk.call("POST", online, .object(["for": "1m"])).status == 200)
        lists.append(try await service.resources())
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        lists.append(try await service.resources())
        #expect(lists.map { $0.json["cached"] } == [true, false, true])
        let versions = lists.compactMap { OrderedVersion($0.version) }
        #expect(versions.count == 3 && versions == versions.sorted() && Set(lists.map(\.version)).count == 3)
    }

    @Test func `online can be ended, has a dry run, and lasts 30 days at most`() async throws {
        let desk = try await ready("1.2.0")
        _ = try await make(desk, ["version": "1.2.0"])
        let online = Desk.news + "/online"
        let dry = try await desk.call("POST", online, .object(["for": "30d", "dryRun": true]))
        #expect(dry.status == 200)
        #expect(try dry.json["clients"]?.elements?.count == 1)
        #expect(try await config(desk)["onlineUntil"] == nil)
        let tooLong = desk.service.fromNow(30 * 86_400_000 + 1).rfc3339
        for body: JSON in [
            .object(["until": .string(tooLong)]), .object(["until": .string(desk.service.fromNow(0).rfc3339)]),
            .object(["for": "0s"]), .object([]), .object(["for": "1h", "until": .string(tooLong)]),
            .object(["for": "soon"]),
        ] {
            #expect(try await desk.call("POST", online, body).status == 400, "\(body.text)")
        }
        #expect(try await desk.call("POST", online, .object(["for": "1h"])).status == 200)
        #expect(try await desk.call("DELETE", online).status == 200)
        #expect(try await config(desk)["onlineUntil"] == nil)
        #expect(try await desk.call("DELETE", online).status == 200)
    }
}

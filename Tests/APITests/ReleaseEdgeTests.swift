import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests releases in edge cases of clocks, other releases and earlier releases.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReleaseEdgeTests: ReleasingSuite {
    @Test func `devices go back to what all of them may get, not to what a few have`() async throws {
        let desk = try await ready("1.0.0", "2.0.0", "3.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let list = Desk.api + "/apps/default/device-lists/staff"
        #expect(try await desk.send("PUT", list, Array("ann".utf8)).status == 201)
        _ = try await make(desk, ["version": "2.0.0", "whitelist": "staff"])
        let bad = try await make(desk, ["version": "3.0.0"])
        let done = try await desk.call("POST", bad + "/rollback")
        #expect(try done.json["begun"]?["version"] == "1.0.0")
    }

    @Test func `a release that is rolled back before its activation time ends without a successor`() async throws {
        let desk = try await ready("1.0.0", "2.0.0", "1.0.1")
        let service = desk.service
        _ = try await make(desk, ["version": "1.0.0"])
        let friday = try await make(
            desk, ["version": "2.0.0", "activeTime": .string(service.fromNow(60_000).rfc3339)])
        #expect(try await desk.call("POST", friday + "/halt").status == 200)
        service.clock.advance(milliseconds: 1000)
        _ = try await make(desk, ["version": "1.0.1"])
        let done = try await desk.call("POST", friday + "/rollback")
        #expect(done.status == 201)
        #expect(try done.json["begun"] == .null && done.json["offered"]?.elements?.count == 1)
        #expect(try await version(desk) == "1.0.1")
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        #expect(try await version(desk, "?have=news@2.0.0") == "1.0.1")
    }

    @Test func `a device that downloaded a release does not switch to it if it is halted before its activation time`()
        async throws
    {
        let desk = try await ready("1.0.0", "2.0.0")
        let service = desk.service
        _ = try await make(desk, ["version": "1.0.0"])
        let friday = try await make(
            desk, ["version": "2.0.0", "activeTime": .string(service.fromNow(60_000).rfc3339)])
        #expect(try await desk.call("POST", friday + "/halt").status == 200)
        let entry = try await service.get("/config?have=news@1.0.0,news@2.0.0").json["news"]
        #expect(entry?["version"] == "1.0.0" && entry?["next"] == nil)
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        #expect(try await version(desk, "?have=news@1.0.0,news@2.0.0") == "1.0.0")
    }

    @Test func `the replacement of a release ranks right above it, below all others`() async throws {
        let desk = try await ready("1.0.0", "2.0.0", "3.0.0")
        let moment = JSON.string(desk.service.fromNow(1000).rfc3339)
        _ = try await make(desk, ["version": "1.0.0"])
        let all = try await make(desk, ["version": "2.0.0", "activeTime": moment])
        _ = try await make(
            desk,
            [
                "version": "3.0.0", "activeTime": moment,
                "rules": .array([.object(["fact": "region", "in": .array(["CN"])])]),
            ])
        desk.service.clock.advance(milliseconds: 1000)
        try await desk.service.live.activate(desk.service.app)
        #expect(try await version(desk, "?region=CN") == "3.0.0")
        #expect(try await desk.call("POST", all + "/rollback").status == 201)
        #expect(try await version(desk, "?region=CN") == "3.0.0")
        #expect(try await version(desk) == "1.0.0")
    }

    @Test func `a clock that is set back reverts no step of a plan`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        let service = desk.service
        let plan: JSON = .array([
            .object(["percent": 1, "after": "0s"]), .object(["percent": 100, "after": "2h"]),
        ])
        let release = try await make(desk, ["version": "1.0.0", "plan": plan])
        service.clock.advance(milliseconds: 3 * 3_600_000)
        try await service.live.activate(service.app)
        #expect(try await version(desk) == "1.0.0")
        service.clock.advance(milliseconds: -2 * 3_600_000)
        try await desk.service.publishSample("3.0.0", of: "shop")
        try await desk.service.release("3.0.0", of: "shop")
        #expect(try await version(desk) == "1.0.0")
        #expect(try await desk.call("GET", release).json["percent"] == 100)
    }

    @Test func `a version that most devices get is not retired because a few get another`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        _ = try await make(desk, ["version": "2.0.0", "percent": 1])
        let refused = try await desk.call(
            "POST", Desk.news + "/versions/1.0.0/retire", .object(["reason": "old"]))
        #expect(refused.status == 409 && refused.code == "version-offered")
    }

    @Test func `packages that would need each other are refused, and so is a floor above the version`() async throws {
        let desk = try await ready("1.0.0")
        try await desk.service.ship("1", of: "common")
        let zip = StoredZip(["index.html": "x"]).bytes
        let common = Desk.api + "/apps/default/packages/common"
        let needing = try await desk.send("POST", Desk.news + "/versions?version=2.0.0&needs=common%20%3E%3D1", zip)
        #expect(needing.status == 201)
        _ = try await make(desk, ["version": "2.0.0"])
        #expect(try await desk.send("POST", common + "/versions?version=2&needs=news%20%3E%3D1", zip).status == 201)
        let circle = try await desk.call("POST", common + "/releases", .object(["version": "2", "percent": 0]))
        #expect(circle.status == 409 && circle.detail.contains("this cycle"))
        #expect(try await version(desk) == "2.0.0")
        let floor = JSON.object(["version": "1.0.1", "reason": "r", "withoutHave": "offer"])
        let above = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0", "floor": floor]))
        #expect(above.status == 400 && above.detail.contains("above 1.0.0"))
    }

    @Test func `a plan does not begin in the past, and a list is not empty`() async throws {
        let desk = try await ready("1.0.0")
        let plan: JSON = .array([.object(["percent": 1, "after": "0s"])])
        let past = JSON.string(desk.service.fromNow(-1).rfc3339)
        let refused = try await desk.call(
            "POST", Desk.releases, .object(["version": "1.0.0", "plan": plan, "activeTime": past]))
        #expect(refused.status == 400 && refused.detail.contains("has passed"))
        let list = Desk.api + "/apps/default/device-lists/testers"
        for body: [UInt8] in [[], Array("\n \r\n".utf8), [0xEF, 0xBB, 0xBF]] {
            #expect(try await desk.send("PUT", list, body).status == 400)
        }
        #expect(try await desk.send("PUT", list, [0xEF, 0xBB, 0xBF] + Array("ann\n".utf8)).status == 201)
        _ = try await make(desk, ["version": "1.0.0", "whitelist": "testers"])
        #expect(try await version(desk, "?deviceId=ann") == "1.0.0")
    }
}

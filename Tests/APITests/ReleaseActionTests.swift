import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReleaseActionTests: ReleasingSuite {
    @Test func `a gray release reaches buckets by position, and devices without facts at 100 percent`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let gray = try await make(desk, ["version": "2.0.0", "percent": .number("12.5")])
        #expect(try await version(desk) == "1.0.0")
        func reached() async throws -> Set<Int> {
            var reached: Set<Int> = []
            for bucket in stride(from: 0, to: 10_000, by: 50) {
                let got = try await version(desk, "?bucket=\(bucket)")
                if got == "2.0.0" { reached.insert(bucket) }
            }
            return reached
        }
        let first = try await reached()
        #expect((5...55).contains(first.count))
        #expect(try await desk.call("PATCH", gray, .object(["percent": 50])).status == 200)
        let second = try await reached()
        #expect(second.isSuperset(of: first) && (60...140).contains(second.count))
        #expect(try await version(desk) == "1.0.0")
        #expect(try await desk.call("PATCH", gray, .object(["percent": 100])).status == 200)
        #expect(try await version(desk) == "2.0.0")
    }

    @Test func `a percentage that shrinks is refused with a remedy`() async throws {
        let desk = try await ready("1.0.0")
        let gray = try await make(desk, ["version": "1.0.0", "percent": 10])
        for percent: JSON in [10, 9, 0] {
            let response = try await desk.call("PATCH", gray, .object(["percent": percent]))
            #expect(response.status == 400 && response.detail.contains("halt"))
        }
    }

    @Test func `devices on the whitelist always get the release, and excluded devices never do`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        for (name, ids) in [("testers", "ann\r\n\nbob\n"), ("banned", "bob")] {
            let put = try await desk.send("PUT", Desk.api + "/apps/default/device-lists/\(name)", Array(ids.utf8))
            #expect(put.status == 201)
        }
        _ = try await make(desk, ["version": "2.0.0", "whitelist": "testers", "excluded": "banned"])
        #expect(try await version(desk, "?deviceId=ann") == "2.0.0")
        #expect(try await version(desk, "?deviceId=bob") == "1.0.0")
        #expect(try await version(desk, "?deviceId=eve") == "1.0.0")
        let cut = try await desk.send(
            "PUT", Desk.api + "/apps/default/device-lists/testers", Array("eve\n".utf8), cutInto: 1)
        #expect(cut.status == 200)
        #expect(try await version(desk, "?deviceId=ann") == "1.0.0")
        #expect(try await version(desk, "?deviceId=eve") == "2.0.0")
        let lists = try await desk.call("GET", Desk.api + "/apps/default/device-lists").json["deviceLists"]?.elements
        #expect(lists?.map { $0["name"] } == ["banned", "testers"] && lists?.map { $0["revision"] } == [1, 2])
    }

    @Test func `an unknown list, and a line that is not an id, are refused`() async throws {
        let desk = try await ready("1.0.0")
        let response = try await desk.call(
            "POST", Desk.releases, .object(["version": "1.0.0", "whitelist": "nobody"]))
        #expect(response.status == 404 && response.code == "list-not-found" && response.detail.contains("PUT"))
        let list = Desk.api + "/apps/default/device-lists/testers"
        let edge = String(repeating: "x", count: DeviceIdentity.maximumLength)
        #expect(try await desk.send("PUT", list, Array("\(edge)\n".utf8)).status == 201)
        let long = try await desk.send("PUT", list, Array("a\n\(edge)x".utf8))
        #expect(long.status == 400 && long.detail.contains("Line 2"))
        #expect(try await desk.send("PUT", list, [0x61, 0x0A, 0xFF, 0x0A]).detail.contains("UTF-8"))
        #expect(try await desk.send("PUT", Desk.api + "/apps/default/device-lists/No_Name", []).status == 400)
    }

    @Test func `the second of two concurrent changes of a release is refused`() async throws {
        let desk = try await ready("1.0.0")
        let gray = try await make(desk, ["version": "1.0.0", "percent": 10])
        let seen = try #require(try await desk.call("GET", gray)["ETag"])
        func widen(_ percent: JSON) async throws -> TestResponse {
            let request = TestRequest("PATCH", gray, body: JSON.object(["percent": percent]).bytes())
            return try await desk.service.send(request.by(desk.token(.releaser)).with("If-Match", seen))
        }
        #expect(try await widen(20).status == 200)
        let second = try await widen(30)
        #expect(second.status == 412 && second.code == "precondition-failed" && second.detail.contains("revision 2"))
        #expect(try await desk.call("GET", gray).json["percent"] == 20)
    }

    @Test func `an action that the state does not allow is refused with the allowed ones`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        let release = try await make(desk, ["version": "1.0.0"])
        let refused = try await desk.call("POST", release + "/resume")
        #expect(refused.status == 409 && refused.detail.contains("is active") && refused.detail.contains("'pause'"))
        #expect(try await desk.call("POST", release + "/halt").status == 200)
        #expect(try await desk.call("GET", release).json["allowed"] == .array(["resume", "rollback"]))
        let missing = try await desk.call("POST", Desk.releases + "/99/halt")
        #expect(missing.status == 404 && missing.code == "release-not-found")
        #expect(try await desk.call("POST", Desk.releases + "/x/halt").status == 404)
    }

    @Test func `devices with a halted version keep it, others go back, and the response says so`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        let lower = try await make(desk, ["version": "1.0.0"])
        let upper = try await make(desk, ["version": "2.0.0"])
        let halted = try await desk.call("POST", upper + "/halt")
        #expect(halted.status == 200)
        let next = try #require(try halted.json["fallsBackTo"]?.integer)
        #expect(lower.hasSuffix("/\(next)"))
        #expect(try halted.json["note"]?.string?.contains("1.0.0") == true)
        #expect(try await version(desk) == "1.0.0")
        #expect(try await version(desk, "?have=news@2.0.0") == "2.0.0")
        #expect(try await version(desk, "?have=news@1.0.0") == "1.0.0")
        #expect(try await desk.call("POST", upper + "/resume").status == 200)
        #expect(try await version(desk) == "2.0.0")
    }

    @Test func `a rollback gives the same devices the earlier version, and its dry run states the effect`() async throws
    {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let bad = try await make(desk, ["version": "2.0.0", "percent": 30])
        let buckets = stride(from: 0, to: 10_000, by: 500).map { "?bucket=\($0)" }
        var had: Set<String> = []
        for bucket in buckets where try await version(desk, bucket) == "2.0.0" { had.insert(bucket) }
        let dry = try await desk.call("POST", bad + "/rollback", .object(["dryRun": true]))
        #expect(dry.status == 200)
        #expect(try dry.json["begun"]?["version"] == "1.0.0" && dry.json["begun"]?["percent"] == 30)
        for bucket in had { #expect(try await version(desk, bucket) == "2.0.0") }
        let done = try await desk.call("POST", bad + "/rollback")
        #expect(done.status == 201)
        #expect(try done.json["offered"]?.elements?.map { $0["version"] } == ["1.0.0", "1.0.0"])
        for bucket in buckets { #expect(try await version(desk, bucket) == "1.0.0") }
        #expect(try await desk.call("GET", bad).json["state"] == "rolled-back")
        #expect(try await desk.call("POST", bad + "/rollback").status == 409)
        let audit = try await desk.call("GET", Desk.api + "/audit").json["entries"]?.elements?.first
        #expect(audit?["action"] == "release.rollback")
    }

    @Test func `without an earlier release, the response asks for a version`() async throws {
        let desk = try await ready("1.0.0", "0.9.0")
        let only = try await make(desk, ["version": "1.0.0"])
        let refused = try await desk.call("POST", only + "/rollback")
        #expect(refused.status == 409 && refused.detail.contains("'to'"))
        #expect(try await desk.call("POST", only + "/rollback", .object(["to": "1.0.0"])).status == 409)
        #expect(try await desk.call("POST", only + "/rollback", .object(["to": "7"])).status == 404)
        #expect(try await desk.call("POST", only + "/rollback", .object(["to": "0.9.0"])).status == 201)
        #expect(try await version(desk) == "0.9.0")
    }

    @Test func `a plan advances by itself, stands still while paused, and notifies waiting clients`() async throws {
        let desk = try await ready("1.0.0")
        let service = desk.service
        let plan: JSON = .array([
            .object(["percent": 10, "after": "0s"]), .object(["percent": 40, "after": "1h"]),
            .object(["percent": 100, "after": "2h"]),
        ])
        let release = try await make(desk, ["version": "1.0.0", "plan": plan])
        func percent() async throws -> JSON? { try await desk.call("GET", release).json["percent"] }
        func after(_ milliseconds: Int64) async throws {
            service.clock.advance(milliseconds: milliseconds)
            try await service.live.activate(service.app)
        }
        #expect(try await percent() == 10)
        let sequence = try service.app.log.sequence
        try await after(3_599_999)
        #expect(try await percent() == 10)
        #expect(try service.app.log.sequence == sequence)
        try await after(1)
        #expect(try await percent() == 40)
        #expect(try service.app.log.sequence == sequence + 1)
        let (news, version) = (try #require(PackageID("news")), try #require(VersionString("1.0.0")))
        #expect(try service.app.log.events.last?.subject == .changed(news, .production, version))
        #expect(try await desk.call("POST", release + "/pause").status == 200)
        try await after(86_400_000)
        #expect(try await percent() == 40)
        #expect(try await desk.call("POST", release + "/resume").status == 200)
        try await after(3_599_999)
        #expect(try await percent() == 40)
        try await after(1)
        #expect(try await percent() == 100)
        #expect(try await desk.call("GET", release).json["state"] == "completed")
        #expect(try await self.version(desk) == "1.0.0")
    }

    @Test func `a changed activation time is announced, and one in the past is refused`() async throws {
        let desk = try await ready("1.0.0")
        let service = desk.service
        let release = try await make(
            desk, ["version": "1.0.0", "activeTime": .string(service.fromNow(60_000).rfc3339)])
        let past = try await desk.call("PATCH", release, .object(["activeTime": .string(service.clock.now().rfc3339)]))
        #expect(past.status == 400 && past.detail.contains("has passed"))
        let sequence = try service.app.log.sequence
        let later = service.fromNow(120_000)
        let moved = try await desk.call("PATCH", release, .object(["activeTime": .string(later.rfc3339)]))
        #expect(try moved.status == 200 && service.app.log.sequence == sequence + 1)
        #expect(try moved.json["rank"]?.integer == later.milliseconds * 1000)
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        #expect(try await service.get("/config").json["news"]?["enable"] == .bool(false))
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        #expect(try await version(desk) == "1.0.0")
    }

    @Test(arguments: [
        #"{"version": "1.0.0", "percent": 101}"#, #"{"version": "1.0.0", "percent": "5"}"#,
        #"{"version": "1.0.0", "percent": 1.234}"#,
        #"{"version": "1.0.0", "percent": 5, "plan": [{"percent": 5, "after": "0s"}]}"#,
        #"{"version": "1.0.0", "plan": []}"#,
        #"{"version": "1.0.0", "plan": [{"percent": 5, "after": "1h"}, {"percent": 5, "after": "2h"}]}"#,
        #"{"version": "1.0.0", "plan": [{"percent": 5, "after": "1w"}]}"#,
        #"{"version": "1.0.0", "rules": [{"fact": "mood", "in": ["good"]}]}"#,
        #"{"version": "1.0.0", "rules": [{"fact": "platform", "range": ">=1"}]}"#,
        #"{"version": "1.0.0", "rules": [{"fact": "appVersion", "range": "new"}]}"#,
        #"{"version": "1.0.0", "updateMode": "later"}"#, #"{"version": "1.0.0", "floor": {"version": "3.0"}}"#,
        #"{"version": "1.0.0", "floor": {"version": "x", "reason": "r", "withoutHave": "offer"}}"#,
        #"{"version": "1.0.0", "whitelist": "No Name"}"#, #"{"version": "1.0.0", "percents": 5}"#,
    ])
    func `an unknown or invalid member is refused, and no release is made`(body: String) async throws {
        let desk = try await ready("1.0.0")
        let response = try await desk.send("POST", Desk.releases, Array(body.utf8))
        #expect(response.status == 400 && response.code == "invalid-request", "\(response.text)")
        #expect(try await desk.call("GET", Desk.releases).json["releases"] == .array([]))
    }

    @Test func `rules are shown as they were given, with warnings for the operator`() async throws {
        let desk = try await ready("1.0.0")
        let rules: JSON = .array([
            .object(["fact": "appVersion", "range": ">=8.3 <9"]),
            .object(["fact": "attr.tier", "notIn": .array(["free"])]),
        ])
        let made = try await desk.call(
            "POST", Desk.releases, .object(["version": "1.0.0", "rules": rules, "wifiOnly": true]))
        #expect(try made.json["rules"] == rules && made.json["wifiOnly"] == .bool(true))
        #expect(try made.json["warnings"]?.elements?.first?.string?.contains("seed 000") == true)
        #expect(try await version(desk) == nil)
        #expect(try await version(desk, "?appVersion=8.9&attr.tier=gold") == "1.0.0")
        #expect(try await version(desk, "?appVersion=8.9&attr.tier=FREE") == nil)
        #expect(try await version(desk, "?appVersion=9.0.0-beta&attr.tier=gold") == nil)
    }

    @Test func `a warning says whether clients without facts get the release by its plan`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        func codes(_ terms: [JSON.Member]) async throws -> [String]? {
            let body: JSON = .object([.init("version", "2.0.0")] + terms)
            let made = try await desk.call("POST", Desk.releases + "?dryRun=1", body)
            return try made.json["warningCodes"]?.elements?.compactMap(\.string)
        }
        let never = "clients-without-facts"
        let atEnd = "clients-without-facts-at-end"
        let rules = JSON.Member("rules", .array([.object(["fact": "platform", "in": .array(["android"])])]))
        func plan(_ last: JSON) -> JSON.Member {
            .init("plan", .array([.object(["percent": 5, "after": "0s"]), last]))
        }
        let all: JSON = .object(["percent": 100, "after": "1d"])
        let everyone: JSON = .object(["percent": 100, "after": "1d", "withoutRules": true])
        let half: JSON = .object(["percent": 50, "after": "1d"])
        func floor(_ withoutHave: String) -> JSON.Member {
            .init("floor", .object(["version": "1.0.0", "reason": "r", "withoutHave": .string(withoutHave)]))
        }
        #expect(try await codes([]) == [])
        #expect(try await codes([.init("percent", 5)]) == [never])
        #expect(try await codes([plan(all)]) == [atEnd])
        #expect(try await codes([plan(half)]) == [never])
        #expect(try await codes([plan(all), rules]) == [never])
        #expect(try await codes([plan(everyone), rules]) == [atEnd])
        #expect(try await codes([plan(all), floor("withhold")]) == [never])
        #expect(try await codes([plan(all), floor("offer")]) == [atEnd])
        #expect(try await codes([floor("offer")]) == [])
    }

    @Test func `a release goes beyond its rules by a step of its plan, or by an operator`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        let rules: JSON = .array([.object(["fact": "platform", "in": .array(["android"])])])
        let plan: JSON = .array([
            .object(["percent": 100, "after": "0s"]),
            .object(["percent": 100, "after": "1d", "withoutRules": true]),
        ])
        let planned = try await make(desk, ["version": "1.0.0", "rules": rules, "plan": plan])
        let shown = try await desk.call("GET", planned).json
        #expect(shown["rules"] == rules)
        #expect(shown["plan"]?.elements?.map { $0["withoutRules"] } == [nil, true])
        #expect(try await version(desk) == nil)
        #expect(try await version(desk, "?platform=android") == "1.0.0")
        desk.service.clock.advance(milliseconds: 86_400_000)
        try await desk.service.live.activate(desk.service.app)
        #expect(try await version(desk) == "1.0.0")
        let after = try await desk.call("GET", planned).json
        #expect(after["rules"] == nil && after["state"] == "completed")

        let byHand = try await make(desk, ["version": "2.0.0", "rules": rules])
        #expect(try await version(desk) == "1.0.0")
        let nothing = try await desk.call("PATCH", byHand, .object(["withoutRules": false]))
        #expect(nothing.status == 400 && nothing.detail.contains("'withoutRules': true"))
        let dropped = try await desk.call("PATCH", byHand, .object(["withoutRules": true]))
        #expect(try dropped.status == 200 && dropped.json["rules"] == nil && dropped.json["state"] == "completed")
        let history = Desk.api + "/apps/default/history?action=release.widen&limit=1"
        let details = try await desk.call("GET", history).json["entries"]?.elements?.first?["details"]
        #expect(details?["withoutRules"] == true && details?["percent"] == nil)
        #expect(try await version(desk) == "2.0.0")
        let again = try await desk.call("PATCH", byHand, .object(["withoutRules": true]))
        #expect(again.status == 409)
        let next = try await Desk(desk.service.restarted())
        #expect(try await version(next) == "2.0.0")
    }

    @Test func `a response contains only the requested packages`() async throws {
        let desk = try await ready("1.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        try await desk.service.ship("1.0.0", of: "shop")
        func names(_ query: String) async throws -> [String] {
            try await desk.service.get("/config" + query).json.members?.map(\.key) ?? []
        }
        #expect(try await names("?only=shop") == ["shop"])
        #expect(try await names("?only=shop,news,no") == ["news", "shop"])
        #expect(try await names("?only=no") == [])
        #expect(try await names("?only=") == ["news", "shop"])
    }
}

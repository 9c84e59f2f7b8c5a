import Domain
import FoundationEssentials
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests estimates of a release's audience among the devices seen.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct AudienceTests: ReleasingSuite {
    private static let day: Int64 = 86_400_000
    private static let estimate = Desk.news + "/audience-estimate"
    private static let facts = Desk.api + "/apps/default/device-facts"

    private func ask(_ desk: Desk, _ queries: String...) async throws {
        for query in queries { #expect(try await desk.service.get("/config" + query).status == 200) }
        await desk.service.devicesSeen.flush { Issue.record($0) }
    }

    private func readiness(_ desk: Desk, _ release: String) async throws -> JSON {
        let response = try await desk.call("GET", release + "/readiness", as: .publisher)
        #expect(response.status == 200, "\(response.text)")
        return try response.json
    }

    private func estimate(_ desk: Desk, _ members: KeyValuePairs<String, JSON?>) async throws -> JSON {
        let response = try await desk.call("POST", Self.estimate, .object(members), as: .publisher)
        #expect(response.status == 200, "\(response.text)")
        return try response.json
    }

    /// Returns the number of devices that each rule excluded, in the order of the response.
    private func refused(_ response: JSON) -> [String] {
        (response["refused"]?.elements ?? []).map { "\($0["devices"]?.text ?? "") \($0["rule"]?.string ?? "")" }
    }

    @Test func `the readiness of a release counts the devices that have its version`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let moment = desk.service.fromNow(Self.day).rfc3339
        let rules = JSON.array([.object(["fact": "region", "in": .array(["CN"])])])
        let release = try await make(desk, ["version": "2.0.0", "activeTime": .string(moment), "rules": rules])
        try await ask(
            desk, "?deviceId=ann&region=CN&have=news@1.0.0,news@2.0.0", "?deviceId=bob&region=cn&have=news@1.0.0",
            "?deviceId=cy&region=CN", "?deviceId=di&region=SG&have=news@2.0.0", "?deviceId=el", "?bucket=5&region=CN",
            "", "?deviceId=ann&region=CN&have=news@1.0.0,news@2.0.0")
        let since = desk.service.clock.now().rfc3339
        let expected = JSON.object([
            "release": 2, "version": "2.0.0", "channel": "production", "at": .string(moment), "reach": 100, "seen": 5,
            "matching": 3, "holding": 1, "silent": 1, "percent": .number("33.33"), "days": 7,
            "coverage": .object([
                "sayingWhatTheyHave": 3, "cut": 0, "since": .string(since), "dropped": 0, "limit": 1_000_000,
                "limitReached": false,
            ]),
        ])
        #expect(try await readiness(desk, release) == JSON(parsing: expected.bytes()))
    }

    @Test func `a device that requests a signed response is recorded as seen`() async throws {
        let desk = try await ready("1.0.0")
        let release = try await make(desk, ["version": "1.0.0"])
        try await ask(desk, "?signed=1", "?signed=1&deviceId=ann", "?signed=1&deviceId=bob&have=news@1.0.0")
        let response = try await readiness(desk, release)
        #expect(response["seen"] == 2 && response["holding"] == 1)
    }

    @Test func `an estimate without seen devices has no percentage`() async throws {
        let desk = try await ready("1.0.0")
        let response = try await readiness(desk, try await make(desk, ["version": "1.0.0"]))
        #expect(response["seen"] == 0 && response["percent"] == .null && response["coverage"]?["since"] == .null)
    }

    @Test func `a device counts for seven days, on the channel of its request`() async throws {
        let desk = try await ready("1.0.0")
        let release = try await make(desk, ["version": "1.0.0"])
        _ = try await desk.call("PUT", Desk.api + "/apps/default/channels/beta")
        #expect(try await desk.service.get("/apps/default/channels/beta/config?deviceId=bob").status == 200)
        try await ask(desk, "?deviceId=ann&have=news@1.0.0")
        #expect(try await readiness(desk, release)["seen"] == 1)
        desk.service.clock.advance(milliseconds: 7 * Self.day)
        #expect(try await readiness(desk, release)["holding"] == 1)
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await readiness(desk, release)["seen"] == 0)
    }

    @Test func `the readiness of a plan is that at the activation time, and its estimate that at the end`() async throws
    {
        let desk = try await ready("1.0.0")
        let list = try await desk.send("PUT", Desk.api + "/apps/default/device-lists/testers", Array("ann\n".utf8))
        #expect(list.status == 201)
        let plan = JSON.array([
            .object(["percent": 0, "after": "0s"]), .object(["percent": 100, "after": "2h"]),
        ])
        let moment = JSON.string(desk.service.fromNow(1000).rfc3339)
        try await ask(desk, "?deviceId=ann", "?deviceId=bob")
        let estimated = try await estimate(
            desk, ["version": "1.0.0", "plan": plan, "whitelist": "testers", "activeTime": moment])
        #expect(estimated["matching"] == 2 && estimated["reach"] == 100 && estimated["at"] == moment)
        let release = try await make(
            desk, ["version": "1.0.0", "plan": plan, "whitelist": "testers", "activeTime": moment])
        let ahead = try await readiness(desk, release)
        #expect(ahead["matching"] == 1 && ahead["reach"] == 0)
        desk.service.clock.advance(milliseconds: 1000 + 2 * 3_600_000)
        #expect(try await readiness(desk, release)["matching"] == 2)
    }

    @Test func `an estimate counts devices by the first rule that excludes them, and makes no release`() async throws {
        let desk = try await ready("1.0.0")
        try await desk.service.release("1.0.0")
        try await desk.service.putPackage("common")
        let upload = try await desk.upload(
            "2.0.0", ["index.html": "<p>2"], query: "&minAppVersion=8.3&apis=camera&needs=common%20%3E=7")
        #expect(upload.status == 201, "\(upload.text)")
        _ = try await desk.call(
            "PUT", Desk.api + "/apps/default/builds/8.4", .object(["apis": .array(["camera"])]))
        _ = try await desk.send("PUT", Desk.api + "/apps/default/device-lists/out", Array("out\n".utf8))
        let common = ",common@7"
        try await ask(
            desk, "?deviceId=out", "?deviceId=a&region=SG", "?deviceId=b", "?deviceId=c&region=CN&appVersion=8.2",
            "?deviceId=d&region=CN&appVersion=8.3", "?deviceId=e&region=CN&appVersion=8.4",
            "?deviceId=f&region=CN&appVersion=8.4&have=news@0.9",
            "?deviceId=g&region=CN&appVersion=8.4&have=news@1.5",
            "?deviceId=h&region=CN&appVersion=8.4&have=news@1.5\(common)")
        let response = try await estimate(
            desk,
            [
                "version": "2.0.0", "excluded": "out",
                "rules": .array([.object(["fact": "region", "in": .array(["CN"])])]),
                "floor": .object(["version": "1.1", "reason": "new database", "withoutHave": "withhold"]),
            ])
        #expect(
            Set(refused(response)) == [
                "2 the rule 'region in CN'", "2 devices below 1.1 go through it first (new database)",
                "1 the device is on the list of the excluded 'out'", "1 the version needs appVersion >=8.3",
                "1 the version needs native APIs", "1 the version needs common >=7",
            ])
        #expect(refused(response).prefix(2).allSatisfy { $0.hasPrefix("2 ") })
        #expect(response["seen"] == 9 && response["matching"] == 1 && response["percent"] == .number("11.11"))
        #expect(response["reach"] == 100 && response["coverage"]?["sayingWhatTheyHave"] == 3)
        #expect(try await desk.call("GET", Desk.releases).json["releases"]?.elements?.count == 1)
    }

    @Test(arguments: [
        ("region", "isIn"), ("platform", "isIn"), ("osVersion", "range"), ("model", "prefix"), ("network", "notIn"),
        ("attr.tier", "isIn"), ("appVersion", "range"),
    ])
    func `each fact that a device sends is available to rules`(fact: String, test: String) async throws {
        let desk = try await ready("1.0.0")
        try await ask(desk, "?deviceId=ann&\(fact)=12", "?deviceId=bob&\(fact)=77", "?deviceId=cy")
        let rule: JSON =
            switch test {
            case "isIn": .object(["fact": .string(fact), "in": .array(["12"])])
            case "notIn": .object(["fact": .string(fact), "notIn": .array(["77"])])
            case "prefix": .object(["fact": .string(fact), "prefix": .array(["1"])])
            default: .object(["fact": .string(fact), "range": "<13"])
            }
        let response = try await estimate(desk, ["version": "1.0.0", "rules": .array([rule])])
        #expect(response["matching"] == 1 && response["seen"] == 3)
        #expect(response["refused"]?.elements?.map { $0["devices"] } == [2])
        #expect(response["refused"]?.elements?.allSatisfy { $0["refusal"]?["code"] != nil } == true)
    }

    // MARK: The facts that rules may compare

    private func facts(_ desk: Desk) async throws -> JSON {
        let response = try await desk.call("GET", Self.facts, as: .releaser)
        #expect(response.status == 200, "\(response.text)")
        return try response.json
    }

    /// Returns each fact with its values and their devices, in the order of the response.
    private func lines(_ response: JSON) -> [String] {
        (response["facts"]?.elements ?? []).map { entry in
            let values = (entry["values"]?.elements ?? []).map {
                "\($0["value"]?.string ?? "") \($0["devices"]?.text ?? "")"
            }
            return "\(entry["fact"]?.string ?? ""): \(values.joined(separator: ", "))"
        }
    }

    @Test func `facts are shown with the values of at least two devices of the last week, the most frequent first`()
        async throws
    {
        let desk = try await ready("1.0.0")
        #expect(try await facts(desk)["devices"] == 0)
        try await ask(desk, "?deviceId=old&attr.tier=gold", "?deviceId=older&attr.tier=gold")
        desk.service.clock.advance(milliseconds: 7 * Self.day + 1)
        try await ask(
            desk, "?deviceId=a&platform=ios&attr.city=Shenzhen&attr.user=ann",
            "?deviceId=b&platform=android&attr.city=Porto&model=Pixel%209",
            "?deviceId=c&platform=android&attr.city=Porto&attr.user=bob", "?deviceId=d&platform=ios",
            "?deviceId=e&platform=android&attr.city=Shenzhen&attr.Age=7", "?deviceId=f&attr.Age=7",
            "?deviceId=g&attr.city=Lisbon")
        let shown = try await facts(desk)
        #expect(
            lines(shown) == ["platform: android 3, ios 2", "attr.Age: 7 2", "attr.city: Porto 2, Shenzhen 2"])
        #expect(shown["devices"] == 7 && shown["days"] == 7 && shown["channel"] == "production")
        let other = try await desk.call("GET", Self.facts + "?channel=none")
        #expect(other.code == "channel-not-found")
    }

    @Test func `a releaser of one channel is shown the facts of that channel only`() async throws {
        let desk = try await ready("1.0.0")
        _ = try await desk.call("PUT", Desk.api + "/apps/default/channels/beta")
        let channel = try #require(ChannelName("beta"))
        let secret = try await desk.service.makeToken(.releaser, on: .channel(channel, of: .default))
        for (query, status) in [("?channel=beta", 200), ("?channel=production", 403), ("", 403)] {
            let response = try await desk.service.send(
                TestRequest("GET", Self.facts + query, fields: [("Authorization", "Bearer \(secret)")]))
            #expect(response.status == status, "\(query): \(response.text)")
        }
    }

    @Test func `eight requests wait for a sample of facts, and a further one is busy`() async throws {
        let desk = try await ready("1.0.0")
        try await ask(desk, "?deviceId=a&region=CN", "?deviceId=b&region=CN")
        let door = Door()
        desk.service.store.setBefore(.seenDevices) { () throws(PlatformError) in await door.pass() }
        try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for _ in 0..<FactSample.maximumWaiting + 2 {
                group.addTask { try await desk.call("GET", Self.facts, as: .releaser) }
            }
            let refused = try #require(try await group.next())
            #expect(refused.status == 503 && refused.code == "busy" && refused["Retry-After"] != nil)
            door.open()
            for try await response in group { #expect(response.status == 200) }
        }
    }

    @Test func `at most 20 values of a fact and 50 attributes are shown, of a sample of 5,000 devices`() async throws {
        let desk = try await ready("1.0.0")
        /// Makes two devices send each.
        func send(_ numbers: Range<Int>, _ query: (Int) -> String) async throws {
            for number in numbers {
                try await ask(
                    desk, "?deviceId=a-\(query(number))&\(query(number))",
                    "?deviceId=b-\(query(number))&\(query(number))")
            }
        }
        func count() async throws -> [Int] { lines(try await facts(desk)).map { $0.split(separator: ",").count } }
        try await send(0..<20) { "region=\($0)" }
        #expect(try await count() == [20])
        try await send(20..<21) { "region=\($0)" }
        #expect(try await count() == [20])
        try await send(0..<50) { "attr.a\($0)=1" }
        #expect(try await count().count == 51)
        try await send(50..<51) { "attr.a\($0)=1" }
        #expect(try await count().count == 51)
        for number in 0..<5_000 - 2 * 72 { _ = try await desk.service.get("/config?deviceId=\(number)") }
        try await ask(desk)
        #expect(try await facts(desk)["devices"] == 5_000)
        try await ask(desk, "?deviceId=last")
        #expect(try await facts(desk)["devices"] == 5_000)
    }

    @Test func `a percentage is counted by the positions of the devices' buckets`() async throws {
        let desk = try await ready("1.0.0")
        for number in 0..<200 { _ = try await desk.service.get("/config?deviceId=\(number)") }
        try await ask(desk)
        let release = try await make(desk, ["version": "1.0.0", "percent": 40])
        let own = try #require(release.split(separator: "/").last.flatMap { Int64($0) })
        let counted = try #require(try await readiness(desk, release)["matching"]?.integer)
        var offered: Int64 = 0
        for number in 0..<200 where try await version(desk, "?deviceId=\(number)") == "1.0.0" { offered += 1 }
        #expect(counted == offered && (1..<200).contains(counted))
        let same = try await estimate(desk, ["version": "1.0.0", "percent": 40, "sameAudienceAs": .integer(own)])
        #expect(same["matching"]?.integer == counted)
        #expect(refused(same) == ["\(200 - counted) the percentage, 40 %"])
    }

    @Test func `an estimate that cannot be made is refused with an error code`() async throws {
        let desk = try await ready("1.0.0")
        let release = try await make(
            desk, ["version": "1.0.0", "activeTime": .string(desk.service.fromNow(1000).rfc3339)])
        #expect(try await desk.call("POST", release + "/rollback").status == 201)
        #expect(try await desk.call("GET", release + "/readiness").code == "conflict")
        #expect(try await desk.call("GET", Desk.releases + "/99/readiness").code == "release-not-found")
        for (body, code) in [
            (JSON.object(["version": "9"]), "version-not-found"), (.object([:]), "invalid-request"),
            (.object(["version": "1.0.0", "whitelist": "none"]), "list-not-found"),
            (.object(["version": "1.0.0", "channel": "none"]), "channel-not-found"),
            (.object(["version": "1.0.0", "percents": 5]), "invalid-request"),
        ] {
            #expect(try await desk.call("POST", Self.estimate, body).code == code)
        }
    }

    @Test func `a server that records no devices says so`() async throws {
        let desk = try await Desk(TestService(devicesSeen: 0))
        try await desk.service.ship("1.0.0")
        let response = try await desk.call("GET", Desk.releases + "/1/readiness")
        #expect(response.code == "conflict" && response.text.contains("--devices-seen"))
        #expect(try await desk.call("POST", Self.estimate, .object(["version": "1.0.0"])).code == "conflict")
        #expect(try await desk.call("GET", Self.facts).code == "conflict")
    }

    @Test func `the id of a device is not stored`() async throws {
        let desk = try await ready("1.0.0")
        try await ask(desk, "?deviceId=a-rather-secret-id&model=a-plain-model&have=news@1.0.0")
        let folder = desk.service.folder
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(files.contains { $0.contains("a-plain-model") })
        #expect(!files.contains { $0.contains("a-rather-secret-id") })
    }

    @Test func `the metrics contain the numbers of recorded and dropped devices`() async throws {
        let desk = try await Desk(TestService(devicesSeen: 2))
        try await ask(desk, "?deviceId=a", "?deviceId=b", "?deviceId=c", "?deviceId=d")
        let lines = try await desk.call("GET", "/metrics", as: .publisher).text.split(separator: "\n")
        #expect(lines.contains("larder_devices_seen 2"))
        #expect(lines.contains("larder_devices_seen_dropped_total 2"))
    }
}

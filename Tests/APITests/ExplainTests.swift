@testable import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ExplainTests {
    private static let path = Desk.api + "/apps/default/explain"

    private func news(_ desk: Desk, _ query: String) async throws -> JSON {
        let response = try await desk.call("GET", Self.path + query)
        #expect(response.status == 200, "\(response.text)")
        return try #require(try response.json["packages"]?.elements?.first { $0["package"] == "news" })
    }

    @Test func `each evaluated release is listed with the first rule that excludes the device`() async throws {
        let desk = try await Desk()
        for version in ["1.0.0", "2.0.0", "3.0.0"] { try await desk.service.publishSample(version) }
        try await desk.service.release("1.0.0")
        try await desk.service.release(
            "2.0.0", to: Audience(rules: [AudienceRule(.region, .isIn(["CN"]))]))
        try await desk.service.release("3.0.0", rollout: Rollout(percent: .none))
        let explanation = try await news(desk, "?deviceId=ann&region=SG")
        #expect(explanation["current"]?["version"] == "1.0.0" && explanation["next"] == .null)
        let checks = explanation["releases"]?.elements ?? []
        #expect(checks.map { $0["version"] } == ["3.0.0", "2.0.0", "1.0.0"])
        #expect(checks.map { $0["outcome"] } == ["refused", "refused", "offered"])
        #expect(checks[0]["reason"]?.string?.hasPrefix("it is at 0 %") == true)
        #expect(checks[1]["reason"] == "the rule 'region in CN' is not met: the device has 'SG'")
        #expect(checks[0]["refusal"]?["code"] == "percentage" && checks[0]["refusal"]?["percent"] == 0)
        let rule = checks[1]["refusal"]
        #expect(rule?["code"] == "rule" && rule?["rule"]?["in"] == .array(["CN"]) && rule?["has"] == "SG")
        #expect(checks[2]["refusal"] == nil)
        let other = try await news(desk, "?region=cn")
        #expect(other["current"]?["version"] == "2.0.0")
        #expect(other["releases"]?.elements?.map { $0["outcome"] } == ["refused", "offered", "hidden"])
    }

    @Test func `a refusal has the facts of its sentence, and those of the device only where they are known`() throws {
        let list = try #require(DeviceListName("testers"))
        let one = try #require(VersionString("1.0.0"))
        let package = try #require(PackageID("common"))
        let range = try #require(VersionRange(">=1.0"))
        let floor = try #require(Floor(version: one, reason: "new storage", withoutHave: .offer))
        let half = try #require(BasisPoints(5_000))
        let rule = AudienceRule(.region, .isIn(["CN"]))
        let dependency = VersionRequirements.Dependency(package: package, range: range)
        let set = Refusal.set(ReleaseSetID(3), lacking: package, one, because: .halted)
        let expected: [(Refusal, String)] = [
            (.notYet(Timestamp(milliseconds: 0)), #"{"code":"not-yet","activeTime":"1970-01-01T00:00:00Z"}"#),
            (.halted, #"{"code":"halted"}"#), (.neverBegan, #"{"code":"never-began"}"#),
            (.excluded(list), #"{"code":"excluded","list":"testers"}"#),
            (.unknownDevice(list), #"{"code":"device-id-missing","list":"testers"}"#),
            (
                .percentage(half, position: 7_000, whitelist: list),
                #"{"code":"percentage","percent":50,"position":7000,"list":"testers"}"#
            ),
            (.percentage(half, position: nil, whitelist: nil), #"{"code":"percentage","percent":50}"#),
            (.rule(rule, has: nil), #"{"code":"rule","rule":{"fact":"region","in":["CN"]}}"#),
            (.appVersion(range, has: "8.3"), #"{"code":"app-version","range":">=1.0","has":"8.3"}"#),
            (
                .apis(["pay"], build: "8.3", isKnown: false),
                #"{"code":"apis","apis":["pay"],"build":"8.3","known":false}"#
            ),
            (.floor(floor, has: one), #"{"code":"floor","floor":\#(floor.json.text),"has":"1.0.0"}"#),
            (.dependency(dependency, offered: nil), #"{"code":"dependency","package":"common","range":">=1.0"}"#),
            (.noFiles, #"{"code":"no-files"}"#), (.disabled, #"{"code":"disabled"}"#),
            (set, #"{"code":"set","releaseSet":3,"package":"common","version":"1.0.0","because":{"code":"halted"}}"#),
        ]
        for (refusal, text) in expected { #expect(JSON(refusal, isOfDevice: false).text == text) }
        #expect(Set(expected.map { $0.0.code }) == Set(Refusal.Code.allCases))
        let known = Set((Schema.refusal.json["properties"]?.members ?? []).map(\.key))
        let used = Set(expected.flatMap { JSON($0.0, isOfDevice: false).members ?? [] }.map(\.key))
        #expect(used == known)
        let unsent: [(Refusal, String)] = [
            (.percentage(half, position: nil, whitelist: nil), #"{"code":"percentage","percent":50,"position":null}"#),
            (.appVersion(range, has: nil), #"{"code":"app-version","range":">=1.0","has":null}"#),
            (.apis(["pay"], build: nil, isKnown: false), #"{"code":"apis","apis":["pay"],"build":null}"#),
        ]
        for (refusal, text) in unsent { #expect(JSON(refusal, isOfDevice: true).text == text) }
        let apis = Refusal.apis(["pay"], build: "8.3", isKnown: true).ofAnyDevice
        #expect(JSON(apis, isOfDevice: false).text == #"{"code":"apis"}"#)
    }

    @Test func `explain shows past responses as they were and future ones as they will be`() async throws {
        let desk = try await Desk()
        let service = desk.service
        for version in ["1.0.0", "2.0.0", "3.0.0"] { try await service.publishSample(version) }
        let before = service.clock.now()
        service.clock.advance(milliseconds: 1000)
        try await service.release("1.0.0")
        service.clock.advance(milliseconds: 1000)
        let second = try await service.release("2.0.0").release
        service.clock.advance(milliseconds: 1000)
        let whileSecond = service.clock.now()
        service.clock.advance(milliseconds: 1000)
        try await service.apply(.halt, to: second.id)
        service.clock.advance(milliseconds: 1000)
        try await service.release("3.0.0", at: service.fromNow(60_000))
        #expect(try await news(desk, "")["current"]?["version"] == "1.0.0")
        #expect(try await news(desk, "?at=\(whileSecond.rfc3339)")["current"]?["version"] == "2.0.0")
        #expect(try await news(desk, "?at=\(service.fromNow(59_999).rfc3339)")["current"]?["version"] == "1.0.0")
        #expect(try await news(desk, "?at=\(service.fromNow(60_000).rfc3339)")["current"]?["version"] == "3.0.0")
        let empty = try await desk.call("GET", Self.path + "?at=\(before.rfc3339)")
        #expect(try empty.json["packages"] == .array([]))
    }

    @Test func `a future explanation takes the steps of plans when they are due, and says so`() async throws {
        let desk = try await Desk()
        let service = desk.service
        for version in ["1.0.0", "2.0.0"] { try await service.publishSample(version) }
        try await service.release("1.0.0")
        let body = """
            {"version": "2.0.0", "channel": "production", "rules": [{"fact": "region", "in": ["CN"]}],
             "plan": [{"percent": 0, "after": "0s"}, {"percent": 100, "after": "1h"},
                      {"percent": 100, "after": "2h", "withoutRules": true}],
             "health": {"devices": 10, "rules": [{"metric": "crashes", "ceiling": 1, "action": "halt"}]}}
            """
        let made = try await desk.call(
            "POST", Desk.api + "/apps/default/packages/news/releases", JSON(parsing: Array(body.utf8)))
        #expect(made.status == 201, "\(made.text)")
        func version(inMinutes minutes: Int64, _ region: String) async throws -> JSON? {
            let at = service.fromNow(minutes * 60_000).rfc3339
            return try await news(desk, "?region=\(region)&at=\(at)")["current"]?["version"]
        }
        #expect(try await version(inMinutes: 59, "CN") == "1.0.0")
        #expect(try await version(inMinutes: 60, "CN") == "2.0.0")
        #expect(try await version(inMinutes: 60, "SG") == "1.0.0")
        #expect(try await version(inMinutes: 120, "SG") == "2.0.0")
        let future = try await desk.call("GET", Self.path + "?at=\(service.fromNow(1000).rfc3339)").json
        #expect(future["assumption"]?.string?.contains("stay healthy") == true)
        for query in ["", "?at=\(service.clock.now().rfc3339)"] {
            #expect(try await desk.call("GET", Self.path + query).json["assumption"] == nil)
        }
    }

    @Test func `the facts of the device are shown as they were parsed`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        let query = "?deviceId=ann&bucket=1&appVersion=8.3&attr.tier=gold&attr.%20=x&have=news@1.0.0,shop"
        let device = try await desk.call("GET", Self.path + query).json["device"]
        // The SHA-256 of larder-bucket-1, NUL, default, NUL, ann.
        #expect(device?["bucket"] == 2790)
        #expect(device?["appVersion"] == "8.3" && device?["attr.tier"] == "gold")
        #expect(device?["have"] == .object(["news": .array(["1.0.0"])]))
        #expect(device?.members?.count == 4)
    }

    @Test(arguments: ["?at=tomorrow", "?channel=No"])
    func `an invalid explain request is refused`(query: String) async throws {
        #expect([400, 404].contains(try await Desk().call("GET", Self.path + query).status))
    }
}

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
        let answer = try await desk.call("GET", Self.path + query)
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try answer.json["packages"]?.elements?.first { $0["package"] == "news" })
    }

    @Test func `each release that was looked at is told with the first rule that said no`() async throws {
        let desk = try await Desk()
        for version in ["1.0.0", "2.0.0", "3.0.0"] { try await desk.service.publishSample(version) }
        try await desk.service.release("1.0.0")
        try await desk.service.release(
            "2.0.0", to: Audience(rules: [AudienceRule(.region, .isIn(["CN"]))]))
        try await desk.service.release("3.0.0", rollout: Rollout(percent: .none))
        let told = try await news(desk, "?deviceId=ann&region=SG")
        #expect(told["current"]?["version"] == "1.0.0" && told["next"] == .null)
        let looks = told["releases"]?.elements ?? []
        #expect(looks.map { $0["version"] } == ["3.0.0", "2.0.0", "1.0.0"])
        #expect(looks.map { $0["outcome"] } == ["refused", "refused", "offered"])
        #expect(looks[0]["reason"]?.string?.hasPrefix("it is at 0 %") == true)
        #expect(looks[1]["reason"] == "the rule 'region in CN' is not met: the device has 'SG'")
        let other = try await news(desk, "?region=cn")
        #expect(other["current"]?["version"] == "2.0.0")
        #expect(other["releases"]?.elements?.map { $0["outcome"] } == ["refused", "offered", "hidden"])
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

    @Test func `what the device said is told as it was understood`() async throws {
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

import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests which versions seen devices use, and why some use an old one.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct AdoptionRouteTests: ReleasingSuite {
    private static let day: Int64 = 86_400_000
    private static let path = Desk.news + "/adoption"

    private func get(_ desk: Desk, _ query: String = "") async throws -> JSON {
        let response = try await desk.call("GET", Self.path + query, as: .publisher)
        #expect(response.status == 200, "\(response.text)")
        return try response.json
    }

    private func request(_ desk: Desk, _ queries: String...) async throws {
        for query in queries { #expect(try await desk.service.get("/config" + query).status == 200) }
        await desk.service.devicesSeen.flush { Issue.record($0) }
    }

    private func report(
        _ desk: Desk, _ device: String, _ version: String, _ event: String, reason: String? = nil
    ) async throws {
        let now = desk.service.clock.now()
        let report = Report(
            app: .default, eventID: "\(device) \(version) \(event)", deviceID: device,
            package: try #require(PackageID("news")), version: version, event: event, time: now,
            details: reason.map { [.init("reason", .string($0))] } ?? [])
        #expect(
            try await desk.service.store.insertReports([report], at: now, keeping: ReportWindow()) == [.stored])
    }

    /// Returns the causes as texts.
    private func causes(_ response: JSON) -> Set<String> {
        Set(
            (response["causes"]?.elements ?? []).map { cause in
                ["devices", "cause", "rule", "event", "reason"].compactMap { name in
                    cause[name].map { $0.string ?? $0.text }
                }.joined(separator: " ")
            })
    }

    private func versions(_ response: JSON) -> [String] {
        (response["versions"]?.elements ?? []).map { "\($0["version"]?.string ?? "") \($0["devices"]?.text ?? "")" }
    }

    @Test func `devices are counted by version, and old ones by cause`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        try await request(desk, "?deviceId=away&region=CN&have=news@1.0.0")
        desk.service.clock.advance(milliseconds: Self.day)
        let rules = JSON.array([.object(["fact": "region", "in": .array(["CN"])])])
        _ = try await make(desk, ["version": "2.0.0", "rules": rules, "wifiOnly": true])
        desk.service.clock.advance(milliseconds: 1000)
        try await request(
            desk, "?deviceId=new&region=CN&have=news@2.0.0,news@1.0.0", "?deviceId=sg&region=SG&have=news@1.0.0",
            "?deviceId=sg2&region=SG&have=news@1.0.0", "?deviceId=full&region=CN&have=news@1.0.0",
            "?deviceId=ready&region=CN&have=news@1.0.0,news@2.0.0",
            "?deviceId=mobile&region=CN&network=cellular&have=news@1.0.0",
            "?deviceId=home&region=CN&network=wifi&have=news@1.0.0", "?deviceId=odd&have=news@7",
            "?deviceId=bare&have=shop@1", "?deviceId=silent", "?deviceId=told&region=CN")
        try await report(desk, "full", "2.0.0", "downloadFailed", reason: "disk full")
        try await report(desk, "told", "2.0.0", "opened")
        let shown = try await get(desk)
        #expect(shown["seen"] == 12 && shown["release"] == 2 && shown["version"] == "2.0.0")
        #expect(versions(shown) == ["1.0.0 7", "2.0.0 2"])
        #expect(shown["unpublished"] == 1 && shown["noVersion"] == 1 && shown["unknownVersion"] == 1)
        #expect(shown["otherVersion"] == 7)
        #expect(
            causes(shown) == [
                "2 refused the rule 'region in CN'", "1 not-seen-since", "1 failed downloadFailed disk full",
                "1 downloaded", "1 wifi", "1 offered",
            ])
        #expect(shown["truncated"] == .object(["devices": false, "reports": false]))
        let today = try await get(desk, "?days=1")
        #expect(today["seen"] == 11 && versions(today) == ["1.0.0 6", "2.0.0 2"])
    }

    @Test func `eight requests wait for a count, a further one is busy, and a release is counted meanwhile`()
        async throws
    {
        let desk = try await ready("1.0.0")
        let release = try await make(desk, ["version": "1.0.0"])
        try await request(desk, "?deviceId=ann&have=news@1.0.0")
        let door = Door()
        desk.service.store.setBefore(.adoptionDays) { () throws(PlatformError) in await door.pass() }
        try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for _ in 0..<Adoption.maximumWaiting + 2 {
                group.addTask { try await desk.call("GET", Self.path, as: .publisher) }
            }
            let refused = try #require(try await group.next())
            #expect(refused.status == 503 && refused.code == "busy" && refused["Retry-After"] != nil)
            #expect(try await desk.call("GET", release + "/readiness", as: .publisher).json["seen"] == 1)
            door.open()
            for try await response in group { #expect(response.status == 200) }
        }
    }

    @Test func `a device that sent more versions than are stored counts by its last report`() async throws {
        let desk = try await ready("1.0.0")
        let have = (100..<230).map { "a-package-\($0)@1.0.0" }.joined(separator: ",") + ",news@1.0.0"
        try await request(desk, "?deviceId=cut&have=" + have, "?deviceId=told&have=" + have)
        try await report(desk, "told", "1.0.0", "opened")
        let shown = try await get(desk)
        #expect(versions(shown) == ["1.0.0 1"] && shown["unknownVersion"] == 1 && shown["noVersion"] == 0)
        #expect(shown["coverage"]?["cut"] == 2)
    }

    @Test func `devices wait for the activeTime of a scheduled release`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let moment = JSON.string(desk.service.fromNow(Self.day).rfc3339)
        _ = try await make(desk, ["version": "2.0.0", "activeTime": moment])
        try await request(desk, "?deviceId=ann&have=news@1.0.0,news@2.0.0")
        #expect(try await get(desk)["otherVersion"] == 0)
        let next = try await get(desk, "?release=2")
        #expect(next["version"] == "2.0.0" && causes(next) == ["1 active-time"])
    }

    @Test func `devices of the last 30 days are counted, and the numbers of each day are kept`() async throws {
        let desk = try await ready("1.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        try await request(desk, "?deviceId=ann&have=news@1.0.0")
        try await desk.service.devicesSeen.sweep()
        let first = desk.service.clock.now()
        desk.service.clock.advance(milliseconds: 30 * Self.day)
        try await request(desk, "?deviceId=bob&have=news@1.0.0")
        try await desk.service.devicesSeen.sweep()
        #expect(try await get(desk, "?days=30")["seen"] == 2)
        #expect(try await get(desk, "?days=7")["seen"] == 1)
        let days = try #require(try await get(desk)["history"]?.elements)
        #expect(
            days.map { "\($0["day"]?.string ?? "") \($0["version"]?.string ?? "") \($0["devices"]?.text ?? "")" } == [
                "\(desk.service.clock.now().rfc3339.prefix(10)) 1.0.0 1", "\(first.rfc3339.prefix(10)) 1.0.0 1",
            ])
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await get(desk, "?days=30")["seen"] == 1)
    }

    @Test func `a channel without releases has versions and no old devices`() async throws {
        let desk = try await ready("1.0.0")
        try await request(desk, "?deviceId=ann&have=news@1.0.0")
        let shown = try await get(desk)
        #expect(versions(shown) == ["1.0.0 1"] && shown["release"] == .null && shown["otherVersion"] == 0)
    }

    @Test func `invented reasons are grouped past a limit`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "2.0.0"])
        for number in 0...Adoption.maximumCauses {
            try await request(desk, "?deviceId=d\(number)&have=news@1.0.0")
            try await report(desk, "d\(number)", "2.0.0", "failed", reason: "r\(number)")
        }
        let shown = try #require(try await get(desk)["causes"]?.elements)
        #expect(shown.count == Adoption.maximumCauses + 1)
        #expect(shown.filter { $0["reason"] == nil }.map { $0["devices"] } == [1])
        #expect(shown.allSatisfy { $0["cause"] == "failed" })
    }

    @Test func `wrong parameters are refused`() async throws {
        let desk = try await ready("1.0.0")
        for (query, code) in [
            ("?days=2", "invalid-request"), ("?days=x", "invalid-request"), ("?channel=none", "channel-not-found"),
            ("?release=9", "release-not-found"),
        ] { #expect(try await desk.call("GET", Self.path + query).code == code) }
        let off = try await Desk(TestService(devicesSeen: 0))
        try await off.service.publishSample("1.0.0")
        #expect(try await off.call("GET", Self.path).code == "conflict")
    }
}

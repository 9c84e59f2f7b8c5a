import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests what the API shows of one device, and its erasure.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DeviceRouteTests: ReleasingSuite {
    private static let devices = Desk.api + "/apps/default/devices/"

    private func get(_ desk: Desk, _ device: String) async throws -> JSON {
        let response = try await desk.call("GET", Self.devices + device, as: .releaser)
        #expect(response.status == 200, "\(response.text)")
        return try response.json
    }

    private func request(_ desk: Desk, _ query: String) async throws {
        #expect(try await desk.service.get("/config" + query).status == 200)
        await desk.service.devicesSeen.flush { Issue.record($0) }
    }

    private func report(
        _ desk: Desk, _ device: String, _ id: String, _ version: String, _ event: String,
        _ details: [JSON.Member] = []
    ) async throws {
        let now = desk.service.clock.now()
        let report = Report(
            app: .default, eventID: id, deviceID: device, package: try #require(PackageID("news")), version: version,
            event: event, time: now, details: details)
        #expect(
            try await desk.service.store.insertReports([report], at: now, keeping: ReportWindow()) == [.stored])
    }

    @Test func `a device is shown with its last facts, its versions, its reports and what it is offered`() async throws
    {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let rules = JSON.array([.object(["fact": "region", "in": .array(["CN"])])])
        _ = try await make(desk, ["version": "2.0.0", "rules": rules])
        try await request(desk, "?deviceId=ann&region=SG&have=news@1.0.0")
        try await report(desk, "ann", "1", "1.0.0", "applied")
        try await report(desk, "ann", "2", "2.0.0", "failed", [.init("reason", "disk full")])
        try await report(desk, "bob", "3", "2.0.0", "applied")
        let now = desk.service.clock.now().rfc3339
        let shown = try await get(desk, "ann")
        let seen = JSON.array([
            .object([
                "channel": "production", "seenAt": .string(now), "facts": .object(["region": "SG"]),
                "have": .object(["news": .array(["1.0.0"])]), "cut": false,
            ])
        ])
        #expect(shown["seen"] == JSON(parsing: seen.bytes()))
        let installed = JSON.object([
            "news": .object(["version": "1.0.0", "event": "applied", "time": .string(now)])
        ])
        #expect(shown["installed"] == JSON(parsing: installed.bytes()))
        #expect(shown["events"]?.elements?.map { $0["eventId"] } == ["2", "1"])
        #expect(shown["events"]?.elements?.first?["details"] == .object(["reason": "disk full"]))
        #expect(shown["truncated"] == false)
        let offer = try #require(shown["offers"]?.elements?.first)
        #expect(offer["channel"] == "production")
        let news = try #require(offer["packages"]?.elements?.first)
        #expect(news["current"]?["version"] == "1.0.0")
        #expect(news["releases"]?.elements?.map { $0["outcome"] } == ["refused", "offered"])
        #expect(
            news["releases"]?.elements?.first?["reason"] == "the rule 'region in CN' is not met: the device has 'SG'")
    }

    @Test func `a device that sent nothing is shown with what its id gets`() async throws {
        let desk = try await ready("1.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let shown = try await get(desk, "b%20%C3%A9")
        #expect(shown["device"] == "b é" && shown["seen"] == .array([]) && shown["events"] == .array([]))
        #expect(
            shown["offers"]?.elements?.first?["packages"]?.elements?.first?["current"]?["version"] == "1.0.0")
    }

    @Test func `the latest 200 reports of a device are shown`() async throws {
        let desk = try await ready("1.0.0")
        for number in 0...DeviceRecord.maximumEvents { try await report(desk, "ann", "\(number)", "1.0.0", "opened") }
        let events = try #require(try await get(desk, "ann")["events"]?.elements)
        #expect(events.count == DeviceRecord.maximumEvents)
        #expect(events.first?["eventId"] == .string("\(DeviceRecord.maximumEvents)") && events.last?["eventId"] == "1")
    }

    @Test func `an erased device is in no table, and the receipt and the audit log do not name it`() async throws {
        let desk = try await ready("1.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let lists = Desk.api + "/apps/default/device-lists/"
        _ = try await desk.send("PUT", lists + "testers", Array("ann-the-first\nbob\n".utf8))
        _ = try await desk.send("PUT", lists + "others", Array("bob\n".utf8))
        try await request(desk, "?deviceId=ann-the-first&model=only-hers&have=news@1.0.0")
        try await request(desk, "?deviceId=bob&have=news@1.0.0")
        try await report(desk, "ann-the-first", "1", "1.0.0", "applied")
        try await report(desk, "bob", "2", "1.0.0", "applied")
        let response = try await desk.call("DELETE", Self.devices + "ann-the-first")
        let receipt = try response.json
        #expect(response.status == 200 && !response.text.contains("ann-the-first"))
        #expect(receipt["channels"] == 1 && receipt["reports"] == 1 && receipt["complete"] == true)
        #expect(receipt["lists"] == .array(["testers"]) && receipt["receipt"]?.string?.count == 32)
        let shown = try await get(desk, "ann-the-first")
        #expect(shown["seen"] == .array([]) && shown["events"] == .array([]))
        let bob = try await get(desk, "bob")
        #expect(bob["seen"]?.elements?.count == 1 && bob["events"]?.elements?.count == 1)
        let summaries = try await desk.call("GET", Desk.api + "/apps/default/device-lists").json
        #expect(summaries["deviceLists"]?.elements?.map { $0["devices"] } == [1, 1])
        #expect(summaries["deviceLists"]?.elements?.map { $0["revision"] } == [1, 2])
        let audit = try await desk.call("GET", Desk.api + "/audit")
        #expect(!audit.text.contains("ann-the-first"))
        let entry = try #require(try audit.json["entries"]?.elements?.first)
        #expect(entry["action"] == "device.erase" && entry["subject"] == receipt["receipt"])
        #expect(entry["details"]?["reports"] == 1)
    }

    @Test func `a request that waits to be recorded is erased as well`() async throws {
        let desk = try await ready("1.0.0")
        #expect(try await desk.service.get("/config?deviceId=ann").status == 200)
        #expect(try await desk.call("DELETE", Self.devices + "ann").status == 200)
        await desk.service.devicesSeen.flush { Issue.record($0) }
        #expect(try await get(desk, "ann")["seen"] == .array([]))
    }

    @Test func `a device that sends a request after its erasure is recorded on the same day`() async throws {
        let desk = try await ready("1.0.0")
        try await request(desk, "?deviceId=ann")
        #expect(try await desk.call("DELETE", Self.devices + "ann").status == 200)
        #expect(desk.service.devicesSeen.figures.devices == 0)
        try await request(desk, "?deviceId=ann")
        #expect(try await get(desk, "ann")["seen"]?.elements?.count == 1)
        #expect(desk.service.devicesSeen.figures.devices == 1)
    }

    @Test func `a dry run of an erasure counts and keeps everything`() async throws {
        let desk = try await ready("1.0.0")
        try await request(desk, "?deviceId=ann")
        try await report(desk, "ann", "1", "1.0.0", "applied")
        let receipt = try await desk.call("DELETE", Self.devices + "ann?dryRun=1").json
        #expect(receipt["dryRun"] == true && receipt["channels"] == 1 && receipt["reports"] == 1)
        let shown = try await get(desk, "ann")
        #expect(shown["seen"]?.elements?.count == 1 && shown["events"]?.elements?.count == 1)
    }

    @Test func `an id with a slash is sent as a parameter`() async throws {
        let desk = try await ready("1.0.0")
        try await request(desk, "?deviceId=a%2Fb")
        #expect(try await desk.call("GET", Self.devices + "a%2Fb").status == 400)
        let devices = String(Self.devices.dropLast())
        let shown = try await desk.call("GET", devices + "?id=a%2Fb", as: .releaser).json
        #expect(shown["device"] == "a/b" && shown["seen"]?.elements?.count == 1)
        #expect(try await desk.call("DELETE", devices + "?id=a%2Fb").json["channels"] == 1)
        for (method, path) in [
            ("GET", devices), ("DELETE", devices), ("GET", devices + "?id="), ("DELETE", Self.devices + "ann?id=bob"),
        ] { #expect(try await desk.call(method, path).code == "invalid-request") }
    }

    @Test func `an id of 256 bytes is read, and a longer one is refused`() async throws {
        let desk = try await ready("1.0.0")
        let longest = String(repeating: "x", count: DeviceIdentity.maximumLength)
        #expect(try await get(desk, longest)["device"] == .string(longest))
        for method in ["GET", "DELETE"] {
            let response = try await desk.call(method, Self.devices + longest + "x")
            #expect(response.status == 400 && response.code == "invalid-request")
        }
    }

    @Test func `an erasure is incomplete while the node that erases has reports in its spool`() async throws {
        let spool = try FileReportSpool(in: ScratchDirectory.path, limit: FileReportSpool.defaultLimit)
        let desk = try await Desk(TestService(reportSpool: spool))
        let report = Report(
            app: .default, eventID: "1", deviceID: "ann", package: try #require(PackageID("news")), version: "1.0.0",
            event: "applied", time: desk.service.clock.now(), details: [])
        #expect(try await spool.append([[report]]) == 1)
        #expect(try await desk.call("DELETE", Self.devices + "ann").json["complete"] == false)
        _ = try await spool.oldest(upTo: 1)
        try await spool.removeOldest(1)
        #expect(try await desk.call("DELETE", Self.devices + "ann").json["complete"] == true)
    }
}

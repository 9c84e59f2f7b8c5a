import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests that hashed device ids give the results of plain ones, and that both are found after a change of the form.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct HashedDeviceTests: ReleasingSuite {
    private static let devices = Desk.api + "/apps/default/devices/"

    private func ready(_ form: DeviceIDForm, _ versions: String...) async throws -> Desk {
        let desk = try await Desk(TestService(deviceIDForm: form))
        for version in versions { try await desk.service.publishSample(version) }
        return desk
    }

    private func request(_ desk: Desk, _ queries: String...) async throws {
        for query in queries { #expect(try await desk.service.get("/config" + query).status == 200) }
        await desk.service.devicesSeen.flush { Issue.record($0) }
    }

    /// Sends a report, and waits until it is stored.
    private func report(_ desk: Desk, _ device: String, _ id: String, _ version: String, _ event: String) async throws {
        let body = JSON.object([
            "eventId": .string(id), "deviceId": .string(device), "package": "news", "version": .string(version),
            "event": .string(event), "time": 1,
        ])
        let request = TestRequest("POST", "/report", body: body.bytes()).with("Content-Type", "application/json")
        let response = try await desk.service.send(request)
        #expect(response.text == #"{"accepted":1}"#)
    }

    private func show(_ desk: Desk, _ device: String) async throws -> JSON {
        try await desk.call("GET", Self.devices + device, as: .releaser).json
    }

    private func call(_ desk: Desk, _ method: String, _ path: String, _ body: JSON? = nil) async throws -> String {
        let response = try await desk.call(method, path, body)
        #expect(response.status == 200 || response.status == 201, "\(response.text)")
        return response.text
    }

    @Test func `percentages, device lists and estimates are the same in both forms`() async throws {
        let desk = try await ready(.plain, "1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let lists = Desk.api + "/apps/default/device-lists/"
        _ = try await desk.send("PUT", lists + "testers", Array("device 1\ndevice 2\n".utf8))
        _ = try await desk.send("PUT", lists + "barred", Array("device 3\n".utf8))
        _ = try await make(
            desk, ["version": "2.0.0", "percent": 30, "whitelist": "testers", "excluded": "barred"])
        func results(_ desk: Desk) async throws -> [String] {
            var results: [String] = []
            for number in 0..<40 {
                let query = "?deviceId=device%20\(number)&have=news@1.0.0"
                try await request(desk, query)
                results.append(try await version(desk, query) ?? "none")
            }
            #expect(Set(results) == ["1.0.0", "2.0.0"] && results[1...3] == ["2.0.0", "2.0.0", "1.0.0"])
            for path in [Desk.releases + "/2/readiness", Desk.news + "/adoption"] {
                results.append(try await call(desk, "GET", path))
            }
            let explain = "/apps/default/explain?deviceId=device%202&have=news@1.0.0"
            return results + [try await call(desk, "GET", Desk.api + explain)]
        }
        let plain = try await results(desk)
        // The salt of a release is random, so both forms use the same release.
        try await desk.service.store.removeAllSeenDevices()
        #expect(try await results(Desk(desk.service.restarted(deviceIDForm: .hashed))) == plain)
    }

    @Test(arguments: DeviceIDForm.allCases)
    func `devices are joined with their reports, and are counted once`(form: DeviceIDForm) async throws {
        let desk = try await ready(form, "1.0.0", "2.0.0")
        let loop = Task { await desk.service.reports.run() }
        defer { loop.cancel() }
        _ = try await make(desk, ["version": "1.0.0"])
        _ = try await make(desk, ["version": "2.0.0"])
        try await request(desk, "?deviceId=ann", "?deviceId=bob&have=news@1.0.0", "?deviceId=cy&have=news@1.0.0")
        try await report(desk, "ann", "1", "2.0.0", "opened")
        try await report(desk, "ann", "2", "2.0.0", "opened")
        try await report(desk, "bob", "1", "2.0.0", "downloadFailed")
        let adoption = try await call(desk, "GET", Desk.news + "/adoption")
        #expect(adoption.contains(#""versions":[{"version":"1.0.0","devices":2},{"version":"2.0.0","devices":1}]"#))
        #expect(
            adoption.contains(
                #"[{"cause":"failed","event":"downloadFailed","devices":1},{"cause":"offered","devices":1}]"#))
        let statistics = try await call(desk, "GET", Desk.news + "/stats")
        #expect(statistics.contains(#""opened":{"reports":2,"devices":1}"#))
        let shown = try await show(desk, "ann")
        #expect(shown["events"]?.elements?.map { $0["eventId"] } == ["2", "1"])
        #expect(shown["installed"]?["news"]?["version"] == "2.0.0")
    }

    @Test func `the store has neither the id nor the digest that anyone can compute`() async throws {
        let desk = try await ready(.hashed, "1.0.0")
        let loop = Task { await desk.service.reports.run() }
        defer { loop.cancel() }
        _ = try await make(desk, ["version": "1.0.0"])
        try await request(desk, "?deviceId=ann&have=news@1.0.0")
        try await report(desk, "ann", "1", "1.0.0", "applied")
        let names = try #require(desk.service.deviceIDs.names(of: "ann", in: .default))
        let seen = try await desk.service.store.seenDevices(
            in: SeenChannel(app: .default, channel: .production), after: nil, upTo: 9)
        #expect(seen.map(\.key) == [names.hashed.key])
        let reports = try await desk.service.store.installationReports(
            of: try #require(PackageID("news")), in: .default, before: nil, examining: 9)
        #expect(reports.reports.map(\.device) == [names.hashed.text])
    }

    @Test func `a repeated report counts once, and a recorded device stays known after a restart`() async throws {
        let desk = try await ready(.hashed, "1.0.0")
        let loop = Task { await desk.service.reports.run() }
        defer { loop.cancel() }
        try await report(desk, "ann", "1", "1.0.0", "applied")
        try await report(desk, "ann", "1", "1.0.0", "applied")
        try await request(desk, "?deviceId=ann")
        let next = try await Desk(desk.service.restarted(deviceIDForm: .hashed))
        let nextLoop = Task { await next.service.reports.run() }
        defer { nextLoop.cancel() }
        try await report(next, "ann", "1", "1.0.0", "applied")
        #expect(try await show(next, "ann")["events"]?.elements?.count == 1)
        #expect(next.service.devicesSeen.figures.devices == 1)
        try await request(next, "?deviceId=ann")
        #expect(next.service.devicesSeen.figures.devices == 1)
    }

    @Test(arguments: DeviceIDForm.allCases)
    func `a device is found, offered and erased in both forms after a change`(from old: DeviceIDForm) async throws {
        let desk = try await ready(old, "1.0.0", "2.0.0")
        let loop = Task { await desk.service.reports.run() }
        defer { loop.cancel() }
        _ = try await make(desk, ["version": "1.0.0"])
        _ = try await desk.send("PUT", Desk.api + "/apps/default/device-lists/testers", Array("ann\n".utf8))
        _ = try await make(desk, ["version": "2.0.0", "percent": 0, "whitelist": "testers"])
        try await request(desk, "?deviceId=ann&model=old")
        try await report(desk, "ann", "1", "1.0.0", "applied")
        let next = try await Desk(desk.service.restarted(deviceIDForm: old == .plain ? .hashed : .plain))
        let nextLoop = Task { await next.service.reports.run() }
        defer { nextLoop.cancel() }
        #expect(try await version(next, "?deviceId=ann") == "2.0.0")
        #expect(try await version(next, "?deviceId=bob") == "1.0.0")
        let before = try await show(next, "ann")
        #expect(before["seen"]?.elements?.first?["facts"] == .object(["model": "old"]))
        next.service.clock.advance(milliseconds: 86_400_000)
        try await request(next, "?deviceId=ann&model=new")
        try await report(next, "ann", "2", "2.0.0", "applied")
        let shown = try await show(next, "ann")
        #expect(shown["seen"]?.elements?.map { $0["facts"] } == [.object(["model": "new"])])
        #expect(shown["events"]?.elements?.map { $0["eventId"] } == ["2", "1"])
        #expect(shown["offers"]?.elements?.first?["packages"]?.elements?.first?["current"]?["version"] == "2.0.0")
        let receipt = try await next.call("DELETE", Self.devices + "ann").json
        #expect(receipt["reports"] == 2 && receipt["channels"] == 1 && receipt["lists"] == .array(["testers"]))
        let erased = try await show(next, "ann")
        #expect(erased["seen"] == .array([]) && erased["events"] == .array([]))
        // Forgotten in memory as well, so that the next request is recorded.
        try await request(next, "?deviceId=ann&model=new")
        #expect(try await show(next, "ann")["seen"]?.elements?.count == 1)
    }

    @Test func `a secret from outside gives other hashes than that of the database`() async throws {
        let secret = Array(repeating: UInt8(9), count: 32)
        let outside = try await TestService(deviceIDForm: .hashed, deviceIDSecret: secret)
        let inside = DeviceIDs(.hashed, secret: try await outside.store.deviceSecret(), by: outside.cryptography)
        let key = try #require(outside.deviceIDs.identity(of: "ann", in: .default)).key
        #expect(inside.identity(of: "ann", in: .default)?.key != key)
        let elsewhere = DeviceIDs(.hashed, secret: secret, by: outside.cryptography)
        #expect(elsewhere.identity(of: "ann", in: .default)?.key == key)
    }

    @Test(arguments: DeviceIDForm.allCases)
    func `another secret than before is refused, and accepted by its fingerprint`(in form: DeviceIDForm) async throws {
        let first = try await TestService(deviceIDForm: .hashed, deviceIDSecret: Array(repeating: 1, count: 32))
        let other = Array(repeating: UInt8(2), count: 32)
        let fingerprint = DeviceIDs(.hashed, secret: other, by: first.cryptography).fingerprint
        for accepted in [nil, "", first.deviceIDs.fingerprint, String(fingerprint.dropLast())] {
            let error = await #expect(throws: PlatformError.self) {
                try await first.restarted(deviceIDForm: form, deviceIDSecret: other, accepting: accepted)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("fingerprint \(first.deviceIDs.fingerprint)") == true)
            #expect(error?.message.contains("--accept-device-id-fingerprint \(fingerprint)") == true)
        }
        let second = try await first.restarted(deviceIDForm: form, deviceIDSecret: other, accepting: fingerprint)
        // From now on it is the known one.
        _ = try await second.restarted(deviceIDForm: .hashed, deviceIDSecret: other)
        await #expect(throws: PlatformError.self) {
            try await second.restarted(deviceIDForm: .hashed, deviceIDSecret: Array(repeating: 1, count: 32))
        }
    }

    @Test func `plain ids need no known secret, and a first secret is recorded when ids are hashed`() async throws {
        let plain = try await TestService()
        let secret = Array(repeating: UInt8(1), count: 32)
        let hashed = try await plain.restarted(deviceIDForm: .hashed, deviceIDSecret: secret)
        await #expect(throws: PlatformError.self) { try await hashed.restarted(deviceIDForm: .hashed) }
        await #expect(throws: PlatformError.self) { try await hashed.restarted() }
        _ = try await hashed.restarted(deviceIDSecret: secret)
    }

    @Test func `after a change of the secret an erasure is incomplete until earlier rows have aged out`() async throws {
        let first = try await ready(.hashed, "1.0.0")
        let other = Array(repeating: UInt8(2), count: 32)
        let fingerprint = DeviceIDs(.hashed, secret: other, by: first.service.cryptography).fingerprint
        let complete = try await first.call("DELETE", Self.devices + "ann").json
        #expect(complete["complete"] == true && complete["unreachableBefore"] == nil)
        let change = first.service.clock.now()
        let second = try await Desk(
            first.service.restarted(deviceIDForm: .hashed, deviceIDSecret: other, accepting: fingerprint))
        second.service.clock.advance(milliseconds: DeviceSecretRecord.agingMilliseconds)
        let early = try await second.call("DELETE", Self.devices + "ann").json
        #expect(early["complete"] == false && early["unreachableBefore"] == .string(change.rfc3339))
        let audited = try await second.call("GET", Desk.api + "/audit").json
        #expect(audited["entries"]?.elements?.first?["details"]?["complete"] == false, "\(audited)")
        second.service.clock.advance(milliseconds: 1)
        #expect(try await second.call("DELETE", Self.devices + "ann").json["complete"] == true)
    }
}

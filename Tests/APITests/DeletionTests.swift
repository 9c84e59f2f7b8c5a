import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the deletion of what nothing refers to.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DeletionTests {
    private static let app = Desk.api + "/apps/default"

    @Test(arguments: ["packages", "channels", "device-lists"])
    func `an unused object is deleted, audited, and can be made again`(kind: String) async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        try await desk.makeUnused()
        let path = "\(Self.app)/\(kind)/unused"
        let shown = try await desk.call("GET", path)
        let config = try await desk.service.get("/config").text
        let done = try await desk.call("DELETE", path)
        #expect(done.status == 200)
        #expect(try done.json == shown.json)
        #expect(try await desk.service.get("/config").text == config)
        #expect(try await desk.call("DELETE", path).status == 404)
        let entry = try #require(
            try await desk.call("GET", Desk.api + "/audit?limit=1").json["entries"]?.elements?.first)
        #expect(entry["action"]?.string == "\(kind.dropLast()).delete" && entry["subject"]?.string == "unused")
        try await desk.makeUnused()
        #expect(try await desk.call("GET", path).status == 200)
    }

    @Test func `an object in use is not deleted, and the response says what uses it`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        let list = "\(Self.app)/device-lists/testers"
        _ = try await desk.send("PUT", list, Array("ann".utf8))
        let made = try await desk.call(
            "POST", Desk.releases, .object(["version": "1.0.0", "whitelist": "testers", "again": true]))
        try #require(made.status == 201, "\(made.text)")
        for (path, hint) in [
            (Desk.news, "versions"), ("\(Self.app)/channels/production", "name none"), (list, "Release 2 of 'news'"),
        ] {
            let response = try await desk.call("DELETE", path)
            #expect(
                response.status == 409 && response.code == "conflict" && response.detail.contains(hint),
                "\(response.text)")
            #expect(try await desk.call("GET", path).status == 200)
        }
        #expect(try await desk.call("DELETE", Self.app).status == 405)
    }

    @Test func `a channel with a release or a device is not deleted`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        for name in ["beta", "gamma"] { _ = try await desk.call("PUT", "\(Self.app)/channels/\(name)") }
        _ = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0", "channel": "beta"]))
        let released = try await desk.call("DELETE", "\(Self.app)/channels/beta")
        #expect(released.status == 409 && released.detail.contains("releases"))

        let device = SeenDevice(
            key: DeviceKey(high: 1, low: 2), facts: "{}", have: nil, isCut: false, seenAt: desk.service.clock.now())
        let gamma = SeenChannel(app: .default, channel: try #require(ChannelName("gamma")))
        try await desk.service.store.noteSeenDevices([gamma: [device]])
        let seen = try await desk.call("DELETE", "\(Self.app)/channels/gamma")
        #expect(seen.status == 409 && seen.detail.contains("1 devices"))
        try await desk.service.store.removeAllSeenDevices()
        #expect(try await desk.call("DELETE", "\(Self.app)/channels/gamma").status == 200)
        #expect(try await desk.service.get("/apps/default/channels/gamma/config").code == "channel-not-found")
        // A device that was seen before the deletion is written after it.
        try await desk.service.store.noteSeenDevices([gamma: [device]])
        #expect(try await desk.service.store.seenChannels()[gamma] == nil)
    }

    @Test func `a package keeps its id while a removed version has it`() async throws {
        let desk = try await Desk()
        try await desk.makeUnused()
        let path = "\(Self.app)/packages/unused"
        try await desk.service.publishSample("1.0.0", of: "unused")
        let response = try await desk.call("DELETE", path)
        #expect(response.status == 409 && response.detail.contains("1 in all"))
    }
}

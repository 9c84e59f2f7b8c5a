import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests downloads before an activation, spread over time (decision 0033).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct DownloadWindowTests: ReleasingSuite {
    /// Spreads downloads of a few hundred bytes over some minutes.
    private static let downloads: JSON = .object(["bytesPerSecond": 10_000, "devices": 10_000])

    /// Releases two versions, the second with a download window before its activation in so many milliseconds.
    private func scheduled(
        in milliseconds: Int64 = 86_400_000, _ members: KeyValuePairs<String, JSON?> = [:]
    ) async throws -> (desk: Desk, release: JSON, path: String) {
        let desk = try await ready("1", "2")
        _ = try await make(desk, ["version": "1"])
        var body: [JSON.Member] = [
            .init("version", "2"), .init("activeTime", .string(desk.service.fromNow(milliseconds).rfc3339)),
            .init("downloads", Self.downloads),
        ]
        for (key, value) in members { if let value { body.append(.init(key, value)) } }
        let response = try await desk.call("POST", Desk.releases, .object(body))
        #expect(response.status == 201, "\(response.text)")
        let json = try response.json
        return (desk, json, "\(Desk.releases)/\(try #require(json["id"]?.integer))")
    }

    private func next(_ desk: Desk, _ query: String) async throws -> JSON? {
        try await desk.service.get("/config" + query).json["news"]?["next"]
    }

    private func slot(_ offer: JSON?) throws -> Timestamp {
        try #require(offer?["downloadAfter"]?.string.flatMap(Timestamp.init(rfc3339:)), "\(offer?.text ?? "none")")
    }

    @Test func `a device gets the same download slot each time, by its bucket, and a missed slot comes again`()
        async throws
    {
        let (desk, release, _) = try await scheduled()
        let round = try #require(release["downloads"]?["roundSeconds"]?.integer) * 1000
        let first = try slot(try await next(desk, "?deviceId=ann&have=news@1"))
        let now = desk.service.clock.now()
        let opening = now.adding(milliseconds: DownloadWindow.notice)
        #expect(first >= opening && first < opening.adding(milliseconds: round))
        #expect(try slot(try await next(desk, "?deviceId=ann")) == first)
        #expect(try slot(try await next(desk, "?deviceId=bob")) != first)
        #expect(try slot(try await next(desk, "?bucket=17")) == slot(try await next(desk, "?bucket=17&deviceId=")))

        desk.service.clock.advance(milliseconds: first.milliseconds - now.milliseconds + DownloadWindow.slack)
        #expect(try slot(try await next(desk, "?deviceId=ann")) == first)
        desk.service.clock.advance(milliseconds: 1)
        let again = try slot(try await next(desk, "?deviceId=ann")).milliseconds - first.milliseconds
        #expect(again > 0 && abs(again - round) < 1000)
    }

    @Test func `a device that has the version, or sends no id, gets no download slot`() async throws {
        let (desk, _, _) = try await scheduled()
        #expect(try await next(desk, "?deviceId=ann&have=news@1,news@2")?["downloadAfter"] == nil)
        #expect(try await next(desk, "")?["downloadAfter"] == nil)
        #expect(try await next(desk, "?have=news@1")?["downloadAfter"] == nil)
        #expect(try await next(desk, "?deviceId=ann") != nil)
    }

    @Test func `devices that come late have download slots for as long after the activation time as before it`()
        async throws
    {
        let (desk, release, path) = try await scheduled()
        let round = try #require(release["downloads"]?["roundSeconds"]?.integer) * 1000
        desk.service.clock.advance(milliseconds: 86_400_000)
        try await desk.service.live.activate(desk.service.app)
        func current() async throws -> JSON? {
            try await desk.service.get("/config?deviceId=ann&have=news@1").json["news"]
        }
        #expect(try slot(try await current()) >= desk.service.clock.now())
        // A device without the package may download at once.
        let new = try await desk.service.get("/config?deviceId=ann&have=").json["news"]
        #expect(new?["version"] == "2" && new?["downloadAfter"] == nil)
        let length = 86_400_000 - DownloadWindow.notice
        desk.service.clock.advance(milliseconds: length - round - DownloadWindow.slack)
        #expect(try await current()?["downloadAfter"] != nil)
        // No device gets a time after the end, or all waiting devices would come then.
        desk.service.clock.advance(milliseconds: round)
        #expect(try await current()?["downloadAfter"] == nil)
        #expect(try desk.service.view().boundary == desk.service.clock.now().adding(milliseconds: DownloadWindow.slack))
        desk.service.clock.advance(milliseconds: DownloadWindow.slack)
        try await desk.service.live.activate(desk.service.app)
        #expect(try desk.service.view().conditionalCount == 0)
        desk.service.clock.advance(milliseconds: -2 * round)
        try await desk.service.live.load()
        #expect(try await current()?["downloadAfter"] != nil)
        // After completion no device waits.
        #expect(try await desk.call("POST", path + "/complete").status == 200)
        #expect(try await current()?["downloadAfter"] == nil)
    }

    @Test func `a device that must update before it opens the package gets no download slot`() async throws {
        let (desk, _, _) = try await scheduled(in: 86_400_000, ["mandatory": true])
        #expect(try await next(desk, "?deviceId=ann&have=news@1")?["downloadAfter"] != nil)
        desk.service.clock.advance(milliseconds: 86_400_000)
        try await desk.service.live.activate(desk.service.app)
        let current = try await desk.service.get("/config?deviceId=ann&have=news@1").json["news"]
        #expect(current?["mandatory"] == true && current?["downloadAfter"] == nil)
    }

    @Test func `no cache keeps a response past the download slot that it names`() async throws {
        let (desk, _, _) = try await scheduled()
        let first = try slot(try await next(desk, "?bucket=17"))
        let now = desk.service.clock.now()
        desk.service.clock.advance(milliseconds: first.milliseconds - now.milliseconds - 7_500)
        #expect(
            try await desk.service.get("/config?bucket=17")["Cache-Control"]
                == "max-age=0, must-revalidate, s-maxage=7")
        desk.service.clock.advance(milliseconds: 7_000)
        #expect(
            try await desk.service.get("/config?bucket=17")["Cache-Control"]
                == "max-age=0, must-revalidate, s-maxage=0")
    }

    @Test func `a window that is too short for the devices is refused with the arithmetic, then and when it is moved`()
        async throws
    {
        let (desk, release, path) = try await scheduled()
        let seconds = try #require(release["downloads"]?["roundSeconds"]?.integer)
        let short = try await desk.call(
            "POST", Desk.releases,
            .object([
                "version": "2", "activeTime": .string(desk.service.fromNow(seconds * 1000 - 2_000).rfc3339),
                "downloads": Self.downloads,
            ]))
        #expect(short.status == 400, "\(short.text)")
        #expect(
            short.detail.contains("takes \(seconds) s for 10000 devices at 10000 bytes a second"), "\(short.detail)")
        let moved = try await desk.call(
            "PATCH", path, .object(["activeTime": .string(desk.service.fromNow(seconds * 1000 - 2_000).rfc3339)]))
        #expect(moved.status == 400 && moved.detail.contains("Give a later 'activeTime'"), "\(moved.text)")
        let enough = try await desk.call(
            "PATCH", path,
            .object([
                "activeTime": .string(desk.service.fromNow(seconds * 1000 + DownloadWindow.notice + 2_000).rfc3339)
            ]))
        #expect(enough.status == 200, "\(enough.text)")
    }

    @Test func `an invalid download window is refused, and a rollback has none`() async throws {
        let (desk, _, path) = try await scheduled()
        let moment: JSON = .string(desk.service.fromNow(86_400_000).rfc3339)
        let bad: [JSON] = [
            .object(["bytesPerSecond": 0, "devices": 1]), .object(["bytesPerSecond": 1, "devices": 0]),
            .object(["bytesPerSecond": 1]), .object(["devices": 1]), .array([]), true,
            .object(["bytesPerSecond": 1_000_000_000_001, "devices": 1]),
            .object(["bytesPerSecond": 1_000, "devices": 1_000_000_001]),
            .object(["bytesPerSecond": 1_000, "devices": 1, "from": "soon"]),
            .object(["bytesPerSecond": 1_000, "devices": 1, "until": "2027-01-01T00:00:00Z"]),
        ]
        for downloads in bad {
            let response = try await desk.call(
                "POST", Desk.releases, .object(["version": "2", "activeTime": moment, "downloads": downloads]))
            #expect(response.status == 400 && response.detail.contains("downloads"), "\(downloads.text)")
        }
        let atOnce = try await desk.call(
            "POST", Desk.releases, .object(["version": "2", "downloads": Self.downloads]))
        #expect(atOnce.status == 400 && atOnce.detail.contains("activeTime"))
        desk.service.clock.advance(milliseconds: 86_400_000)
        try await desk.service.live.activate(desk.service.app)
        #expect(try await desk.call("POST", path + "/rollback").status == 201)
        let current = try await desk.service.get("/config?deviceId=ann&have=news@2").json["news"]
        #expect(current?["version"] == "1" && current?["downloadAfter"] == nil)
    }

    @Test func `a window is kept over a restart`() async throws {
        let (desk, _, path) = try await scheduled()
        let first = try slot(try await next(desk, "?deviceId=ann"))
        try await desk.service.live.load()
        #expect(try slot(try await next(desk, "?deviceId=ann")) == first)
        #expect(try await desk.call("GET", path).json["downloads"]?["devices"] == 10_000)
    }
}

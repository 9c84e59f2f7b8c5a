import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReportTests {
    /// Runs a service with a version that accepts reports while `body` runs.
    private func taking(_ body: (TestService) async throws -> Void) async throws {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        let loop = Task { await service.reports.run() }
        do { try await body(service) } catch {
            loop.cancel()
            throw error
        }
        loop.cancel()
        await loop.value
    }

    private func report(_ number: Int = 1, _ changes: KeyValuePairs<String, JSON?> = [:]) -> JSON {
        var members: [JSON.Member] = [
            .init("eventId", .string("e\(number)")), .init("deviceId", "d1"), .init("package", "news"),
            .init("version", "1.0.0"), .init("event", "applied"), .init("time", "2026-01-01T00:00:00+01:00"),
        ]
        for (key, value) in changes {
            members.removeAll { $0.key == key }
            if let value { members.append(.init(key, value)) }
        }
        return .object(members)
    }

    private func post(
        _ service: TestService, _ body: JSON, type: String? = "application/json", to target: String = "/report"
    ) async throws -> TestResponse {
        var request = TestRequest("POST", target, body: body.bytes())
        if let type { request = request.with("Content-Type", type) }
        return try await service.send(request)
    }

    /// Returns the statistics of a package.
    private func stats(_ service: TestService, app: String = "default", package: String = "news") async throws -> JSON {
        let desk = try await Desk(service)
        let response = try await desk.call("GET", "/api/v1/apps/\(app)/packages/\(package)/stats")
        return try #require(try response.json["versions"])
    }

    @Test func `a report, or an array of them, is stored and counted by version and event`() async throws {
        try await taking { (service) async throws in
            try await service.publish("1.1.0", ["index.html": "two"])
            let one = try await post(service, report())
            #expect(one.status == 202)
            #expect(one.text == #"{"accepted":1}"#)
            #expect(one["Access-Control-Allow-Origin"] == "*" && one["Cache-Control"] == "no-store")
            let more: [JSON] = [
                report(2, ["deviceId": "d2"]), report(3, ["event": "failed", "reason": "disk-full"]),
                report(4, ["version": "1.1.0", "event": "anything else"]), report(5, ["package": "other"]),
            ]
            #expect(try await post(service, .array(more)).text == #"{"accepted":3,"ignored":1}"#)
            let expected = """
                {"1.0.0":{"applied":{"devices":2,"reports":2},"failed":{"devices":1,"reports":1}},\
                "1.1.0":{"anything else":{"devices":1,"reports":1}}}
                """
            #expect(try await stats(service).text == expected)
        }
    }

    @Test func `a repeated report is acknowledged and counts once`() async throws {
        try await taking { (service) async throws in
            for _ in 1...3 { #expect(try await post(service, report()).status == 202) }
            _ = try await post(service, .array([report(), report(), report(2)]))
            #expect(try await stats(service)["1.0.0"]?["applied"]?["reports"] == 2)
        }
    }

    @Test(arguments: ["2026-01-01T00:00:00Z", 1_767_225_600_000, 0] as [JSON])
    func `the time is RFC 3339 or Unix milliseconds`(time: JSON) async throws {
        try await taking { (service) async throws in
            #expect(try await post(service, report(1, ["time": time])).status == 202)
        }
    }

    @Test(
        arguments: [
            ("eventId", nil), ("eventId", ""), ("eventId", 7), ("eventId", .string(String(repeating: "x", count: 129))),
            ("deviceId", nil), ("deviceId", .null), ("package", "a/b"), ("package", nil), ("version", nil),
            ("version", 1),
            ("event", ""), ("event", nil), ("time", nil), ("time", "yesterday"), ("time", -1), ("time", .number("1.5")),
            ("time", "1767225600000"), ("more", .string(String(repeating: "x", count: 4096))),
            // One past the limits, in bytes instead of characters.
            ("deviceId", .string(String(repeating: "x", count: 129))),
            ("deviceId", .string(String(repeating: "图", count: 43))),
            ("version", .string(String(repeating: "1", count: 129))),
            ("event", .string(String(repeating: "x", count: 129))),
            ("more", .string(String(repeating: "x", count: 4096 - 10))),
        ] as [(String, JSON?)])
    func `an invalid report is refused alone, with its index and the reason`(
        key: String, value: JSON?
    ) async throws {
        try await taking { (service) async throws in
            let response = try await post(service, .array([report(1), report(2, [key: value]), report(3)]))
            #expect(response.status == 202)
            #expect(try response.json["accepted"] == 2)
            let refused = try #require(try response.json["refused"]?.elements)
            #expect(refused.count == 1 && refused[0]["index"] == 1)
            let reason = try #require(refused[0]["reason"]?.string)
            #expect(reason.contains(key == "more" ? "4096 bytes" : "'\(key)'"))
            #expect(try await stats(service)["1.0.0"]?["applied"]?["reports"] == 2)

            let alone = try await post(service, report(2, [key: value]))
            #expect(alone.status == 400 && alone.code == "invalid-request")
            #expect(alone.detail == "Every report of the request is refused. The first one: \(reason)")
            #expect(try alone.json["refused"]?.elements == [.object(["index": 0, "reason": .string(reason)])])
            #expect(alone["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func `names have 128 bytes and further members 4096 at most`() async throws {
        try await taking { (service) async throws in
            let longest = JSON.string(String(repeating: "x", count: 128))
            let atLimits = report(1, ["eventId": longest, "deviceId": longest, "event": longest])
            #expect(try await post(service, atLimits).text == #"{"accepted":1}"#)
            #expect(try await post(service, report(1, ["version": longest])).status == 202)
            // {"more":"…"} is 11 bytes and the text between the quotes.
            let details = JSON.string(String(repeating: "x", count: 4096 - 11))
            #expect(try await post(service, report(2, ["more": details])).status == 202)
        }
    }

    @Test func `a thousand reports come in one request, and no more`() async throws {
        try await taking { (service) async throws in
            #expect(try await post(service, .array((1...1000).map { report($0) })).text == #"{"accepted":1000}"#)
            #expect(try await post(service, .array((1...1001).map { report($0 + 5000) })).status == 400)
            #expect(try await stats(service)["1.0.0"]?["applied"]?["reports"] == 1000)
        }
    }

    @Test func `a body with a JSON media type that is not JSON is refused`() async throws {
        try await taking { (service) async throws in
            for (text, type) in [
                ("{", "application/json"), ("", "application/json"), ("7", "application/json; charset=utf-8"),
                ("[[]]", "Application/JSON"), ("null", "application/json"),
            ] {
                let request = TestRequest("POST", "/report", body: Array(text.utf8)).with("Content-Type", type)
                #expect(try await service.send(request).status == 400, "\(text)")
            }
            #expect(try await post(service, .array([])).text == #"{"accepted":0}"#)
        }
    }

    @Test(
        arguments: [
            ("GET", nil, nil), ("HEAD", nil, nil), ("POST", nil, nil), ("POST", "", nil), ("POST", "上报异常", nil),
            ("POST", "a=1&b=2", "application/x-www-form-urlencoded"), ("POST", "plain", "text/plain"),
            ("POST", "", "application/x-ndjson"),
        ] as [(String, String?, String?)])
    func `seed 000: a bare report is accepted whatever it holds`(
        method: String, body: String?, type: String?
    ) async throws {
        try await taking { (service) async throws in
            var request = TestRequest(method, "/report", body: body.map { Array($0.utf8) })
            if let type { request = request.with("Content-Type", type) }
            let response = try await service.send(request)
            #expect(response.status == 202)
            if method != "HEAD" { #expect(response.text == #"{"accepted":0}"#) }
        }
    }

    /// A body, its fields, and the expected status.
    private static let unreadable: [(bytes: [UInt8], fields: [(String, String)], status: Int)] = {
        let line = #"{"eventId":"e1","deviceId":"d1","package":"news","version":"1.0.0","event":"applied","time":0}"#
        let lines = Array("\(line)\n\(line)\n".utf8)
        let gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        return [
            (lines, [], 400), (lines, [("Content-Type", "text/plain")], 400),
            (lines, [("Content-Type", "application/x-www-form-urlencoded")], 400),
            (lines, [("Content-Type", "application/json; charset=utf-8")], 400),
            (lines, [("Content-Type", "text/xml")], 415),
            (gzip, [], 400), (gzip, [("Content-Type", "application/gzip")], 415),
            (gzip, [("Content-Encoding", "br")], 415), (gzip, [("Content-Encoding", "gzip, gzip")], 415),
            (gzip, [("Content-Encoding", "GZIP"), ("Content-Type", "application/json")], 400),
            (Array(gzip.dropLast()), [("Content-Encoding", "gzip")], 400),
            (gzip + [0], [("Content-Encoding", "gzip")], 400),
            (lines, [("Content-Encoding", "gzip"), ("Content-Type", "application/x-ndjson")], 400),
            ([], [("Content-Encoding", "gzip")], 400),
            (Array("{\n".utf8), [("Content-Type", "application/x-ndjson")], 400),
            ([], [("Content-Type", "application/json")], 400), (Array("{".utf8), [], 400),
            (Array(" [1,2]".utf8), [], 400), (Array(#"{"some":"json"}"#.utf8), [("Content-Type", "text/plain")], 400),
            ([0xff, 0xfe], [("Content-Type", "text/plain")], 400),
        ]
    }()

    @Test(arguments: 0..<unreadable.count)
    func `a body that cannot be read as reports is an error with a remedy`(index: Int) async throws {
        try await taking { (service) async throws in
            let (bytes, fields, status) = Self.unreadable[index]
            let response = try await service.send(TestRequest("POST", "/report", fields: fields, body: bytes))
            #expect(response.status == status)
            #expect(response.code == (status == 415 ? "unsupported-media-type" : "invalid-request"))
            #expect(response.detail.contains(" Send ") || response.detail.hasPrefix("Every report"))
            #expect(try await stats(service).members?.isEmpty == true)
        }
    }

    @Test(arguments: ["application/json", "text/plain"])
    func `a report behind a byte order mark is stored`(type: String) async throws {
        try await taking { (service) async throws in
            let body = [0xEF, 0xBB, 0xBF] + report().bytes()
            let response = try await service.send(
                TestRequest("POST", "/report", fields: [("Content-Type", type)], body: body))
            #expect(response.status == 202 && response.text == #"{"accepted":1}"#)
        }
    }

    @Test func `a page may send a right report as plain text, to be spared the preflight request`() async throws {
        try await taking { (service) async throws in
            #expect(try await post(service, report(), type: "text/plain").text == #"{"accepted":1}"#)
            #expect(try await stats(service)["1.0.0"] != nil)
        }
    }

    @Test func `a body of one megabyte is read, and a larger one is refused`() async throws {
        try await taking { (service) async throws in
            let limit = 1 << 20
            let request = TestRequest("POST", "/report", body: [UInt8](repeating: 0x20, count: limit))
            #expect(try await service.send(request).status == 202)
            let larger = TestRequest("POST", "/report", body: [UInt8](repeating: 0x20, count: limit + 1))
            let response = try await service.send(larger)
            #expect(response.status == 413 && response.code == "body-too-large")
            #expect(response.detail.contains("1 MB"))
        }
    }

    @Test func `when reports are no longer accepted, the response states when to retry`() async throws {
        let service = try await TestService()
        let loop = Task { await service.reports.run() }
        loop.cancel()
        await loop.value
        let response = try await post(service, report())
        #expect(response.status == 503 && response.code == "busy")
        #expect(response["Retry-After"] == "5")
    }

    @Test func `a report for a channel that was never declared is 404`() async throws {
        try await taking { (service) async throws in
            let response = try await post(service, report(), to: "/apps/default/channels/beta/report")
            #expect(response.status == 404 && response.code == "channel-not-found")
            #expect(try await stats(service).members?.isEmpty == true)
            let app = try service.live.requireApp(.default)
            _ = try await service.catalogue.declareChannel(#require(ChannelName("beta")), of: app, by: .server)
            #expect(try await post(service, report(), to: "/apps/default/channels/beta/report").status == 202)
        }
    }

    @Test func `reports of one app are not counted for another`() async throws {
        try await taking { (service) async throws in
            let shop = try #require(AppID("shop"))
            _ = try await service.catalogue.createApp(shop, by: .server)
            _ = try await service.catalogue.putPackage(
                try #require(PackageID("news")), .init(), of: try service.live.requireApp(shop), by: .server)
            for target in ["/apps/shop/report", "/apps/shop/channels/production/report"] {
                #expect(try await post(service, report(), to: target).text == #"{"accepted":0,"ignored":1}"#)
            }
            #expect(try await stats(service).members?.isEmpty == true)
            _ = try await post(service, report(), to: "/apps/default/channels/production/report")
            #expect(try await stats(service)["1.0.0"]?["applied"]?["reports"] == 1)
            #expect(try await stats(service, app: "shop").members?.isEmpty == true)
        }
    }
}

import Artifacts
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@testable import API

/// NDJSON, gzip, refused reports and the schema of `/report`.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
final class ReportFormatsTests {
    private let service: TestService
    private let intake: Task<Void, Never>

    init() async throws {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        self.service = service
        intake = Task { await service.reports.run() }
    }

    deinit { intake.cancel() }

    private static func report(_ number: Int, event: String = "applied") -> JSON {
        .object([
            "eventId": .string("e\(number)"), "deviceId": "d", "package": "news", "version": "1.0.0",
            "event": .string(event), "time": 0,
        ])
    }

    private static func line(_ number: Int) -> String { report(number).text }

    private func post(_ bytes: [UInt8], _ fields: (String, String)...) async throws -> TestResponse {
        try await service.send(TestRequest("POST", "/report", fields: fields, body: bytes))
    }

    private func stored() async throws -> Int {
        try await service.store.reportCounts(of: PackageID("news"), in: .default).reduce(0) {
            $0 + $1.reports
        }
    }

    // MARK: NDJSON

    @Test(arguments: [
        "application/x-ndjson", "application/ndjson; charset=utf-8", "Application/JSONL",
    ])
    func `NDJSON has a report on each line, with any line ends and blank lines`(type: String) async throws {
        let text = "\u{FEFF}\(Self.line(1))\r\n\n  \n\(Self.line(2))\n\(Self.line(3))"
        let response = try await post(Array(text.utf8), ("Content-Type", type))
        #expect(response.status == 202 && response.text == #"{"accepted":3}"#)
        #expect(try await stored() == 3)
    }

    @Test func `a line that is not a report is refused alone, and blank lines have no index`() async throws {
        let text = "\(Self.line(1))\n\n{\n[]\n\(Self.line(2))\n"
        let response = try await post(Array(text.utf8), ("Content-Type", "application/x-ndjson"))
        let expected = """
            {"accepted":2,"refused":[{"index":1,"reason":"The line is not JSON."},\
            {"index":2,"reason":"The report is not a JSON object."}]}
            """
        #expect(response.status == 202 && response.text == expected)
        #expect(try await stored() == 2)
    }

    @Test func `a thousand lines come in one request, and no more`() async throws {
        let lines = (1...1_000).map { Self.line($0) + "\n" }.joined()
        let type = ("Content-Type", "application/x-ndjson")
        #expect(try await post(Array(lines.utf8), type).text == #"{"accepted":1000}"#)
        let more = try await post(Array((lines + Self.line(1_001)).utf8), type)
        #expect(more.status == 400 && more.detail == "Send at most 1000 reports at a time.")
        #expect(try await stored() == 1_000)
    }

    // MARK: gzip

    @Test(arguments: ["gzip", "GZIP", "x-gzip"])
    func `reports in any format may be compressed by gzip`(coding: String) async throws {
        let bodies = [
            ("application/json", JSON.array((0..<50).map { Self.report($0) }).text),
            ("application/x-ndjson", (50..<100).map { Self.line($0) + "\n" }.joined()),
            ("text/plain", JSON.array((100..<150).map { Self.report($0) }).text),
        ]
        for (type, text) in bodies {
            let body = try #require(LibraryCompressor().gzip(Array(text.utf8)))
            let response = try await post(body, ("Content-Type", type), ("Content-Encoding", coding))
            #expect(response.status == 202 && response.text == #"{"accepted":50}"#, "\(type)")
        }
        #expect(try await stored() == 150)
    }

    @Test func `a body may expand to a megabyte, and one more byte is refused`() async throws {
        let limit = ReportEndpoint.expandedLimit
        #expect(limit == 1 << 20)
        let edge = try #require(LibraryCompressor().gzip([UInt8](repeating: 0x20, count: limit)))
        #expect(try await post(edge, ("Content-Encoding", "gzip")).status == 202)
        let larger = try #require(LibraryCompressor().gzip([UInt8](repeating: 0x20, count: limit + 1)))
        let response = try await post(larger, ("Content-Encoding", "gzip"))
        #expect(response.status == 413 && response.code == "body-too-large")
        #expect(response.detail.contains("1 MB"))
    }

    @Test func `a compressed body of a hundred megabytes is refused without expanding it`() async throws {
        let bomb = try #require(LibraryCompressor().gzip([UInt8](repeating: 0, count: 100 << 20)))
        #expect(bomb.count < ReportEndpoint.bodyLimit)
        #expect(try await post(bomb, ("Content-Encoding", "gzip")).status == 413)
    }

    // MARK: Refused reports

    @Test func `a response lists a hundred refused reports, and counts the others`() async throws {
        let refused = [JSON](repeating: .object([]), count: ReportEndpoint.listedRefusals)
        let type = ("Content-Type", "application/json")
        let edge = try await post(JSON.array([Self.report(1)] + refused).bytes(), type)
        #expect(try edge.json["refused"]?.elements?.count == 100)
        #expect(try edge.json["refusedUnlisted"] == nil)
        let more = try await post(JSON.array(refused + [Self.report(2)] + refused).bytes(), type)
        #expect(try more.json["accepted"] == 1)
        #expect(try more.json["refused"]?.elements?.map { $0["index"] } == (0..<100).map { .integer($0) })
        #expect(try more.json["refusedUnlisted"] == 100)
        let all = try await post(JSON.array(refused + refused).bytes(), type)
        #expect(all.status == 400)
        #expect(try all.json["refused"]?.elements?.count == 100)
        #expect(try all.json["refusedUnlisted"] == 100)
    }

    // MARK: Counters

    /// The samples of `larder_reports_total` that are not 0, and those of reports without a package.
    private func counters() async throws -> Set<String> {
        let lines = try await Desk(service).call("GET", "/metrics", as: .publisher).text.split(separator: "\n")
        return Set(
            lines.filter { line in
                line.hasPrefix("larder_reports_total{") && !line.hasSuffix(" 0")
                    || line.hasPrefix("larder_bare_reports_total ")
                    || line.hasPrefix("larder_report_ids_known_seconds ")
            }.map(String.init))
    }

    @Test func `every report is counted by package and outcome`() async throws {
        func changed(_ number: Int, _ key: String, _ value: JSON) -> JSON {
            .object((Self.report(number).members ?? []).filter { $0.key != key } + [.init(key, value)])
        }
        let names = (0...EventNames.limit).map { Self.report($0, event: "own \($0)") }
        let reports =
            names + [
                Self.report(1), changed(100, "version", "9"), changed(101, "package", "unknown"),
                changed(102, "time", "never"), changed(103, "package", "not/an/id"), .null,
            ]
        let response = try await post(JSON.array(reports).bytes(), ("Content-Type", "application/json"))
        #expect(try response.json["accepted"] == 66)
        #expect(try response.json["ignored"] == 2)
        _ = try await post(JSON.object([]).bytes(), ("Content-Type", "application/json"))
        _ = try await post([])
        _ = try await service.get("/report")
        let news = #"larder_reports_total{app="default",package="news",outcome="#
        let other = #"larder_reports_total{app="",package="other",outcome="#
        #expect(
            try await counters() == [
                news + "\"accepted\"} 64", news + "\"other_name\"} 1", news + "\"duplicate\"} 1",
                news + "\"unknown_version\"} 1", news + "\"refused\"} 1",
                other + "\"unknown_version\"} 1", other + "\"refused\"} 3",
                "larder_bare_reports_total 2", "larder_report_ids_known_seconds 2592000",
            ])
    }

    // MARK: The schema

    @Test(arguments: ["/report/schema.json", "/apps/default/channels/production/report/schema.json"])
    func `the schema names the members, the limits and all events`(target: String) async throws {
        let response = try await service.get(target)
        #expect(response["Content-Type"] == "application/schema+json")
        let schema = try response.json
        #expect(schema["oneOf"]?.elements?.last?["maxItems"] == 1_000)
        let report = try #require(schema["$defs"]?["report"])
        #expect(
            report["required"]?.elements?.compactMap(\.string) == [
                "eventId", "deviceId", "package", "version", "event", "time",
            ])
        for name in ["eventId", "deviceId", "version"] {
            #expect(report["properties"]?[name]?["maxLength"] == 128)
        }
        let events = report["properties"]?["event"]?["anyOf"]?.elements?.compactMap { $0["const"]?.string }
        #expect(
            events == [
                "downloadStarted", "downloaded", "downloadFailed", "verifyFailed", "applied", "applyFailed", "fellBack",
                "activated", "opened", "pageLoad", "resourceMissing", "whiteScreen", "scriptError", "crash", "failed",
                "rolledBack", "configFailed", "custom",
            ])
        #expect(try await service.get("/apps/none/report/schema.json").status == 404)
    }

    @Test func `the members that the schema describes beside the required ones are facts of statistics`() throws {
        let properties = try #require(ReportSchema.json["$defs"]?["report"]?["properties"]?.members).map(\.key)
        let facts = properties.filter { !ReportParser.requiredMembers.contains($0) }
        let read = Mirror(reflecting: ReportFacts()).children.compactMap(\.label)
        #expect(Set(facts) == Set(read))
    }

    @Test(arguments: NamedEvent.allCases)
    func `every event is accepted with all facts, and counted under its name`(event: NamedEvent) async throws {
        var members = try #require(Self.report(1, event: event.rawValue).members)
        members += [
            .init("release", 1), .init("reason", .string(String(repeating: "r", count: 200))),
            .init("duration", .number("12.5")), .init("bytes", 900), .init("network", "wifi"),
            .init("platform", "android"), .init("osVersion", "15"), .init("appVersion", "8.3.0"),
        ]
        let response = try await post(JSON.object(members).bytes(), ("Content-Type", "application/json"))
        #expect(response.text == #"{"accepted":1}"#)
        let counts = try await service.store.reportCounts(of: PackageID("news"), in: .default)
        #expect(counts.map(\.event) == [event.rawValue])
    }
}

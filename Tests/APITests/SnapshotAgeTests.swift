import API
import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests what clients and operators see while the database is unavailable.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct SnapshotAgeTests {
    @Test(arguments: ["/config", "/apps/default/config", "/config?deviceId=d", "/config?signed=1"])
    func `config has the age of its state only while the store is lost`(target: String) async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let before = try await service.get(target)
        #expect(before.status == 200 && before["Larder-Snapshot-Age"] == nil)
        service.services.contact.lose()
        let lost = try await service.get(target)
        #expect(lost.status == 200 && lost.body == before.body)
        let age = try #require(lost["Larder-Snapshot-Age"].flatMap { Int($0) })
        #expect(age >= 1)
        #expect(lost["Access-Control-Expose-Headers"]?.contains("Larder-Snapshot-Age") == true)
        // All other fields stay.
        for name in ["ETag", "Larder-Config-Version", "Larder-Cursor", "Cache-Control", "Signature-Input"] {
            #expect((lost[name] == nil) == (before[name] == nil), "\(name)")
        }
        let unchanged = try await service.get(target, ("If-None-Match", try #require(lost["ETag"])))
        #expect(unchanged.status == 304 && unchanged["Larder-Snapshot-Age"] != nil)
        service.services.contact.confirm()
        #expect(try await service.get(target)["Larder-Snapshot-Age"] == nil)
    }

    @Test func `other routes have no age`() async throws {
        let service = try await TestService()
        service.services.contact.lose()
        for target in ["/keys.json", "/healthz"] {
            #expect(try await service.get(target)["Larder-Snapshot-Age"] == nil)
        }
    }

    @Test func `the metrics show the age of the state and the content of the spool`() async throws {
        let spool = try FileReportSpool(in: ScratchDirectory.path, limit: FileReportSpool.defaultLimit)
        let desk = try await Desk(TestService(reportSpool: spool))
        func value(_ name: String) async throws -> Int? {
            let lines = try await desk.call("GET", "/metrics", as: .publisher).text.split(separator: "\n")
            return lines.first { $0.hasPrefix("\(name) ") }?.split(separator: " ").last.flatMap { Int($0) }
        }
        #expect(try await value("larder_snapshot_age_seconds") == 0)
        #expect(try await value("larder_reports_spooled") == 0)
        desk.service.services.contact.lose()
        #expect(try await value("larder_snapshot_age_seconds") ?? 0 >= 1)
        let package = try #require(PackageID("news"))
        let report = Report(
            app: .default, eventID: "e", deviceID: "d", package: package, version: "1.0.0", event: "applied",
            time: Timestamp(milliseconds: 1), details: [])
        _ = try await spool.append([[report, report]])
        #expect(try await value("larder_reports_spooled") == 2)
        #expect(try await value("larder_report_spool_bytes") == spool.figures.bytes)
    }

    @Test func `the response to a spooled report states that it is not counted yet`() async throws {
        let spool = try FileReportSpool(in: ScratchDirectory.path, limit: FileReportSpool.defaultLimit)
        let service = try await TestService(reportSpool: spool)
        service.store.setBefore(.insertReports) { () throws(PlatformError) in
            throw PlatformError(.storageUnavailable, "gone")
        }
        let loop = Task { await service.reports.run() }
        let body: JSON = .array([
            .object([
                "eventId": "e", "deviceId": "d", "package": "news", "version": "1.0.0", "event": "applied", "time": 1,
            ])
        ])
        let request = TestRequest("POST", "/report", body: body.bytes()).with("Content-Type", "application/json")
        let response = try await service.send(request)
        #expect(response.status == 202)
        #expect(response.text == #"{"accepted":1,"spooled":1}"#)
        loop.cancel()
        await loop.value
    }
}

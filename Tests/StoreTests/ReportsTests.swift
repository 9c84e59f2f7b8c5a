import Domain
import Store
import Testing

struct ReportsTests {
    @Test func `a report counts once`() async throws {
        let store = try await SQLiteStore.withNews()
        let first = [try report("d1", "e1"), try report("d1", "e2"), try report("d2", "e1"), try report("d1", "e1")]
        #expect(try await store.insertReports(first, at: Fixture.start) == 3)
        #expect(try await store.insertReports(first, at: Fixture.start) == 0)
        #expect(try await store.insertReports([], at: Fixture.start) == 0)
        let more = [try report("d1", "e3", event: "failed"), try report("d1", "e4", of: "other")]
        #expect(try await store.insertReports(more, at: Fixture.start) == 2)
        #expect(
            try await store.reportCounts(of: try Fixture.package("news"), in: Fixture.app) == [
                ReportCount(version: "1.0.0", event: "applied", reports: 3, devices: 2),
                ReportCount(version: "1.0.0", event: "failed", reports: 1, devices: 1),
            ])
        #expect(try await store.reportCounts(of: try Fixture.package("none"), in: Fixture.app).isEmpty)
    }

    @Test func `a report for an unknown app takes its whole batch back`() async throws {
        let store = try await SQLiteStore.withNews()
        let other = try #require(AppID("other"))
        let batch = [try report("d1", "e1"), try report("d1", "e1", app: other)]
        #expect(
            try await code { _ = try await store.insertReports(batch, at: Fixture.start) } == .appNotFound)
        #expect(try await store.reportCounts(of: try Fixture.package("news"), in: Fixture.app).isEmpty)
    }

    private func report(
        _ device: String, _ eventID: String, event: String = "applied", of package: String = "news",
        app: AppID = Fixture.app
    ) throws -> Report {
        Report(
            app: app, eventID: eventID, deviceID: device, package: try Fixture.package(package), version: "1.0.0",
            event: event, time: Fixture.start, details: [.init("reason", "disk")])
    }
}

import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests what `larder doctor` finds about the ids of reports and their filters.
@Suite(.scratchMemory)
struct ReportExaminationTests {
    private let package: PackageID

    init() throws {
        package = try #require(PackageID("news"))
    }

    /// Returns the findings about a directory with five reports in segment 0, of which three have left the window, and one in
    /// segment 1.
    private func findings(after script: String) async throws -> [Finding] {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let database = try Database(.file(service.folder + "/larder.sqlite"))
        func insert(_ ids: [String], rows: Int = ReportWindow.defaultRows) async throws {
            let reports = ids.map { id in
                Report(
                    app: .default, eventID: id, deviceID: "d", package: package, version: "1.0.0", event: "opened",
                    time: service.clock.now(), details: [])
            }
            _ = try await service.store.insertReports(
                reports, at: service.clock.now(), keeping: ReportWindow(rows: rows))
            while try await service.aggregator.step() > 0 {}
        }
        try await insert(["a", "b", "c", "d", "e"])
        try database.execute("UPDATE report_progress SET through = 65535")
        try await insert(["f"])
        try await insert([], rows: 65_533)
        let (kept, stored): (Int?, Int?) = (
            try database.value("SELECT ids FROM report_id_segments"), try database.value("SELECT count(*) FROM reports")
        )
        try #require(kept == 5 && stored == 3)
        try database.executeScript(script)
        let findings = try DataExamination.findings(of: service)
        #expect(findings.allSatisfy { $0.subject == "segment 0" && $0.message.contains("DELETE FROM report_") })
        return findings
    }

    @Test func `sound ids have no findings, and neither has a missing filter`() async throws {
        #expect(try await findings(after: "").isEmpty)
        #expect(try await findings(after: "DELETE FROM report_filters; DELETE FROM report_id_filters").isEmpty)
    }

    @Test(arguments: [
        ("UPDATE report_id_segments SET ids = 6", "are 5 instead of 6"),
        ("DELETE FROM report_ids WHERE rowid = 1", "instead of 5"),
        ("UPDATE report_ids SET hashes = CAST(hashes || hashes AS BLOB) WHERE rowid = 1", "are not sorted"),
        (
            "DELETE FROM report_id_filters; UPDATE report_ids SET hashes = CAST(substr(hashes, 1, length(hashes) - 1) || x'00' AS BLOB)",
            "lack that of a stored report"
        ),
    ])
    func `damaged ids are found`(_ script: String, _ fault: String) async throws {
        let findings = try await findings(after: script)
        #expect(findings.map(\.code) == [.reportIDsDamaged])
        #expect(findings.first?.message.contains(fault) == true)
    }

    @Test(arguments: ["report_filters", "report_id_filters"])
    func `doctor reports a filter that misses a report`(_ table: String) async throws {
        let findings = try await findings(after: "UPDATE \(table) SET bits = zeroblob(131072)")
        #expect(findings.map(\.code) == [.reportFilterWrong])
        #expect(findings.first?.message.contains("DELETE FROM \(table) WHERE segment = 0") == true)
    }
}

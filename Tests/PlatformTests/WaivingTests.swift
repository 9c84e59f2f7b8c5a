import Domain
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct WaivingTests {
    private func waive(_ service: TestService, _ code: LintFinding.Code, _ path: String? = nil) async throws {
        _ = try await service.waivers.putWaiver(
            for: code, at: try path.map { try TreePath($0) }, because: "known", of: service.putPackage(), by: .server)
    }

    private func kept(_ service: TestService, _ version: String) async throws -> LintResult? {
        try await service.store.findings(
            of: #require(VersionString(version)), of: service.putPackage().id, in: .default)
    }

    @Test func `a request that changes nothing is not in the audit log`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let package = try await service.putPackage()
        let version = try #require(VersionString("1.0.0"))
        func entries() async throws -> Int { try await service.store.audit(before: nil, limit: 100).count }
        func note(_ text: String?) async throws {
            _ = try await service.versions.setNotes(text, of: version, of: package, by: .server)
        }
        let before = try await entries()
        try await note(nil)
        #expect(try await entries() == before)
        try await note("new")
        try await waive(service, .secret)
        #expect(try await entries() == before + 2)
        try await note("new")
        try await waive(service, .secret)
        #expect(try await entries() == before + 2)
        try await note(nil)
        #expect(try await entries() == before + 3)
    }

    @Test func `a waived finding is counted with its reason instead of warned of, also in the store`() async throws {
        let service = try await TestService()
        try await waive(service, .sourceMap)
        try await waive(service, .nameUnsafe, "a b.txt")
        let files: KeyValuePairs = [
            "index.html": "<img src=no.png>", "a b.txt": "", "c d.txt": "", "a.js.map": "1", "b.js.map": "2",
        ]
        guard case .published(_, let result) = try await service.publish("1.0.0", files) else {
            Issue.record("not published")
            return
        }
        #expect(result.findings.map(\.path?.text) == ["index.html", "c d.txt"])
        #expect(
            result.waived == [
                .init(code: .nameUnsafe, path: try TreePath("a b.txt"), reason: "known", count: 1),
                .init(code: .sourceMap, path: nil, reason: "known", count: 2),
            ])
        #expect(try await kept(service, "1.0.0") == result)
        // Later waivers do not change stored findings.
        try await waive(service, .referenceMissing)
        #expect(try await service.publish("1.0.0", files).warnings.map(\.path?.text) == ["c d.txt"])
        #expect(try await kept(service, "1.0.0") == result)
    }

    @Test func `a missing entry page that is waived is published as no entry at all`() async throws {
        let service = try await TestService()
        let files: KeyValuePairs = ["home.html": "1"]
        try await waive(service, .entryMissing, "other.html")
        #expect(try await code { try await service.publish("1.0.0", files) } == .badPackage)
        try await waive(service, .entryMissing, "index.html")
        guard case .published(_, let result) = try await service.publish("1.0.0", files) else {
            Issue.record("not published")
            return
        }
        #expect(result.findings == [] && result.waived.map(\.code) == [.entryMissing])
        try await service.release("1.0.0")
        let version = try #require(try service.entry()?.current?.version)
        #expect(version.entry == nil)
        let archive = try await service.unpack(version.full.artifact)
        #expect(archive["news/files.json"]?.contains("index.html") == false)
        // If the page exists, it is the entry as usual.
        try await service.publish("2.0.0", ["index.html": "1"])
        try await service.release("2.0.0")
        #expect(try service.entry()?.current?.version.entry?.text == "index.html")
    }

    @Test func `a waiver of a missing entry page lifts no other refusal`() async throws {
        let service = try await TestService()
        try await waive(service, .entryMissing)
        let outcome = try await code { try await service.publish("1", ["home.html": "1", "files.json": "[]"]) }
        #expect(outcome == .badPackage)
    }
}

import Domain
import Store
import TestKit
import Testing

@Suite(.scratchDirectory, .databases)
struct VersionDetailsTests {
    private func news() throws -> PackageID { try Fixture.package("news") }

    private func summary(_ store: SQLStore, _ text: String = "1.0.0") async throws -> VersionSummary? {
        try await store.summary(of: Fixture.version(text), of: news(), in: Fixture.app)
    }

    private func findings(_ store: SQLStore) async throws -> LintResult? {
        try await store.findings(of: Fixture.version("1.0.0"), of: news(), in: Fixture.app)
    }

    private func actions(_ store: SQLStore) async throws -> [String] {
        try await store.audit(before: nil, limit: 100).map(\.entry.action)
    }

    private func setNotes(_ notes: String?, _ store: SQLStore, of text: String = "1.0.0") async throws {
        try await store.setNotes(
            notes, of: Fixture.version(text), of: news(), in: Fixture.app, audit: Fixture.audit("version.notes"))
    }

    private func retire(_ store: SQLStore, _ text: String = "1.0.0", reason: String = "broken") async throws -> Bool {
        try await store.retire(
            Fixture.version(text), of: news(), in: Fixture.app,
            Retirement(time: Fixture.start, actor: "ci (#2)", reason: reason), audit: Fixture.audit("version.retire"))
    }

    private func unretire(_ store: SQLStore, _ text: String = "1.0.0") async throws -> Bool {
        try await store.unretire(
            Fixture.version(text), of: news(), in: Fixture.app, audit: Fixture.audit("version.unretire"))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the details given at publishing are read back, in the list and alone`(on database: DatabaseKind) async throws
    {
        let store = try await database.withNews()
        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        publishing.details = try VersionDetails(notes: "New:\n- 日本", commit: "739e1b9", author: "Zoë <z@x>")
        publishing.findings = LintResult(
            findings: [
                LintFinding(.secret, try TreePath("a/日本 \"x\".js"), "A \"key\"."),
                LintFinding(.packageGrew, nil, "It grew."),
            ],
            waived: [.init(code: .sourceMap, path: try TreePath("a.map"), reason: "why", count: 3)])
        try await store.publish(publishing)
        #expect(try await summary(store)?.details == publishing.details)
        #expect(try await findings(store) == publishing.findings)
        #expect(try await store.versions(of: news(), in: Fixture.app) == [try #require(await summary(store))])
        #expect(try await summary(store, "1.0.1") == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `findings are kept up to a limit`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        publishing.findings = LintResult(
            findings: try (0...LintResult.mostKept).map { LintFinding(.sourceMap, try TreePath("\($0).map"), "x") })
        try await store.publish(publishing)
        #expect(try await findings(store)?.findings.map(\.path?.text).last == "\(LintResult.mostKept - 1).map")
    }

    @Test(arguments: DatabaseKind.allCases)
    func `only notes can be changed, with an audit entry each time`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        var publishing = try Fixture.publishing("1.0.0", seed: 1)
        publishing.details = try VersionDetails(notes: "a", commit: "c", author: "d")
        try await store.publish(publishing)
        let version = try await store.state(of: Fixture.app).configVersion
        for notes in ["b", nil, "e"] {
            try await setNotes(notes, store)
            #expect(try await summary(store)?.details == VersionDetails(notes: notes, commit: "c", author: "d"))
        }
        #expect(try await actions(store).count { $0 == "version.notes" } == 3)
        #expect(try await store.state(of: Fixture.app).configVersion == version)
        #expect(try await code { try await setNotes("x", store, of: "2") } == .versionNotFound)
        #expect(try await actions(store).count { $0 == "version.notes" } == 3)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a version without details has no findings, and may get notes`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let store = try SQLStore(opening: location)
        try await store.addNews()
        try await store.publish("1.0.0", seed: 1)
        #expect(try await findings(store) == LintResult())
        try Database(location.shared).executeScript("DELETE FROM version_details")
        #expect(try await findings(store) == nil)
        #expect(try await summary(store)?.details == VersionDetails.none)
        try await setNotes("later", store)
        #expect(try await summary(store)?.details.notes == "later")
        #expect(try await findings(store) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a version is retired once, and its retirement is withdrawn once`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        #expect(try await unretire(store) == false)
        #expect(try await retire(store))
        #expect(try await retire(store, reason: "another") == false)
        let expected = Retirement(time: Fixture.start, actor: "ci (#2)", reason: "broken")
        #expect(try await summary(store)?.retirement == expected)
        let name = try Fixture.version("1.0.0")
        #expect(try await store.publication(of: name, of: news(), in: Fixture.app)?.isRetired == true)
        #expect(try await store.versions(of: news(), in: Fixture.app).map(\.retirement) == [expected])
        #expect(try await code { try await store.release("1.0.0") } == .internalError)
        #expect(try await unretire(store))
        #expect(try await summary(store)?.retirement == nil)
        #expect(try await store.publication(of: name, of: news(), in: Fixture.app)?.isRetired == false)
        try await store.release("1.0.0")
        let logged = try await actions(store).filter { $0.hasPrefix("version.") && $0 != "version.publish" }
        #expect(logged == ["version.unretire", "version.retire"])
        #expect(try await code { _ = try await retire(store, "2") } == .versionNotFound)
        #expect(try await code { _ = try await unretire(store, "2") } == .versionNotFound)
    }
}

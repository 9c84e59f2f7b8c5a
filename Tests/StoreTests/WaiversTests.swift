import Domain
import Store
import Testing

@Suite(.databases)
struct WaiversTests {
    private func waiver(
        _ code: LintFinding.Code, _ path: String? = nil, reason: String = "known"
    ) throws -> LintWaiver {
        LintWaiver(
            code: code, path: try path.map { try TreePath($0) }, reason: reason, actor: "ci (#2)", time: Fixture.start)
    }

    private func put(_ waiver: LintWaiver, _ store: SQLStore, of id: String = "news") async throws -> Bool {
        try await store.putWaiver(
            waiver, of: Fixture.package(id), in: Fixture.app, audit: Fixture.audit("waiver.put"))
    }

    private func remove(
        _ store: SQLStore, _ code: LintFinding.Code, _ path: String? = nil
    ) async throws -> LintWaiver? {
        try await store.removeWaiver(
            for: code, at: try path.map { try TreePath($0) }, of: Fixture.package("news"), in: Fixture.app,
            audit: Fixture.audit("waiver.delete"))
    }

    private func waivers(_ store: SQLStore) async throws -> [LintWaiver] {
        try await store.waivers(of: Fixture.package("news"), in: Fixture.app)
    }

    private func auditCount(_ store: SQLStore, _ action: String) async throws -> Int {
        try await store.audit(before: nil, limit: 1000).count { $0.entry.action == action }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `waivers come back by code and path, and one for a code and path replaces the other`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        #expect(try await put(waiver(.sourceMap, "b.map"), store))
        #expect(try await put(waiver(.sourceMap), store))
        #expect(try await put(waiver(.secret, "图.js"), store))
        #expect(try await put(waiver(.sourceMap, "b.map", reason: "again"), store) == false)
        let expected = [
            try waiver(.secret, "图.js"), try waiver(.sourceMap), try waiver(.sourceMap, "b.map", reason: "again"),
        ]
        #expect(try await waivers(store) == expected)
        #expect(try await auditCount(store, "waiver.put") == 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a waiver is removed, and the removal of a missing one changes nothing`(on database: DatabaseKind) async throws
    {
        let store = try await database.withNews()
        for waiver in [try waiver(.sourceMap), try waiver(.sourceMap, "a")] { #expect(try await put(waiver, store)) }
        #expect(try await remove(store, .sourceMap) == waiver(.sourceMap))
        #expect(try await remove(store, .sourceMap) == nil)
        #expect(try await remove(store, .sourceMap, "b") == nil)
        #expect(try await waivers(store) == [waiver(.sourceMap, "a")])
        #expect(try await auditCount(store, "waiver.delete") == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a package has so many waivers, and they are its own`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        for number in 1...LintWaiver.maximumPerPackage {
            #expect(try await put(waiver(.secret, "\(number)"), store))
        }
        #expect(try await code { _ = try await put(waiver(.secret, "more"), store) } == .conflict)
        #expect(try await put(waiver(.secret, "1", reason: "changed"), store) == false)
        _ = try await store.putPackage(Fixture.newsPackage("other"), audit: Fixture.audit("package.put"))
        #expect(try await put(waiver(.secret, "more"), store, of: "other"))
        #expect(try await waivers(store).count == LintWaiver.maximumPerPackage)
        #expect(try await auditCount(store, "waiver.put") == LintWaiver.maximumPerPackage + 2)
        #expect(try await code { _ = try await put(waiver(.secret), store, of: "none") } == .packageNotFound)
    }
}

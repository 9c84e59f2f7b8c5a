import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the filters of the audit log on both databases.
@Suite(.scratchDirectory, .databases)
struct AuditStoreTests {
    private static let shop = AppID("shop")

    /// Appends an entry for each second after the start; the clock of every third entry's node is behind by a minute.
    private func fill(_ store: SQLStore) async throws -> [RecordedAuditEntry] {
        let actions: [AuditAction] = [.makeRelease, .haltRelease, .makeReleaseSet, .putPackage]
        for number in 0..<24 {
            try await store.recordAudit(
                AuditEntry(
                    time: Fixture.start.adding(milliseconds: Int64(number) * 1_000 - (number % 3 == 2 ? 60_000 : 0)),
                    actor: number % 2 == 0 ? "ann (#1)" : "ci (#2)", action: actions[number % 4].rawValue,
                    app: [Fixture.app, Self.shop, nil][number % 3], subject: number % 5 == 0 ? "news@1" : "news"))
        }
        return try await store.audit(before: nil, limit: 99)
    }

    /// The filters, and the same conditions without an index.
    private static let filters: [AuditFilter] = {
        let actors = [nil, "ann (#1)", "ci (#2)", "ci"]
        let actions: [[AuditAction]?] = [nil, [.haltRelease], AuditAction.matching("release.*"), [.deleteBuild]]
        let objects = [nil, "news@1"]
        let apps = [nil, shop]
        return actors.flatMap { actor in
            actions.flatMap { actions in
                objects.flatMap { object in
                    apps.map { AuditFilter(actor: actor, actions: actions, object: object, app: $0) }
                }
            }
        }
    }()

    private func matches(_ filter: AuditFilter, _ entry: AuditEntry) -> Bool {
        (filter.actor ?? entry.actor) == entry.actor && (filter.object ?? entry.subject) == entry.subject
            && (filter.app == nil || filter.app == entry.app)
            && (filter.actions.map { $0.contains { $0.rawValue == entry.action } } ?? true)
            && filter.since.map { $0 <= entry.time } ?? true && filter.until.map { entry.time < $0 } ?? true
    }

    @Test(arguments: DatabaseKind.allCases)
    func `every combination of filters selects the matching entries, in pages and in either order`(
        on database: DatabaseKind
    ) async throws {
        let store = try database.empty()
        let all = try await fill(store)
        let times = [0, 7_000, 23_001, -60_000, 90_000].map { Fixture.start.adding(milliseconds: $0) }
        for filter in Self.filters {
            for (since, until) in [(nil, nil), (times[1], nil), (nil, times[1]), (times[3], times[0]), (times[4], nil)]
            {
                var filter = filter
                (filter.since, filter.until) = (since, until)
                let expected = all.filter { matches(filter, $0.entry) }
                let newest = try await store.audit(filter, in: AuditRange(), limit: 99)
                #expect(newest.map(\.id) == expected.map(\.id), "\(filter)")
                let first = try await store.audit(filter, in: AuditRange(), limit: 3)
                #expect(first.map(\.id) == expected.prefix(3).map(\.id), "\(filter)")
                let next = try await store.audit(filter, in: AuditRange(before: first.last?.id), limit: 3)
                #expect(next.map(\.id) == (first.isEmpty ? [] : expected.dropFirst(3).prefix(3).map(\.id)), "\(filter)")
                let oldest = try await store.audit(
                    filter, in: AuditRange(after: all[20].id, before: all[2].id, isNewestFirst: false), limit: 4)
                let between = expected.filter { $0.id > all[20].id && $0.id < all[2].id }.map(\.id).reversed()
                #expect(oldest.map(\.id) == Array(between.prefix(4)), "\(filter)")
            }
        }
    }

    @Test func `a pattern selects an action, or all of its subject and no other`() {
        #expect(AuditAction.matching("release.make") == [.makeRelease])
        #expect(AuditAction.matching("release.*")?.contains(.tripRelease) == true)
        #expect(AuditAction.matching("release.*")?.contains(.makeReleaseSet) == false)
        for pattern in ["", "*", ".*", "release", "release.", "rel*", "release.none", "rele.*", "release.*.*"] {
            #expect(AuditAction.matching(pattern) == nil, "\(pattern)")
        }
        #expect(AuditAction.subjects.contains("release-set"))
    }

    /// A rare value among entries that none of the other conditions excludes.
    @Test(arguments: DatabaseKind.allCases)
    func `a page of any filter reads a part of the log`(on database: DatabaseKind) throws {
        let database = try Database(database.location())
        try database.execute(
            """
            INSERT INTO audit (time, actor, action, app, subject, details)
            WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 20000)
            SELECT number, 'ci', 'version.publish', 'default', 'news@' || number, '{}' FROM numbers
            """)
        if database.dialect == .postgreSQL { try database.executeScript("ANALYZE audit") }
        for index in [
            "actor = 'ann'", "action = 'x'", "subject = 'x'", "actor = 'ci' AND action = 'x'",
            "app = 'default' AND action = 'x'",
        ] {
            let text = "SELECT id FROM audit WHERE id > 0 AND id < 99999999 AND \(index) ORDER BY id DESC LIMIT 200"
            let explain = database.dialect == .sqlite ? "EXPLAIN QUERY PLAN " : "EXPLAIN "
            let plan = try database.rows(SQL(stringLiteral: explain + text)) { row in
                database.dialect == .sqlite ? try row[3] as String : try row[0] as String
            }.joined(separator: "\n")
            #expect(plan.contains("audit_by_"), "\(index): \(plan)")
        }
    }
}

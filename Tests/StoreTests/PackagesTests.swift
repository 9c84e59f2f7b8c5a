import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct PackagesTests {
    @Test(arguments: DatabaseKind.allCases)
    func `a package is made, then changed, then left alone`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        _ = try await store.createApp(Fixture.app, keys: [], audit: Fixture.audit("app.create"))
        var package = try Fixture.newsPackage()
        let audit = Fixture.audit("package.put")
        #expect(try await store.putPackage(package, audit: audit))
        let first = Event(
            app: Fixture.app, sequence: 1, time: Fixture.start, subject: .packageChanged(package.id))
        #expect(try await store.events(of: Fixture.app, last: 10) == [first])
        #expect(try await store.state(of: Fixture.app).configVersion == Fixture.start.milliseconds + 1)

        package.name = "新闻"
        package.entry = nil
        package.urlPrefix = .root
        package.isEnabled = false
        package.priority = -1
        package.dialects = [Dialect(rawValue: "newest-package"), Dialect(rawValue: "info-json")]
        #expect(try await store.putPackage(package, audit: audit) == false)
        let second = Event(
            app: Fixture.app, sequence: 2, time: Fixture.start, subject: .packageChanged(package.id))
        #expect(try await store.state(of: Fixture.app).configVersion == Fixture.start.milliseconds + 2)
        #expect(try await store.state(of: Fixture.app).packages == [package])

        #expect(try await store.putPackage(package, audit: audit) == false)
        #expect(try await store.events(of: Fixture.app, last: 10) == [first, second])
        #expect(try await store.audit(before: nil, limit: 10).count == 3)
        #expect(try await store.state(of: Fixture.app).configVersion == Fixture.start.milliseconds + 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an id that differs only in case from another is refused`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let audit = Fixture.audit("package.put")
        #expect(
            try await code { _ = try await store.putPackage(Fixture.newsPackage("NEWS"), audit: audit) } == .nameTaken)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `apps share no names`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let other = try #require(AppID("other"))
        _ = try await store.createApp(other, keys: Fixture.keys(app: other), audit: Fixture.audit("app.create"))
        let package = Package(
            app: other, id: try Fixture.package("News"), name: "", entry: nil, urlPrefix: .root, isEnabled: true,
            priority: 1)
        _ = try await store.putPackage(package, audit: Fixture.audit("package.put"))
        #expect(try await store.state(of: other).packages == [package])
        #expect(try await store.state(of: other).sequence == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a page of packages is sorted, filtered and continued by the database`(on database: DatabaseKind) async throws
    {
        let store = try database.empty()
        _ = try await store.createApp(Fixture.app, keys: [], audit: Fixture.audit("app.create"))
        for (id, name) in [("b", "100%"), ("C", "Älpler"), ("a", "same"), ("d", "same"), ("e_1", "SAME!")] {
            var package = try Fixture.newsPackage(id)
            package.name = name
            _ = try await store.putPackage(package, audit: Fixture.audit("package.put"))
        }
        func ids(_ query: PackageQuery) async throws -> [String] {
            try await store.packages(of: Fixture.app, query).map(\.id.text)
        }
        #expect(try await ids(PackageQuery(limit: 10)) == ["C", "a", "b", "d", "e_1"])
        #expect(try await ids(PackageQuery(isDescending: true, limit: 2)) == ["e_1", "d"])
        #expect(try await ids(PackageQuery(order: .name, limit: 10)) == ["b", "e_1", "a", "d", "C"])
        let a = PackageQuery.Position(name: "same", id: "a")
        #expect(try await ids(PackageQuery(order: .name, after: a, limit: 10)) == ["d", "C"])
        #expect(try await ids(PackageQuery(order: .name, isDescending: true, after: a, limit: 10)) == ["e_1", "b"])
        #expect(try await ids(PackageQuery(after: .init(name: "", id: "aa"), limit: 1)) == ["b"])
        for (text, found) in [
            ("sAmE", ["a", "d", "e_1"]), ("%", ["b"]), ("_", ["e_1"]), ("c", ["C"]), ("!", ["e_1"]), ("ä", []),
            ("Älp", ["C"]),
        ] {
            #expect(try await ids(PackageQuery(text: text, limit: 10)) == found, "\(text)")
        }
    }

    /// A table that refers to packages or channels needs its part in `removePackage` or `removeChannel`.
    @Test(arguments: [
        (
            "packages",
            [
                "events", "lint_waivers", "releases", "report_events", "report_labels", "resource_lists",
                "resource_numbers", "versions",
            ]
        ),
        (
            "channels",
            [
                "approvals", "ci_trusts", "events", "release_sets", "releases", "resource_lists", "resource_numbers",
                "seen_places", "sign_in_grants", "tokens", "user_grants",
            ]
        ),
        ("device_lists", ["releases"]),
    ])
    func `the tables that refer to what can be deleted are known`(table: String, known: [String]) throws {
        let database = try Database(.memory)
        try Migrator().migrate(database)
        let tables: [String] = try database.rows(
            """
            SELECT DISTINCT master.name FROM sqlite_master AS master
            JOIN pragma_foreign_key_list(master.name) AS key ON key."table" = \(table)
            WHERE master.type = 'table' ORDER BY master.name
            """
        ) { try $0[0] }
        #expect(tables == known)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `only a package that never had a version is removed, with what belongs to it`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let audit = Fixture.audit("package.delete")
        let other = try Fixture.newsPackage("other")
        _ = try await store.putPackage(other, audit: Fixture.audit("package.put"))
        let waiver = LintWaiver(code: .secret, path: nil, reason: "r", actor: "ann", time: Fixture.start)
        _ = try await store.putWaiver(waiver, of: other.id, in: Fixture.app, audit: Fixture.audit("waiver.put"))
        #expect(try await store.removePackage(other.id, in: Fixture.app, audit: audit))
        #expect(try await store.removePackage(other.id, in: Fixture.app, audit: audit) == false)
        #expect(try await store.package(other.id, in: Fixture.app) == nil)
        #expect(try await store.putPackage(other, audit: Fixture.audit("package.put")))
        #expect(try await store.waivers(of: other.id, in: Fixture.app).isEmpty)
    }
}

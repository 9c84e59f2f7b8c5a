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
}

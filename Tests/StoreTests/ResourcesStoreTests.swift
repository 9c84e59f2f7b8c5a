import Domain
import Store
import Testing

struct ResourcesStoreTests {
    private func resource(_ text: String = "a") throws -> ResourceID { try #require(ResourceID(text)) }

    private func number(
        _ store: SQLiteStore, _ current: [ResourceID: SHA256Digest], _ coming: [ResourceID: SHA256Digest] = [:],
        on channel: ChannelName = .production
    ) async throws -> ResourceNumbers {
        try await store.numberResources(
            current: current, coming: coming, of: try Fixture.package("news"), on: channel, in: Fixture.app)
    }

    @Test func `numbers are kept, and count by channel`() async throws {
        let store = try await SQLiteStore.withNews()
        let beta = try Fixture.channel("beta")
        _ = try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("channel.declare"))
        let (id, one, two) = (try resource(), try Fixture.digest(1), try Fixture.digest(2))
        #expect(try await number(store, [id: one], [id: two]) == ResourceNumbers(current: [id: 1], coming: [id: 2]))
        #expect(try await number(store, [id: two]) == ResourceNumbers(current: [id: 2], coming: [:]))
        #expect(try await number(store, [id: one]) == ResourceNumbers(current: [id: 3], coming: [:]))
        #expect(try await number(store, [id: two], on: beta) == ResourceNumbers(current: [id: 1], coming: [:]))
        // Ids differ in case.
        let other = try resource("A")
        #expect(try await number(store, [other: one]).current == [other: 1])
    }

    @Test func `what was told as current is known, and what was only coming is not`() async throws {
        let store = try await SQLiteStore.withNews()
        let (id, one, two) = (try resource(), try Fixture.digest(1), try Fixture.digest(2))
        _ = try await number(store, [id: one], [id: two])
        func told(_ digest: SHA256Digest) async throws -> Int64? {
            try await store.toldNumbers(
                of: [id: digest], of: try Fixture.package("news"), on: .production, in: Fixture.app)[id]
        }
        #expect(try await told(one) == 1)
        #expect(try await told(two) == nil)
        _ = try await number(store, [id: two])
        _ = try await number(store, [id: one])
        #expect(try await told(two) == 2)
        #expect(try await told(one) == 3)
    }

    @Test func `a package that is not there has no numbers`() async throws {
        let store = try await SQLiteStore.withNews()
        let error = await #expect(throws: PlatformError.self) {
            try await store.numberResources(
                current: [:], coming: [:], of: try Fixture.package("none"), on: .production, in: Fixture.app)
        }
        #expect(error?.code == .packageNotFound)
        #expect(try await store.latestEvent(of: try Fixture.package("none"), in: Fixture.app) == 0)
        let version = try Fixture.version("1")
        #expect(
            try await store.latestActivation(
                of: version, of: try Fixture.package("news"), on: .production, in: Fixture.app) == nil)
    }

    @Test func `the latest event is the package's own`() async throws {
        let store = try await SQLiteStore.withNews()
        let news = try Fixture.package("news")
        let before = try await store.latestEvent(of: news, in: Fixture.app)
        _ = try await store.putPackage(try Fixture.newsPackage("other"), audit: Fixture.audit("package.put"))
        #expect(try await store.latestEvent(of: news, in: Fixture.app) == before)
        _ = try await store.putPackage(try Fixture.newsPackage(name: "New"), audit: Fixture.audit("package.put"))
        #expect(try await store.latestEvent(of: news, in: Fixture.app) > before)
    }

    @Test func `a package's settings and a version's own are read as they were written`() async throws {
        let store = try await SQLiteStore.withNews()
        var package = try Fixture.newsPackage()
        package.resources = ResourceSettings(
            rules: [ResourceRule(files: try #require(PathGlob("a/*")), kind: 9)], timeFormat: .epochMilliseconds,
            diffFrom: try Fixture.version("1.0"), diffLimit: 5120)
        _ = try await store.putPackage(package, audit: Fixture.audit("package.put"))
        #expect(try await store.package(package.id, in: Fixture.app) == package)
    }
}

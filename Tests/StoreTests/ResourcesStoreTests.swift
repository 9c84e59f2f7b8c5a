import Domain
import Store
import Testing

@Suite(.databases)
struct ResourcesStoreTests {
    private func resource(_ text: String = "a") throws -> ResourceID { try #require(ResourceID(text)) }

    private func number(
        _ store: SQLStore, _ current: [ResourceID: SHA256Digest], _ coming: [ResourceID: SHA256Digest] = [:],
        on channel: ChannelName = .production, recording list: ListHistory.Entry? = nil
    ) async throws -> ResourceNumbers {
        try await store.numberResources(
            current: current, coming: coming, recording: list, of: try Fixture.package("news"), on: channel,
            in: Fixture.app)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `numbers are kept, and count by package`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let beta = try Fixture.channel("beta")
        _ = try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("channel.declare"))
        let (id, one, two) = (try resource(), try Fixture.digest(1), try Fixture.digest(2))
        #expect(try await number(store, [id: one], [id: two]) == ResourceNumbers(current: [id: 1], coming: [id: 2]))
        #expect(try await number(store, [id: two]) == ResourceNumbers(current: [id: 2], coming: [:]))
        #expect(try await number(store, [id: one]) == ResourceNumbers(current: [id: 3], coming: [:]))
        #expect(try await number(store, [id: one], on: beta) == ResourceNumbers(current: [id: 3], coming: [:]))
        #expect(try await number(store, [id: two], on: beta) == ResourceNumbers(current: [id: 4], coming: [:]))
        #expect(try await number(store, [id: one]) == ResourceNumbers(current: [id: 3], coming: [:]))
        // Ids are case-sensitive.
        let other = try resource("A")
        #expect(try await number(store, [other: one]).current == [other: 1])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `numbers of current content are known, and those of scheduled content are not`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let (id, one, two) = (try resource(), try Fixture.digest(1), try Fixture.digest(2))
        _ = try await number(store, [id: one], [id: two])
        func currentNumber(_ digest: SHA256Digest) async throws -> Int64? {
            try await store.currentNumbers(
                of: [id: digest], of: try Fixture.package("news"), on: .production, in: Fixture.app)[id]
        }
        #expect(try await currentNumber(one) == 1)
        #expect(try await currentNumber(two) == nil)
        _ = try await number(store, [id: two])
        _ = try await number(store, [id: one])
        #expect(try await currentNumber(two) == 2)
        #expect(try await currentNumber(one) == 3)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a missing package has no numbers`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let error = await #expect(throws: PlatformError.self) {
            try await store.numberResources(
                current: [:], coming: [:], recording: nil, of: try Fixture.package("none"), on: .production,
                in: Fixture.app)
        }
        #expect(error?.code == .packageNotFound)
        #expect(try await store.latestEvent(of: try Fixture.package("none"), in: Fixture.app) == 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the versions named by a package's lists are read as they were recorded`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let beta = try Fixture.channel("beta")
        _ = try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("channel.declare"))
        let (one, two) = (try Fixture.version("1.0.0"), try Fixture.version("2.0.0"))
        for (seed, version) in ["1.0.0", "2.0.0"].enumerated() { _ = try await store.publish(version, seed: seed + 1) }
        let mark = NamingMark(of: [ResourceSettings()])
        let lists: [(ChannelName, Int64, VersionString?)] = [
            (.production, 5, nil), (beta, 6, two), (.production, 7, two),
        ]
        for (channel, sequence, coming) in lists {
            let named = ListedVersions(current: one, coming: coming, naming: mark)
            let entry = ListHistory.Entry(channel: channel, sequence: sequence, versions: named)
            _ = try await number(store, [:], on: channel, recording: entry)
        }
        let history = try await store.listHistory(of: try Fixture.package("news"), in: Fixture.app)
        func comings(_ sequence: Int64) -> [VersionString?] {
            history.versions(of: ResourceConfigVersion(sequence: sequence, version: one)).map(\.coming)
        }
        #expect(comings(4).isEmpty && comings(5) == [nil] && Set(comings(6)) == [nil, two] && comings(8) == [two])
        // It may have been sent before the last one was, under the same sequence.
        #expect(Set(comings(7)) == [nil, two])
        #expect(!history.isNew(ListedVersions(current: one, coming: two, naming: mark), on: beta))
        let none = try await store.listHistory(of: try Fixture.package("none"), in: Fixture.app)
        #expect(none.versions(of: ResourceConfigVersion(sequence: 9, version: one)).isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `each channel's lists are kept, however many another channel sent`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let beta = try Fixture.channel("beta")
        _ = try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("channel.declare"))
        for (seed, version) in ["1.0.0", "2.0.0"].enumerated() { _ = try await store.publish(version, seed: seed + 1) }
        let one = try Fixture.version("1.0.0")
        func record(_ channel: ChannelName, _ sequence: Int64, coming: VersionString?) async throws {
            let named = ListedVersions(current: one, coming: coming, naming: nil)
            let entry = ListHistory.Entry(channel: channel, sequence: sequence, versions: named)
            _ = try await number(store, [:], on: channel, recording: entry)
        }
        try await record(.production, 1, coming: try Fixture.version("2.0.0"))
        let count = Int64(ListHistory.maximumEntries)
        for sequence in 1...count { try await record(beta, sequence, coming: nil) }
        func found(_ sequence: Int64) async throws -> Int {
            let history = try await store.listHistory(of: try Fixture.package("news"), in: Fixture.app)
            return history.versions(of: ResourceConfigVersion(sequence: sequence, version: one)).count
        }
        #expect(try await found(count) == 2)
        // With one more list, the first is not read, so its versions are unknown.
        #expect(try await found(1) == 2)
        try await record(beta, count + 1, coming: nil)
        #expect(try await found(1) == 0)
        #expect(try await found(count) == 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the latest event is the package's own`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let news = try Fixture.package("news")
        let before = try await store.latestEvent(of: news, in: Fixture.app)
        _ = try await store.putPackage(try Fixture.newsPackage("other"), audit: Fixture.audit("package.put"))
        #expect(try await store.latestEvent(of: news, in: Fixture.app) == before)
        _ = try await store.putPackage(try Fixture.newsPackage(name: "New"), audit: Fixture.audit("package.put"))
        #expect(try await store.latestEvent(of: news, in: Fixture.app) > before)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a package's settings and a version's own are read as they were written`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        var package = try Fixture.newsPackage()
        package.resources = ResourceSettings(
            rules: [ResourceRule(files: try #require(PathGlob("a/*")), kind: 9)], timeFormat: .epochMilliseconds,
            diffFrom: try Fixture.version("1.0"), diffLimit: 5120)
        _ = try await store.putPackage(package, audit: Fixture.audit("package.put"))
        #expect(try await store.package(package.id, in: Fixture.app) == package)
    }
}

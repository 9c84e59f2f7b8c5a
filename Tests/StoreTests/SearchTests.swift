import Domain
import Ground
import Store
import Testing

/// Tests the queries over all packages of an app.
@Suite(.databases)
struct SearchTests {
    /// Returns a store with releases 1 to 4: news 1.0.0, shop 1.1.0, news 2.0.0 on beta, and shop 1.1.0 an hour later.
    private func store(_ database: DatabaseKind) async throws -> SQLStore {
        let store = try await database.withNews()
        let shop = Package(
            app: Fixture.app, id: try Fixture.package("shop"), name: "The 100 % Shop", entry: nil, urlPrefix: .root,
            isEnabled: true, priority: 1)
        _ = try await store.putPackage(shop, audit: Fixture.audit("package.put"))
        let beta = try Fixture.channel("beta")
        _ = try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("x"))
        for (seed, (version, package)) in [("1.0.0", "news"), ("1.1.0-RC", "shop"), ("2.0.0", "news")].enumerated() {
            try await store.publish(version, of: package, seed: seed + 1)
        }
        try await store.release("1.0.0")
        try await store.release("1.1.0-RC", of: "shop")
        try await store.release("2.0.0", on: beta)
        try await store.release(
            "1.1.0-RC", of: "shop", at: Fixture.start.adding(milliseconds: 3_600_000))
        return store
    }

    private func ids(_ store: SQLStore, _ query: ReleaseQuery) async throws -> [Int64] {
        try await store.releases(of: Fixture.app, query).map(\.id.value)
    }

    private func query(text: String) -> ReleaseQuery { ReleaseQuery(text: text, limit: 10) }

    @Test(arguments: DatabaseKind.allCases)
    func `releases are found by a part of their package, the beginning of their version, or their number`(
        on database: DatabaseKind
    ) async throws {
        let store = try await store(database)
        #expect(try await ids(store, query(text: "HOP")) == [4, 2])
        #expect(try await ids(store, query(text: "100 %")) == [4, 2])
        #expect(try await ids(store, query(text: "1.")) == [4, 2, 1])
        #expect(try await ids(store, query(text: "1.1.0-rc")) == [4, 2])
        #expect(try await ids(store, query(text: ".0")) == [])
        #expect(try await ids(store, query(text: "#3")) == [3])
        #expect(try await ids(store, query(text: "2")) == [3, 2])
        for text in ["#", "#0", "-1", "_", "%%", "\u{0}", "99999999999999999999"] {
            #expect(try await ids(store, query(text: text)) == [], "\(text)")
        }
        #expect(try await store.releases(of: try #require(AppID("other")), query(text: "1.")) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `releases are found by the beginning of few versions and of many`(on database: DatabaseKind) async throws {
        let store = try await store(database)
        for number in 1...Database.fewVersions { try await store.publish("9.\(number)", of: "shop", seed: number + 10) }
        let last = try await store.release("9.\(Database.fewVersions)", of: "shop")
        #expect(try await ids(store, query(text: "9.")) == [last.id.value])
        #expect(try await ids(store, query(text: "9.\(Database.fewVersions)")) == [last.id.value])
        try await store.publish("9.0", of: "news", seed: 5)
        let more = try await store.release("9.0")
        #expect(try await ids(store, query(text: "9.")) == [more.id.value, last.id.value])
        #expect(try await ids(store, query(text: "9.1")) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `releases are selected by channel, package and state`(on database: DatabaseKind) async throws {
        let store = try await store(database)
        #expect(try await ids(store, ReleaseQuery(channel: try Fixture.channel("beta"), limit: 10)) == [3])
        #expect(try await ids(store, ReleaseQuery(package: try Fixture.package("news"), limit: 10)) == [3, 1])
        #expect(try await ids(store, ReleaseQuery(package: try Fixture.package("none"), limit: 10)) == [])
        var ended = try #require(try await store.releases(of: try Fixture.package("news"), in: Fixture.app).first)
        ended.course = .rolledBack(at: Fixture.start)
        ended.revision += 1
        try await store.changeReleases([ended], steps: [:], audit: Fixture.audit("release.rollback"))
        func found(_ open: [Int64], _ isRolledBack: Bool, notSuperseded: [Int64]? = nil) async throws -> [Int64] {
            let condition = ReleaseStateCondition(
                open: open.map { ReleaseID($0) }, isRolledBack: isRolledBack,
                notSuperseded: notSuperseded?.map { ReleaseID($0) })
            return try await ids(store, ReleaseQuery(state: condition, limit: 10))
        }
        #expect(try await found([3, 4], false) == [4, 3])
        #expect(try await found([], true) == [1])
        #expect(try await found([4], true, notSuperseded: [3, 4]) == [4, 2, 1])
        #expect(try await found([], false, notSuperseded: [3]) == [4, 2])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a page begins behind a position, by number or by activeTime`(on database: DatabaseKind) async throws {
        let store = try await store(database)
        let (start, later) = (Fixture.start, Fixture.start.adding(milliseconds: 3_600_000))
        func page(
            _ order: ReleaseQuery.Order, isDescending: Bool, after: (Timestamp, Int64)?, limit: Int = 2
        ) async throws -> [Int64] {
            try await ids(
                store,
                ReleaseQuery(
                    order: order, isDescending: isDescending,
                    after: after.map { .init(key: $0.0.milliseconds, id: ReleaseID($0.1)) }, limit: limit))
        }
        #expect(try await page(.id, isDescending: true, after: nil) == [4, 3])
        #expect(try await page(.id, isDescending: true, after: (start, 3)) == [2, 1])
        #expect(try await page(.id, isDescending: false, after: (start, 3)) == [4])
        #expect(try await page(.activeTime, isDescending: false, after: nil, limit: 4) == [1, 2, 3, 4])
        #expect(try await page(.activeTime, isDescending: true, after: (later, 4)) == [3, 2])
        #expect(try await page(.activeTime, isDescending: true, after: (later, 4), limit: 0) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `versions are found by their beginning, the newest first`(on database: DatabaseKind) async throws {
        let store = try await store(database)
        func found(_ prefix: String, limit: Int = 10) async throws -> [String] {
            try await store.versions(beginningWith: prefix, in: Fixture.app, limit: limit).map {
                "\($0.package)@\($0.version)"
            }
        }
        #expect(try await found("") == ["news@2.0.0", "shop@1.1.0-RC", "news@1.0.0"])
        #expect(try await found("1.") == ["shop@1.1.0-RC", "news@1.0.0"])
        #expect(try await found("1.", limit: 1) == ["shop@1.1.0-RC"])
        #expect(try await found("1.1.0-rc") == ["shop@1.1.0-RC"])
        for prefix in ["0", "1_", "1.1.0-RCx", "\u{0}"] { #expect(try await found(prefix) == []) }
        #expect(try await store.versions(beginningWith: "1", in: try #require(AppID("other")), limit: 10) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `versions of packages are counted, with the time of the last one`(on database: DatabaseKind) async throws {
        let store = try await store(database)
        let (news, shop) = (try Fixture.package("news"), try Fixture.package("shop"))
        let counts = try await store.publishedCounts(of: [news, shop, try Fixture.package("none")], in: Fixture.app)
        #expect(counts.mapValues(\.versions) == [news: 2, shop: 1])
        let last = try await store.versions(beginningWith: "2", in: Fixture.app, limit: 1).first?.publishedAt
        #expect(counts[news]?.lastPublishedAt == last && last != nil)
        #expect(try await store.publishedCounts(of: [shop], in: Fixture.app).count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `packages are selected by their ids, and by an instant at which they are online`(
        on database: DatabaseKind
    ) async throws {
        let store = try await store(database)
        let (news, shop) = (try Fixture.package("news"), try Fixture.package("shop"))
        func found(among: [PackageID]? = nil, onlineAt: Timestamp? = nil) async throws -> [PackageID] {
            try await store.packages(of: Fixture.app, PackageQuery(limit: 10, among: among, onlineAt: onlineAt)).map(
                \.id)
        }
        #expect(try await found() == [news, shop])
        #expect(try await found(among: [shop]) == [shop])
        #expect(try await found(among: []) == [])
        var package = try #require(try await store.package(news, in: Fixture.app))
        package.onlineUntil = Fixture.start
        _ = try await store.putPackage(package, audit: Fixture.audit("package.put"))
        #expect(try await found(onlineAt: Fixture.start.adding(milliseconds: -1)) == [news])
        #expect(try await found(onlineAt: Fixture.start) == [])
        #expect(try await store.packages(of: Fixture.app, PackageQuery(text: "\u{0}", limit: 10)) == [])
    }
}

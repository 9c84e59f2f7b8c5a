import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct ReleaseSetsTests {
    let now = Fixture.start
    let later = Fixture.start.adding(milliseconds: 3_600_000)

    /// Returns a store with `news` and `common`, both published as 1.0.0 and 2.0.0.
    private func ready(on database: DatabaseKind) async throws -> SQLStore {
        let store = try await database.withNews()
        _ = try await store.putPackage(Fixture.newsPackage("common"), audit: Fixture.audit("package.put"))
        for (index, version) in ["1.0.0", "2.0.0"].enumerated() {
            try await store.publish(version, seed: index * 2 + 1)
            try await store.publish(version, of: "common", seed: index * 2 + 2)
        }
        return store
    }

    private func drafts(_ version: String, at activeTime: Timestamp? = nil) throws -> [ReleaseDraft] {
        try ["common", "news"].map { try Fixture.draft(version, of: $0, at: activeTime) }
    }

    @discardableResult
    private func make(
        _ store: SQLStore, _ version: String, at activeTime: Timestamp? = nil, takingBack ended: [Release] = []
    ) async throws -> ReleaseGroup {
        let request = ReleaseRequest(drafts: try drafts(version, at: activeTime), isSet: true, takingBack: ended)
        let made = try await store.makeReleases(
            request, patches: [], blobs: [], audit: Fixture.audit("release-set.make"))
        return try #require(ReleaseGroup(setOf: made))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a set is made with one rank, free in each package, and an event of each`(
        on database: DatabaseKind
    ) async throws {
        let store = try await ready(on: database)
        let own = try await store.release("1.0.0")
        let set = try await make(store, "2.0.0")
        #expect(set.members.map(\.package.text) == ["common", "news"])
        #expect(set.members.map(\.rank) == [Rank(own.rank.value + 1000), Rank(own.rank.value + 1000)])
        #expect(set.members.allSatisfy { $0.activeTime == now && $0.createdAt == now && $0.revision == 1 })
        let two = try Fixture.version("2.0.0")
        let versions = [try Fixture.package("common"): two, try Fixture.package("news"): two]
        #expect(
            set.members.map(\.set)
                == [SetMembership](repeating: .init(id: set.number, versions: versions, isPlain: true), count: 2))
        #expect(
            try await store.events(of: Fixture.app, last: 2).map(\.subject)
                == versions.keys.sorted().map { .activated($0, .production, two) })
        #expect(try await store.audit(before: nil, limit: 10).count { $0.entry.action == "release-set.make" } == 1)
        #expect(try await store.releases(ofSet: set.number, in: Fixture.app) == set.members)
        #expect(try await store.releases(ofSet: nil, in: Fixture.app) == set.members)
        #expect(try await store.releases(ofSet: ReleaseSetID(99), in: Fixture.app) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `no release of a set is made or announced if one cannot be made`(on database: DatabaseKind) async throws {
        let store = try await ready(on: database)
        let wrong = try drafts("2.0.0") + [Fixture.draft("9.0.0", of: "news")]
        let error = try await code {
            _ = try await store.makeReleases(
                ReleaseRequest(drafts: wrong, isSet: true, takingBack: []), patches: [], blobs: [],
                audit: Fixture.audit("release-set.make"))
        }
        #expect(error == .versionNotFound)
        #expect(try await store.releases(ofSet: nil, in: Fixture.app) == [])
        #expect(try await store.events(of: Fixture.app, last: 10).count { $0.package?.text == "common" } == 1)
        #expect(try await store.audit(before: nil, limit: 10).allSatisfy { $0.entry.action != "release-set.make" })
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a scheduled set is activated at one time`(on database: DatabaseKind) async throws {
        let store = try await ready(on: database)
        let set = try await make(store, "2.0.0", at: later)
        try await store.recordActivations(of: Fixture.app, upTo: later.adding(milliseconds: -1))
        let before = try await store.events(of: Fixture.app, last: 100)
        try await store.recordActivations(of: Fixture.app, upTo: later)
        let events = try await store.events(of: Fixture.app, last: 100).dropFirst(before.count)
        #expect(events.map(\.subject) == set.members.map { .activated($0.package, .production, $0.version) })
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a change of a whole set is written, unless one of its releases has changed meanwhile`(
        on database: DatabaseKind
    ) async throws {
        let store = try await ready(on: database)
        let set = try await make(store, "2.0.0")
        let halted = try set.applying(.halt, in: .active, at: now)
        try await store.changeReleases(halted.members, audit: Fixture.audit("release-set.halt"))
        #expect(try await store.releases(ofSet: set.number, in: Fixture.app) == halted.members)
        let resumed = try halted.applying(.resume, in: .halted, at: now)
        let mixed = [resumed.members[0], halted.members[1]]
        #expect(try await code { try await store.changeReleases(mixed, audit: Fixture.audit("x")) } == .conflict)
        #expect(try await store.releases(ofSet: set.number, in: Fixture.app) == halted.members)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `taking a set back ends its releases and begins others right above`(on database: DatabaseKind) async throws {
        let store = try await ready(on: database)
        let set = try await make(store, "2.0.0")
        let ended = try set.applying(.rollBack, in: .active, at: now)
        let begun = try await make(store, "1.0.0", takingBack: ended.members)
        #expect(begun.members.map(\.rank.value) == set.members.map { $0.rank.value + 1 })
        #expect(try await store.releases(ofSet: set.number, in: Fixture.app).allSatisfy(\.hasEnded))
        // The members have ended, so they cannot be taken back again.
        #expect(try await code { try await make(store, "1.0.0", takingBack: ended.members) } == .conflict)
        #expect(try await store.releases(ofSet: nil, in: Fixture.app).count == 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a set is not plain if a package is disabled or a version has requirements`(
        on database: DatabaseKind
    ) async throws {
        let store = try await ready(on: database)
        var dependent = try Fixture.publishing("3.0.0", seed: 9)
        let own = dependent.version
        dependent.version = Version(
            app: own.app, package: own.package, version: own.version, tree: own.tree, treeHash: own.treeHash,
            entry: own.entry, urlPrefix: own.urlPrefix, uploaded: own.uploaded,
            requirements: VersionRequirements(apis: ["scan"]), createdAt: own.createdAt)
        try await store.publish(dependent)
        try await store.publish("3.0.0", of: "common", seed: 10)
        let plain = try await make(store, "2.0.0")
        #expect(try await make(store, "3.0.0").members.allSatisfy { $0.set?.isPlain == false })
        func isPlain() async throws -> [Bool?] {
            try await store.releases(ofSet: plain.number, in: Fixture.app).map { $0.set?.isPlain }
        }
        #expect(try await isPlain() == [true, true])
        var common = try Fixture.newsPackage("common")
        common.isEnabled = false
        _ = try await store.putPackage(common, audit: Fixture.audit("package.put"))
        #expect(try await isPlain() == [false, false])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the past state of a set stays readable`(on database: DatabaseKind) async throws {
        let store = try await ready(on: database)
        let set = try await make(store, "2.0.0")
        let halted = try set.applying(.halt, in: .active, at: later)
        try await store.changeReleases(halted.members, audit: Fixture.audit("release-set.halt", at: later))
        let news = try Fixture.package("news")
        let before = try await store.state(of: Fixture.app, asOf: later.adding(milliseconds: -1)).releases[news]
        #expect(before?.map(\.isHalted) == [false] && before?.first?.set == set.members[1].set)
        #expect(try await store.state(of: Fixture.app, asOf: later).releases[news]?.map(\.isHalted) == [true])
    }
}

extension ReleaseGroup {
    /// The number of the set.
    fileprivate var number: ReleaseSetID { members[0].set?.id ?? .unassigned }
}

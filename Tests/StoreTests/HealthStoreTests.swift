import Domain
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchMemory, .databases)
struct HealthStoreTests {
    private let policy = HealthPolicy(
        devices: 60, rules: [HealthRule(metric: .crashes, ceiling: BasisPoints(250), aboveControl: 10, action: .pause)])
    private let trip = HealthWatch.Trip(action: .rollBack)

    /// Returns a store with a release, and its id.
    private func store(on database: DatabaseKind) async throws -> (SQLStore, ReleaseID) {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        return (store, try await store.release("1.0.0").id)
    }

    private func watch(_ number: Int, trip: HealthWatch.Trip? = nil) -> HealthWatch {
        HealthWatch(
            number: number, since: Fixture.start, trip: trip,
            verdict: .object(["note": "\u{E9}", "share": .number("0.50")]))
    }

    private func entries(_ store: SQLStore) async throws -> Int {
        try await store.audit(before: nil, limit: 100).filter { $0.entry.action == "release.unhealthy" }.count
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a watch is read as it was written, and replaced`(on database: DatabaseKind) async throws {
        let (store, id) = try await store(on: database)
        #expect(try await store.healthWatches(of: [id]).isEmpty)
        let stopped = HealthWatch.Trip(action: .pause, wasStopped: true)
        for watch in [watch(1), watch(2), watch(2, trip: stopped), watch(2, trip: trip)] {
            try await store.setHealthWatch(watch, of: id, audit: nil)
            #expect(try await store.healthWatches(of: [id, ReleaseID(99)]) == [id: watch])
        }
        #expect(try await store.healthWatches(of: []).isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a rule trips once in a watch, with its audit entry`(on database: DatabaseKind) async throws {
        let (store, id) = try await store(on: database)
        let audit = Fixture.audit("release.unhealthy")
        try await store.setHealthWatch(watch(1, trip: trip), of: id, audit: audit)
        for other in [watch(1, trip: trip), watch(1)] {
            #expect(try await code { try await store.setHealthWatch(other, of: id, audit: audit) } == .conflict)
        }
        #expect(try await entries(store) == 1)
        #expect(try await store.healthWatches(of: [id])[id]?.trip == trip)
        // A stronger action replaces a weaker one.
        let ranks = [HealthAction.pause, .halt, .rollBack].map { HealthWatch.Trip(action: $0) }
        for (next, stronger) in ranks.dropFirst().enumerated() where stronger.action > trip.action {
            try await store.setHealthWatch(watch(1, trip: stronger), of: id, audit: nil)
            #expect(
                try await code { try await store.setHealthWatch(watch(1, trip: ranks[next]), of: id, audit: nil) }
                    == .conflict)
        }
        try await store.setHealthWatch(watch(2), of: id, audit: nil)
        #expect(try await code { try await store.setHealthWatch(watch(1), of: id, audit: nil) } == .conflict)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a change that stops a release is recorded in its trip, and other rules end the trip`(
        on database: DatabaseKind
    ) async throws {
        let (store, id) = try await store(on: database)
        func change(_ change: (Release) throws -> Release) async throws -> HealthWatch.Trip? {
            let release = try #require(try await store.releases(of: Fixture.package("news"), in: Fixture.app).first)
            try await store.changeReleases([change(release)], audit: Fixture.audit("release.change"))
            return try await store.healthWatches(of: [id])[id]?.trip
        }
        func apply(_ action: ReleaseAction, in state: ReleaseState) async throws -> HealthWatch.Trip? {
            try await change { try $0.applying(action, in: state, at: Fixture.start) }
        }
        try await store.setHealthWatch(watch(1, trip: HealthWatch.Trip(action: .pause)), of: id, audit: nil)
        #expect(try await change { try $0.judged(by: policy, at: Fixture.start) } == nil)
        try await store.setHealthWatch(watch(1, trip: trip), of: id, audit: nil)
        #expect(try await apply(.complete, in: .active) == trip)
        let stopped = HealthWatch.Trip(action: .rollBack, wasStopped: true)
        #expect(try await apply(.halt, in: .completed) == stopped)
        #expect(try await apply(.resume, in: .halted) == stopped)
        #expect(try await change { try $0.judged(by: nil, at: Fixture.start) } == stopped)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the devices at a plan step are stored with the step, and replace those of the one before`(
        on database: DatabaseKind
    ) async throws {
        let (store, id) = try await store(on: database)
        #expect(try await store.healthStep(of: id) == nil)
        for devices: [UInt64] in [[1, 2], [2, 3, 4]] {
            var release = try #require(try await store.releases(of: Fixture.package("news"), in: Fixture.app).first)
            release.revision += 1
            let step = HealthStep(DeviceSketch(devices))
            try await store.changeReleases([release], steps: [id: step], audit: Fixture.audit("release.advance"))
            #expect(try await store.healthStep(of: id) == step)
            // Of another revision.
            let code = try await code {
                try await store.changeReleases(
                    [release], steps: [id: HealthStep(DeviceSketch())], audit: Fixture.audit("release.advance"))
            }
            #expect(code == .conflict)
            #expect(try await store.healthStep(of: id) == step)
        }
        // A later watch does not concern them.
        try await store.setHealthWatch(watch(2), of: id, audit: nil)
        #expect(try await store.healthStep(of: id)?.count == 3)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the rules of a release are stored with its terms, and change with it`(on database: DatabaseKind) async throws
    {
        let (store, id) = try await store(on: database)
        let release = try #require(try await store.releases(of: Fixture.package("news"), in: Fixture.app).first)
        let judged = try release.judged(by: policy, at: Fixture.start)
        try await store.changeReleases([judged], audit: Fixture.audit("release.health"))
        let stored = try #require(try await store.releases(of: Fixture.package("news"), in: Fixture.app).first)
        #expect(stored.terms.health == policy && stored.id == id && stored.revision == 2)
        let free = try stored.judged(by: nil, at: Fixture.start)
        try await store.changeReleases([free], audit: Fixture.audit("release.health"))
        #expect(try await store.releases(of: Fixture.package("news"), in: Fixture.app).first?.terms == release.terms)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `dropping the audience rules is stored, and the state before has them`(on database: DatabaseKind) async throws
    {
        let store = try await database.withNews()
        _ = try await store.publish("1.0.0", seed: 1)
        let news = try Fixture.package("news")
        var terms = try Fixture.terms()
        terms.audience.rules = [AudienceRule(.region, .isIn(["CN"]))]
        terms.rollout = Rollout(
            percent: .none,
            steps: [.init(percent: .all, after: 0), .init(percent: .all, after: 7, isWithoutRules: true)])
        let draft = ReleaseDraft(
            app: Fixture.app, package: news, channel: .production, version: try Fixture.version("1.0.0"), terms: terms,
            activeTime: nil)
        _ = try await store.makeReleases(
            ReleaseRequest(draft), patches: [], blobs: [], audit: Fixture.audit("release.make"))
        let release = try #require(try await store.releases(of: news, in: Fixture.app).first)
        #expect(release.terms == terms)
        let later = release.activeTime.adding(milliseconds: 5)
        let dropped = try release.applying(.widen(nil, withoutRules: true), in: .active, at: later)
        try await store.changeReleases([dropped], audit: Fixture.audit("release.widen", at: later))
        #expect(try await store.releases(of: news, in: Fixture.app).first?.terms == dropped.terms)
        let before = try await store.state(of: Fixture.app, asOf: later.adding(milliseconds: -1)).releases[news]
        #expect(before?.map(\.terms) == [release.terms])
        #expect(try await store.state(of: Fixture.app, asOf: later).releases[news]?.map(\.terms) == [dropped.terms])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an app has rules for its new releases`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        #expect(try await store.defaultHealth(of: Fixture.app) == nil)
        try await store.setDefaultHealth(policy, of: Fixture.app, audit: Fixture.audit("app.health"))
        #expect(try await store.defaultHealth(of: Fixture.app) == policy)
        try await store.setDefaultHealth(nil, of: Fixture.app, audit: Fixture.audit("app.health"))
        #expect(try await store.defaultHealth(of: Fixture.app) == nil)
        let other = try #require(AppID("other"))
        #expect(
            try await code {
                try await store.setDefaultHealth(policy, of: other, audit: Fixture.audit("app.health", app: other))
            } == .appNotFound)
    }
}

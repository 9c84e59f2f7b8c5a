import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct StateTests {
    @Test(arguments: DatabaseKind.allCases)
    func `two builds whose names are two forms of one count as one, with the APIs that both have`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        for (name, apis) in [("8.3-\u{E9}", ["camera", "share"]), ("8.3-e\u{301}", ["camera", "nfc"])] {
            let build = try #require(HostBuild(appVersion: name, apis: apis))
            try await store.putBuild(build, of: Fixture.app, audit: Fixture.audit("build.put"))
        }
        #expect(try await store.builds(of: Fixture.app).count == 2)
        #expect(try await store.state(of: Fixture.app).builds == ["8.3-\u{E9}": ["camera"]])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the state names what was released, with archives and signatures`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        let new = try await store.publish("1.1.0", seed: 2)
        try await store.publish("1.2.0", seed: 3)
        try await store.release("1.0.0")
        let patch = try Fixture.patch(from: "1.0.0", to: "1.1.0", seed: 30)
        let before = try await store.state(of: Fixture.app).configVersion
        let made = try await store.release("1.1.0", patches: [patch])

        let state = try await store.state(of: Fixture.app)
        let package = try Fixture.package("news")
        #expect(state.app == Fixture.app)
        #expect(state.packages == [try Fixture.newsPackage()])
        #expect(state.releases[package]?.map(\.version.text) == ["1.0.0", "1.1.0"])
        #expect(state.releases[package]?.last == made)
        // The old version is offered to no device any more.
        #expect(
            state.versions[package] == [
                new.version.version: ReleasedVersion(
                    version: new.version.version, entry: new.version.entry, urlPrefix: new.version.urlPrefix,
                    full: new.full, patches: [patch.signed])
            ])
        #expect(state.sequence == 3)
        #expect(state.configVersion == before + 1)
        #expect(state.lastActivation == Fixture.start)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the requested bases of a version are read, the last one first`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        for (seed, version) in ["1", "2", "3", "4"].enumerated() {
            try await store.publish(version, seed: seed)
            try await store.release(version)
        }
        let package = try Fixture.package("news")
        let target = try Fixture.version("4")
        func request(_ base: String) throws -> PatchRequest {
            let pair = VersionPair(base: try Fixture.version(base), target: target)
            return PatchRequest(app: Fixture.app, package: package, pair: pair)
        }
        func instant(_ milliseconds: Int64) -> Timestamp { Fixture.start.adding(milliseconds: milliseconds) }
        func bases() async throws -> [String]? {
            try await store.state(of: Fixture.app).versions[package]?[target]?.demand.bases.map(\.version.text)
        }
        let patch = try Fixture.patch(from: "1", to: "4", seed: 30)
        let before = try await store.state(of: Fixture.app).configVersion
        try await store.addDemand(request("1"), patch: patch.signed, at: instant(1))
        try await store.addDemand(request("2"), patch: nil, at: instant(2))
        let state = try await store.state(of: Fixture.app)
        #expect(state.versions[package]?[target]?.patches == [patch.signed])
        #expect(state.configVersion == before + 2)
        #expect(try await bases() == ["2", "1"])
        // Requests that were never made are not added.
        try await store.renewDemand([request("1"), request("3"), request("9")], at: instant(3))
        #expect(try await bases() == ["1", "2"])
        #expect(try await store.state(of: Fixture.app).configVersion == before + 2)
        #expect(
            try await code { try await store.addDemand(request("9"), patch: nil, at: instant(4)) } == .versionNotFound)
        // A time of a clock that was ahead does not stay first.
        try await store.renewDemand([request("2")], at: instant(1_000))
        try await store.addDemand(request("1"), patch: nil, at: instant(5))
        #expect(try await bases() == ["1", "2"])
    }

    @Test(arguments: [(DatabaseKind.sqlite, 1000), (.postgresql, 200)])
    func `hundreds of packages with releases are read whole`(on database: DatabaseKind, count: Int) async throws {
        let store = try database.empty()
        _ = try await store.createApp(Fixture.app, keys: Fixture.keys(), audit: Fixture.audit("app.create"))
        for number in 0..<count {
            let id = "p\(number)"
            _ = try await store.putPackage(Fixture.newsPackage(id), audit: Fixture.audit("package.put"))
            try await store.publish("1", of: id, seed: number)
            try await store.release("1", of: id)
        }
        let state = try await store.state(of: Fixture.app)
        #expect(state.packages.count == count)
        #expect(state.releases.values.allSatisfy { $0.count == 1 })
        let version = try Fixture.version("1")
        for number in [0, count / 2, count - 1] {
            let released = state.versions[try Fixture.package("p\(number)")]?[version]
            #expect(released?.full == (try Fixture.publishing("1", of: "p\(number)", seed: number)).full)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the last events come oldest first`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.release("1.0.0", at: Fixture.start.adding(milliseconds: 1000))
        try await store.addKey(Fixture.key(.signing, 4), audit: Fixture.audit("key.make"))
        let package = try Fixture.package("news")
        let events = try await store.events(of: Fixture.app, last: 2)
        #expect(events.map(\.sequence) == [2, 3])
        #expect(
            events.map(\.subject) == [
                .scheduled(package, .production, try Fixture.version("1.0.0")), .keysChanged,
            ])
        #expect(try await store.events(of: Fixture.app, last: 0).isEmpty)
        #expect(try await store.events(of: Fixture.app, last: 99).count == 3)
        #expect(try await store.events(of: try #require(AppID("other")), last: 9).isEmpty)
    }
}

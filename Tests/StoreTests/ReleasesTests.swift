import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct ReleasesTests {
    let now = Fixture.start
    let later = Fixture.start.adding(milliseconds: 3_600_000)

    @Test(arguments: DatabaseKind.allCases)
    func `an immediate release is active and announced`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        let made = try await store.release("1.0.0", isMandatory: true)
        let package = try Fixture.package("news")
        let version = try Fixture.version("1.0.0")
        #expect(
            made
                == Release(
                    id: made.id, app: Fixture.app, package: package, channel: .production, version: version,
                    terms: try Fixture.terms(isMandatory: true), activeTime: now, createdAt: now,
                    rank: Rank(now.milliseconds * 1000)))
        #expect(
            try await store.events(of: Fixture.app, last: 1).map(\.subject) == [
                .activated(package, .production, version)
            ])
        #expect(try await store.releases(of: package, in: Fixture.app) == [made])
        let state = try await store.state(of: Fixture.app)
        try await store.recordActivations(of: Fixture.app, upTo: later)
        try await expectUntouched(store, since: state)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a release for the time at which it is made is active`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.release("1.0.0", at: now)
        let subject = try await store.events(of: Fixture.app, last: 1).first?.subject
        #expect(subject == .activated(try Fixture.package("news"), .production, try Fixture.version("1.0.0")))
        try await store.release("1.0.0", at: now.adding(milliseconds: 1))
        let next = try await store.events(of: Fixture.app, last: 1).first?.subject
        #expect(next == .scheduled(try Fixture.package("news"), .production, try Fixture.version("1.0.0")))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `ranks are unique in their package and channel`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        let ranks = [
            try await store.release("1.0.0").rank.value,
            try await store.release("1.0.0", at: later).rank.value,
            try await store.release("1.0.0").rank.value,
            try await store.release("1.0.0", at: now.adding(milliseconds: -5)).rank.value,
            try await store.release("1.0.0", at: later).rank.value,
        ]
        let first = now.milliseconds * 1000
        let second = later.milliseconds * 1000
        #expect(ranks == [first, second, first + 1000, first + 2000, second + 1000])

        let beta = try Fixture.channel("beta")
        _ = try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("x"))
        #expect(try await store.release("1.0.0", on: beta).rank.value == first)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a release needs its channel and its version`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        let beta = try Fixture.channel("beta")
        #expect(try await code { try await store.release("1.0.0", on: beta) } == .channelNotFound)
        #expect(try await code { try await store.release("1.0.1") } == .versionNotFound)
        #expect(try await code { try await store.release("1.0.0", of: "other") } == .versionNotFound)
        #expect(try await store.events(of: Fixture.app, last: 10).count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `activations are announced once, in the order of their times`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("1.1.0", seed: 2)
        try await store.release("1.1.0", at: later.adding(milliseconds: 1))
        try await store.release("1.0.0", at: later)
        let before = try await store.state(of: Fixture.app)
        try await store.recordActivations(of: Fixture.app, upTo: later.adding(milliseconds: -1))
        try await expectUntouched(store, since: before)
        #expect(before.lastActivation == nil)

        try await store.recordActivations(of: Fixture.app, upTo: later.adding(milliseconds: 1))
        let package = try Fixture.package("news")
        let events = try await store.events(of: Fixture.app, last: 2)
        #expect(
            events.map(\.subject) == [
                .activated(package, .production, try Fixture.version("1.0.0")),
                .activated(package, .production, try Fixture.version("1.1.0")),
            ])
        #expect(events.map(\.sequence) == [before.sequence + 1, before.sequence + 2])
        let after = try await store.state(of: Fixture.app)
        #expect(after.configVersion > before.configVersion)
        #expect(after.lastActivation == later.adding(milliseconds: 1))

        try await store.recordActivations(of: Fixture.app, upTo: later.adding(milliseconds: 9))
        try await expectUntouched(store, since: after)
    }

    /// Checks that no event was appended, no activation recorded, and no config version drawn.
    private func expectUntouched(
        _ store: SQLStore, since before: AppState, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let after = try await store.state(of: Fixture.app)
        #expect(after.sequence == before.sequence, sourceLocation: sourceLocation)
        #expect(after.configVersion == before.configVersion, sourceLocation: sourceLocation)
        #expect(after.lastActivation == before.lastActivation, sourceLocation: sourceLocation)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `archives come with the release that needs them, and are never made twice`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        try await store.publish("1.1.0", seed: 2)
        try await store.release("1.0.0")
        let patch = try Fixture.patch(from: "1.0.0", to: "1.1.0", seed: 30)
        try await store.release("1.1.0", patches: [patch])
        let package = try Fixture.package("news")
        let target = [try Fixture.version("1.1.0"), try Fixture.version("9")]
        #expect(
            try await store.patches(to: target, of: package, in: Fixture.app) == [patch.signed.artifact])
        #expect(try await store.blobs().contains(patch.blob.digest))

        // Rebuilt by another recipe: devices may be in the middle of downloading the first one.
        try await store.release("1.1.0", patches: [try Fixture.patch(from: "1.0.0", to: "1.1.0", seed: 31)])
        #expect(
            try await store.patches(to: target, of: package, in: Fixture.app) == [patch.signed.artifact])
        #expect(try await store.patches(to: [], of: package, in: Fixture.app).isEmpty)
        #expect(
            try await store.patches(to: [try Fixture.version("1.0.0")], of: package, in: Fixture.app).isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a dry run gives a release the number that the release gets`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        func make(isRehearsal: Bool) async throws -> ReleaseID? {
            let audit = AuditEntry(
                time: now, actor: "token 1", action: "release.make", app: Fixture.app, subject: "news",
                isRehearsal: isRehearsal)
            let made = try await store.makeReleases(
                ReleaseRequest(Fixture.draft("1.0.0")), patches: [], blobs: [], audit: audit)
            return made.first?.id
        }
        let rehearsed = try await make(isRehearsal: true)
        #expect(try await store.releases(of: Fixture.package("news"), in: Fixture.app).isEmpty)
        #expect(try await make(isRehearsal: false) == rehearsed)
        #expect(rehearsed == ReleaseID(1))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an archive from an unknown base undoes the release`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.publish("1.1.0", seed: 2)
        let patch = try Fixture.patch(from: "1.0.0", to: "1.1.0", seed: 30)
        #expect(try await code { try await store.release("1.1.0", patches: [patch]) } == .versionNotFound)
        #expect(try await store.releases(of: try Fixture.package("news"), in: Fixture.app).isEmpty)
        #expect(try await store.blobs().contains(patch.blob.digest) == false)
    }
}

import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct AppsTests {
    @Test(arguments: DatabaseKind.allCases)
    func `an app is made once, with its keys and the channel production`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let audit = Fixture.audit("app.create")
        #expect(try await store.createApp(Fixture.app, keys: Fixture.keys(), audit: audit))
        #expect(try await store.createApp(Fixture.app, keys: [], audit: audit) == false)
        #expect(try await store.apps() == [Fixture.app])
        #expect(try await store.keys(of: Fixture.app) == Fixture.keys())
        #expect(try await store.state(of: Fixture.app).channels == [.production])
        #expect(try await store.audit(before: nil, limit: 10).map(\.entry) == [audit])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `apps come in the order of their ids`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        for text in ["zoo", "abc", "0"] {
            let app = try #require(AppID(text))
            _ = try await store.createApp(app, keys: [], audit: Fixture.audit("app.create", app: app))
        }
        #expect(try await store.apps().map(\.text) == ["0", "abc", "zoo"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a channel is declared once`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let beta = try Fixture.channel("beta")
        let before = try await store.state(of: Fixture.app).configVersion
        #expect(try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("channel.declare")))
        let after = try await store.state(of: Fixture.app)
        #expect(after.channels == [.production, beta])
        #expect(after.configVersion > before)
        #expect(try await store.declareChannel(beta, of: Fixture.app, audit: Fixture.audit("x")) == false)
        #expect(try await store.audit(before: nil, limit: 1).map(\.entry.action) == ["channel.declare"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `operations on an unknown app are refused`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let beta = try Fixture.channel("beta")
        let audit = Fixture.audit("x")
        #expect(
            try await code { _ = try await store.declareChannel(beta, of: Fixture.app, audit: audit) } == .appNotFound)
        #expect(try await code { _ = try await store.state(of: Fixture.app) } == .appNotFound)
        #expect(
            try await code { try await store.drawConfigVersion(of: Fixture.app, at: Fixture.start) }
                == .appNotFound)
        #expect(try await code { _ = try await store.putPackage(Fixture.newsPackage(), audit: audit) } == .appNotFound)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `config versions grow with the clock, and also against it`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let later = Fixture.start.adding(milliseconds: 60_000)
        try await store.drawConfigVersion(of: Fixture.app, at: later)
        #expect(try await store.state(of: Fixture.app).configVersion == later.milliseconds)
        try await store.drawConfigVersion(of: Fixture.app, at: Fixture.start)
        #expect(try await store.state(of: Fixture.app).configVersion == later.milliseconds + 1)
        #expect(try await store.state(of: Fixture.app).configVersion == later.milliseconds + 1)
    }
}

import Domain
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct CatalogueTests {
    private let shop: AppID

    init() throws {
        shop = try #require(AppID("shop"))
    }

    @Test func `an app has its first keys and a channel from the beginning`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        #expect(try await service.catalogue.createApp(shop, by: .server))
        #expect(try await !service.catalogue.createApp(shop, by: .server))
        let app = try service.live.requireApp(shop)
        #expect(app.view(of: .production)?.entries.isEmpty == true)
        let keys = try await service.store.keys(of: shop)
        #expect(keys.map(\.purpose) == [.root, .signing])
        #expect(keys.allSatisfy { $0.privateKey?.count == 32 && $0.publicKey.count == 32 })
        let own = try await service.store.keys(of: .default)
        #expect(Set(own.map(\.id)).isDisjoint(with: keys.map(\.id)))
    }

    @Test func `an app that many create at once is made once`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let shop = shop
        let made = try await withThrowingTaskGroup(of: (Bool, ObjectIdentifier).self) { group in
            for _ in 1...8 {
                group.addTask {
                    let isNew = try await service.catalogue.createApp(shop, by: .server)
                    return (isNew, ObjectIdentifier(try service.live.requireApp(shop)))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.count { $0.0 } == 1)
        #expect(Set(made.map(\.1)).count == 1)
    }

    @Test func `an app that was made but not seen is seen when it is made again`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        service.store.setBefore(.state) { () throws(PlatformError) in throw storeFailure }
        let shop = shop
        #expect(try await code { _ = try await service.catalogue.createApp(shop, by: .server) } == .storageFailed)
        #expect(service.live.app(shop) == nil)
        service.store.setBefore(.state, nil)
        _ = try await service.catalogue.createApp(shop, by: .server)
        #expect(service.live.app(shop) != nil)
    }

    @Test func `a declared channel has responses at once`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let beta = try #require(ChannelName("beta"))
        let app = try service.app
        #expect(app.view(of: beta) == nil)
        let version = try service.view().configVersion
        #expect(try await service.catalogue.declareChannel(beta, of: app, by: .server))
        #expect(try await !service.catalogue.declareChannel(beta, of: app, by: .server))
        #expect(app.view(of: beta)?.entries.isEmpty == true)
        #expect(try service.view().configVersion == version + 1)
    }

    @Test func `a new package has defaults, and a change touches what it names alone`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let app = try service.app
        let id = try #require(PackageID("news"))
        let made = try await service.catalogue.putPackage(id, .init(), of: app, by: .server)
        #expect(made.isNew)
        #expect(
            made.package
                == Package(
                    app: .default, id: id, name: "news", entry: .index, urlPrefix: .root, isEnabled: true, priority: 999
                ))
        let named = try await service.catalogue.putPackage(id, .init(name: "News", priority: 3), of: app, by: .server)
        let without = try await service.catalogue.putPackage(
            id, .init(entry: .some(nil), isEnabled: false), of: app, by: .server)
        #expect(!named.isNew && !without.isNew)
        #expect(
            without.package
                == Package(
                    app: .default, id: id, name: "News", entry: nil, urlPrefix: .root, isEnabled: false, priority: 3))
        #expect(try await service.catalogue.packages(of: app) == [without.package])
        #expect(try await service.catalogue.requirePackage(id, of: app) == without.package)
    }

    @Test func `settings that are equal to the current ones change nothing`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        try await service.putPackage("news", .init(name: "News"))
        let view = try service.view()
        let observer = RecordingObserver()
        service.live.observe(observer)
        try await service.putPackage("news", .init(name: "News"))
        #expect(try service.view().configVersion == view.configVersion)
        #expect(try service.view().cursor == view.cursor)
        #expect(observer.events.isEmpty)
    }

    @Test func `package ids that differ in case alone are one name`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        try await service.putPackage("news")
        #expect(try await code { try await service.putPackage("News") } == .nameTaken)
        let other = try #require(PackageID("News"))
        let app = try service.app
        #expect(
            try await code { _ = try await service.catalogue.requirePackage(other, of: app) } == .packageNotFound)
    }

    @Test func `changes of one app happen one after the other`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let observer = RecordingObserver()
        service.live.observe(observer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 { group.addTask { try await service.putPackage("p\(number)") } }
            try await group.waitForAll()
        }
        #expect(observer.events.map(\.sequence) == Array(1...30))
        #expect(try service.view().cursor.sequence == 30)
        #expect(try service.app.log.events == observer.events)
    }

    @Test func `a service that is no longer used frees its store`() async throws {
        func use() async throws -> Reference {
            let service = try await TestService()
            try await service.ship("1.0.0")
            let response = try await service.get("/config")
            #expect(response.status == 200)
            return Reference(object: service.store)
        }
        let store = try await use()
        // The last job of a pool may still hold the store for a moment.
        var attempts = 0
        while store.object != nil, attempts < 1_000 {
            await Task.yield()
            attempts += 1
        }
        #expect(store.object == nil)
    }

    private struct Reference: Sendable {
        weak let object: HookedStore?
    }
}

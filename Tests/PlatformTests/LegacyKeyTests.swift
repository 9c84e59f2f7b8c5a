import Artifacts
import Domain
import Execution
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct LegacyKeyTests {
    private let cryptography = OpenSSLCryptography()

    private func legacy(_ service: TestService) async throws -> AppKey? {
        try await service.store.keys(of: .default).first { $0.purpose == .legacy }
    }

    /// Returns the private keys that verify one of the current full archive's legacy signatures.
    private func signers(_ service: TestService, among pairs: [LegacyPair]) throws -> [Int] {
        let full = try #require(try service.entry()?.current?.version.full)
        let signatures = full.signatures.filter { $0.purpose == .legacy }
        return try pairs.indices.filter { index in
            try signatures.contains { signature in
                try LegacySignature.holds(
                    signature.value, md5: full.artifact.md5, privatePEM: try #require(pairs[index].privatePEM))
            }
        }
    }

    @Test func `every archive is signed by both keys in use`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.ship("1.1.0")
        let current = try #require(try service.entry()?.current)
        let keys = try await service.store.keys(of: .default)
        let signing = try #require(keys.first { $0.purpose == .signing })
        let legacy = try #require(try TestService.legacyPair.get().privatePEM)
        for signed in [current.version.full] + current.patches {
            let modern = try #require(signed.signatures.first { $0.purpose == .signing })
            #expect(modern.keyID == signing.id)
            #expect(
                cryptography.verifyEd25519(
                    modern.value, of: signed.artifact.signedBytes, publicKey: signing.publicKey))
            let old = try #require(signed.signatures.first { $0.purpose == .legacy })
            #expect(
                try LegacySignature.holds(old.value, md5: signed.artifact.md5, privatePEM: legacy))
        }
        #expect(current.patches.map(\.artifact.kind.rawValue).sorted() == ["delta", "files"])
    }

    @Test func `the first legacy key is made once, however many publish at a time`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        #expect(try await legacy(service) == nil)
        let barrier = Barrier(count: 2)
        service.store.setAfter(.publication) { () throws(PlatformError) in await barrier.arrive() }
        async let left = service.publishSample("1.0.0", of: "left")
        async let right = service.publishSample("1.0.0", of: "right")
        _ = try await (left, right)
        let key = try #require(try await legacy(service))
        let made = try await service.store.audit(before: nil, limit: 100).filter { $0.entry.action == "key.make" }
        #expect(made.count == 1)
        for id in ["left", "right"] {
            try await service.release("1.0.0", of: id)
            let signatures = try #require(try service.entry(id)?.current?.version.full.signatures)
            #expect(signatures.map(\.keyID).contains(key.id))
        }
    }

    @Test func `the cursor includes the event of the first key at once`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        try await service.publishSample("1.0.0")
        let log = try service.app.log
        #expect(try service.view().cursor == log.cursor)
        #expect(log.events.last?.subject == .keysChanged)
        // A change without an event of its own shows the store's sequence.
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        #expect(try service.view().cursor == (try service.app.log.cursor))
    }

    @Test func `an imported key signs all existing archives, released or not`() async throws {
        let service = try await TestService()
        let pairs = [try TestService.legacyPair.get(), try cryptography.makeLegacyPair()]
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        let observer = RecordingObserver()
        service.live.observe(observer)
        let imported = try await service.keys.importLegacy(
            pem: pairs[1].publicPEM, of: service.app, by: .server)
        #expect(imported.privateKey == nil)
        #expect(try signers(service, among: pairs) == [0, 1])
        #expect(try service.view().legacyKeys.last == imported.id)
        #expect(observer.events.map(\.subject) == [.keysChanged])
        try await service.release("2.0.0")
        #expect(try signers(service, among: pairs) == [0, 1])
        let patch = try #require(try service.entry()?.current?.patches.first)
        #expect(patch.signatures.map(\.keyID).contains(imported.id))
    }

    @Test func `a key that is imported while a version is published signs that version as well`() async throws {
        let service = try await TestService()
        let pairs = [try TestService.legacyPair.get(), try cryptography.makeLegacyPair()]
        try await service.putPackage()
        let app = try service.app
        let isListed = AsyncFlag()
        let imported = AsyncFlag()
        service.store.setBefore(.artifactsLackingSignature) { () throws(PlatformError) in isListed.set() }
        service.store.setBefore(.publish) { () throws(PlatformError) in
            Task {
                _ = try await service.keys.importLegacy(pem: pairs[1].publicPEM, of: app, by: .server)
                imported.set()
            }
            // Signed by the old key and not stored yet: an import that reads now would miss it.
            await isListed.wait(upTo: .milliseconds(150))
        }
        try await service.publishSample("1.0.0")
        await imported.wait()
        try await service.release("1.0.0")
        #expect(try signers(service, among: pairs) == [0, 1])
    }

    @Test func `an import that fails leaves the old key and its signatures`() async throws {
        let service = try await TestService()
        let pairs = [try TestService.legacyPair.get(), try cryptography.makeLegacyPair()]
        try await service.ship("1.0.0")
        let before = try await service.store.keys(of: .default)
        for method in [HookedStore.Method.artifactsLackingSignature, .addKey] {
            service.store.setBefore(method) { () throws(PlatformError) in throw storeFailure }
            let app = try service.app
            #expect(
                try await code {
                    _ = try await service.keys.importLegacy(pem: pairs[1].publicPEM, of: app, by: .server)
                } == .storageFailed)
            service.store.setBefore(method, nil)
            #expect(try await service.store.keys(of: .default) == before)
            try await service.putPackage("news", .init(name: "\(method)"))
            #expect(try signers(service, among: pairs) == [0])
        }
    }

    @Test func `the next start signs what lacks a signature by a key in use`() async throws {
        let service = try await TestService()
        let pairs = [try TestService.legacyPair.get(), try cryptography.makeLegacyPair()]
        try await service.ship("1.0.0")
        let key = AppKey(
            app: .default, purpose: .legacy, id: KeyID(fingerprint: cryptography.sha256(pairs[1].publicDER)),
            publicKey: pairs[1].publicPEM, privateKey: nil, createdAt: service.clock.now())
        let audit = AuditEntry(
            time: service.clock.now(), actor: "test", action: "key.import", app: .default, subject: "")
        // The key without its signatures, as after a crash between the two steps.
        try await service.store.addKey(key, signing: [], audit: audit)
        let restarted = try await service.restarted()
        #expect(try signers(restarted, among: pairs) == [0, 1])
        #expect(try await service.store.artifactsLackingSignature(by: key.id, of: .default).isEmpty)
    }

    @Test func `an earlier key that comes back keeps its old signatures`() async throws {
        let service = try await TestService()
        let pairs = [try TestService.legacyPair.get(), try cryptography.makeLegacyPair()]
        try await service.ship("1.0.0")
        let first = try #require(try service.entry()?.current?.version.full.signatures)
        let app = try service.app
        let before = try #require(try await legacy(service)?.id)
        let other = try await service.keys.importLegacy(pem: pairs[1].publicPEM, of: app, by: .server)
        service.clock.advance(milliseconds: 1)
        _ = try await service.keys.retire(before, of: app, by: .server)
        #expect(try signers(service, among: pairs) == [1])
        // The public half suffices, because the private one is known.
        let back = try await service.keys.importLegacy(pem: pairs[0].publicPEM, of: app, by: .server)
        #expect(back.id == before && back.privateKey == pairs[0].privatePEM)
        #expect(try signers(service, among: pairs) == [0, 1])
        let signatures = try #require(try service.entry()?.current?.version.full.signatures)
        #expect(first.allSatisfy(signatures.contains))
        // A mistaken retirement is undone.
        #expect(try service.view().legacyKeys == [back.id, other.id])
        #expect(try await service.keys.exportLegacy(of: .default, by: .server).privateKey == pairs[0].privatePEM)
        #expect(
            try await code { _ = try await service.keys.exportLegacy(other.id, of: .default, by: .server) }
                == .keyNotFound)
    }

    @Test func `an app has four legacy keys in use, and no more`() async throws {
        let service = try await TestService()
        let app = try service.app
        for _ in 2...KeyRing.maximumLegacyKeys {
            _ = try await service.keys.importLegacy(
                pem: cryptography.makeLegacyPair().publicPEM, of: app, by: .server)
        }
        let further = try cryptography.makeLegacyPair().publicPEM
        #expect(
            try await code { _ = try await service.keys.importLegacy(pem: further, of: app, by: .server) } == .conflict)
        // A known key does not count again.
        let pem = try TestService.legacyPair.get().publicPEM
        _ = try await service.keys.importLegacy(pem: pem, of: app, by: .server)
        #expect(try service.view().legacyKeys.count == 4)
    }

    @Test func `importing the key in use again changes nothing`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let pair = try TestService.legacyPair.get()
        let version = try service.view().configVersion
        let cursor = try service.view().cursor
        for pem in [pair.publicPEM, try #require(pair.privatePEM)] {
            _ = try await service.keys.importLegacy(pem: pem, of: service.app, by: .server)
        }
        #expect(try service.view().configVersion == version)
        #expect(try service.view().cursor == cursor)
        #expect(try await legacy(service)?.privateKey == pair.privatePEM)
    }

    @Test func `a private half that is imported later completes the key`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let pair = try TestService.legacyPair.get()
        let app = try service.app
        _ = try await service.keys.importLegacy(pem: pair.publicPEM, of: app, by: .server)
        #expect(try await code { _ = try await service.keys.exportLegacy(of: .default, by: .server) } == .keyNotFound)
        _ = try await service.keys.importLegacy(pem: try #require(pair.privatePEM), of: app, by: .server)
        #expect(try await service.keys.exportLegacy(of: .default, by: .server).privateKey == pair.privatePEM)
    }

    @Test func `an export without a key fails, and every export is in the audit log`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        #expect(try await code { _ = try await service.keys.exportLegacy(of: .default, by: .server) } == .keyNotFound)
        try await service.publishSample("1.0.0")
        let key = try await service.keys.exportLegacy(of: .default, by: .server)
        let entry = try #require(try await service.store.audit(before: nil, limit: 1).first?.entry)
        #expect(entry.action == "key.export")
        #expect(entry.subject == key.id.text)
    }
}

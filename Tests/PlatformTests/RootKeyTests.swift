import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests successive root keys.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RootKeyTests {
    private func root(_ service: TestService) async throws -> AppKey {
        try #require(try await service.store.keys(of: .default).first { $0.purpose == .root })
    }

    private func leads(_ service: TestService, from old: AppKey, to new: AppKey) async throws -> Bool {
        let document = try #require(JSON(parsing: try await service.keys.document(of: .default).document))
        let changes = (document["rootHistory"]?.elements ?? []).compactMap { RootChange($0, of: .default) }
        return RootChange.lead(
            changes, from: service.cryptography.sha256(old.publicKey).hex,
            to: service.cryptography.sha256(new.publicKey).hex, by: service.cryptography)
    }

    @Test func `the document is signed by the new root key and leads to it from every one before`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let observer = RecordingObserver()
        service.live.observe(observer)
        let first = try await root(service)
        let before = try await service.keys.document(of: .default)
        #expect(JSON(parsing: before.document)?["rootHistory"] == nil)
        let second = try await service.keys.makeRoot(of: service.app, by: .server)
        #expect(try await root(service) == second && second.id != first.id)
        #expect(observer.events.map(\.subject) == [.keysChanged])
        let document = try await service.keys.document(of: .default)
        #expect(document.keyID == second.id && document.number > before.number)
        #expect(
            service.cryptography.verifyEd25519(
                document.signature, of: KeyDocument.prefix + document.document, publicKey: second.publicKey))
        #expect(try await leads(service, from: first, to: second))

        let third = try await service.keys.makeRoot(of: service.app, by: .server)
        let restarted = try await service.restarted()
        for old in [first, second] { #expect(try await leads(restarted, from: old, to: third)) }
        #expect(try await !leads(restarted, from: third, to: first))
        #expect(try await service.store.retiredKeys(.root, of: .default, last: 9).allSatisfy { $0.privateKey == nil })
    }

    @Test func `a change of the root key that was committed with a lost connection is a change of the keys`()
        async throws
    {
        let service = try await TestService(hasLegacyKey: false)
        let (app, old, revision) = (try service.app, try await root(service), service.keys.revision(of: .default))
        service.store.setAfter(.changeRoot) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { _ = try await service.keys.makeRoot(of: app, by: .server) } == .storageFailed)
        #expect(try await root(service).id != old.id)
        #expect(service.keys.revision(of: .default) > revision)
    }

    @Test func `the document lists the last sixteen changes`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        for _ in 0...RootChange.historyLength { _ = try await service.keys.makeRoot(of: service.app, by: .server) }
        let document = try #require(JSON(parsing: try await service.keys.document(of: .default).document))
        #expect(document["rootHistory"]?.elements?.map { $0["number"]?.integer } == (2...17).map { Int64($0) })
    }

    @Test func `signatures stay as they are, and the change is in the audit log`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let before = try #require(try service.entry()?.current?.version.full)
        let old = try await root(service)
        let new = try await service.keys.makeRoot(of: service.app, by: .server)
        #expect(try service.entry()?.current?.version.full == before)
        let entry = try #require(try await service.store.audit(before: nil, limit: 1).first?.entry)
        #expect(entry.action == "key.make" && entry.subject == new.id.text)
        #expect(JSON.object(entry.details)["replaces"]?.string == old.id.text)
    }
}

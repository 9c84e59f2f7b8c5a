import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct KeyDocumentTests {
    private let day: Int64 = 86_400_000

    @Test func `the document is signed by the root key and names the signing key`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let signed = try await service.keys.document(of: .default)
        let keys = try await service.store.keys(of: .default)
        let root = try #require(keys.first { $0.purpose == .root })
        let signing = try #require(keys.first { $0.purpose == .signing })
        #expect(signed.keyID == root.id)
        #expect(
            service.cryptography.verifyEd25519(
                signed.signature, of: KeyDocument.prefix + signed.document, publicKey: root.publicKey))
        let document = try #require(JSON(parsing: signed.document))
        #expect(document["number"]?.integer == signed.number)
        #expect(document["keys"]?.elements?.map { $0["keyId"]?.string } == [signing.id.text])
        #expect(document["expires"]?.string == service.fromNow(30 * day).rfc3339)
    }

    @Test func `a document is the same for a day, then renewed under a higher number`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let first = try await service.keys.document(of: .default)
        service.clock.advance(milliseconds: day - 1)
        #expect(try await service.keys.document(of: .default) == first)
        #expect(try await service.restarted().keys.document(of: .default) == first)
        service.clock.advance(milliseconds: 1)
        let second = try await service.keys.document(of: .default)
        #expect(second.number > first.number)
        #expect(second.issuedAt == service.clock.now())
    }

    @Test func `under a clock set back the number still grows, once`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let first = try await service.keys.document(of: .default)
        service.clock.advance(milliseconds: -day)
        let second = try await service.keys.document(of: .default)
        #expect(second.number == first.number + 1)
        #expect(second.expiresAt == service.fromNow(30 * day))
        #expect(try await service.keys.document(of: .default) == second)
    }

    @Test func `another signing key makes another document`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let first = try await service.keys.document(of: .default)
        let pair = try service.cryptography.makeEd25519Pair()
        let key = AppKey(
            app: .default, purpose: .signing, id: KeyID(fingerprint: service.cryptography.sha256(pair.publicKey)),
            publicKey: pair.publicKey, privateKey: pair.privateKey, createdAt: service.clock.now())
        let audit = AuditEntry(time: service.clock.now(), actor: "test", action: "key", app: .default, subject: "")
        try await service.store.addKey(key, signing: [], audit: audit)
        let second = try await service.keys.document(of: .default)
        #expect(second.number == first.number + 1)
        #expect(String(decoding: second.document, as: UTF8.self).contains(key.id.text))
    }

    @Test func `a document that cannot be renewed is the same until it ends`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let first = try await service.keys.document(of: .default)
        service.store.setBefore(.saveKeyDocument) { () throws(PlatformError) in
            throw PlatformError(.storageFull, "full")
        }
        service.clock.advance(milliseconds: day)
        #expect(try await service.keys.document(of: .default) == first)
        service.clock.advance(milliseconds: 29 * day - 1)
        #expect(try await service.keys.document(of: .default) == first)
        service.clock.advance(milliseconds: 1)
        #expect(try await code { _ = try await service.keys.document(of: .default) } == .storageFull)
        service.store.setBefore(.saveKeyDocument, nil)
        #expect(try await service.keys.document(of: .default).issuedAt == service.clock.now())
    }

    @Test func `a document with retired keys is not served, even if no other can be stored`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        _ = try await service.keys.document(of: .default)
        let next = try await service.keys.makeSigning(of: service.app, by: .server)
        let old = try #require(try await service.store.keys(of: .default).first { $0.purpose == .signing })
        #expect(old.id != next.id)
        _ = try await service.keys.document(of: .default)
        _ = try await service.keys.retire(old.id, of: service.app, by: .server)
        service.store.setBefore(.saveKeyDocument) { () throws(PlatformError) in
            throw PlatformError(.storageFull, "full")
        }
        #expect(try await code { _ = try await service.keys.document(of: .default) } == .storageFull)
    }

    @Test func `concurrent requests get the same document`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 1...20 { group.addTask { try await service.keys.document(of: .default).number } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(numbers.count == 1)
    }
}

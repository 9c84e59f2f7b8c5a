import Domain
import Execution
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests additions and retirements of signing keys.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct SigningKeyTests {
    private func signing(_ service: TestService) async throws -> [KeyID] {
        try await service.store.keys(of: .default).filter { $0.purpose == .signing }.map(\.id)
    }

    /// Returns the signing keys with valid signatures on the offered artifacts.
    private func signers(_ service: TestService) async throws -> [KeyID] {
        let current = try #require(try service.entry()?.current)
        let keys = try await service.store.keys(of: .default)
        func signers(_ signed: SignedArtifact) throws -> [KeyID] {
            try signed.signatures.filter { $0.purpose == .signing }.map { signature in
                let key = try #require(keys.first { $0.id == signature.keyID })
                #expect(
                    service.cryptography.verifyEd25519(
                        signature.value, of: signed.artifact.signedBytes, publicKey: key.publicKey))
                return signature.keyID
            }
        }
        let full = try signers(current.version.full)
        for patch in current.patches { #expect(try signers(patch) == full) }
        return full
    }

    /// Returns the ids in `/keys.json`: those in use, and those of its history.
    private func named(_ service: TestService) async throws -> [[KeyID]] {
        let document = try #require(JSON(parsing: try await service.keys.document(of: .default).document))
        func ids(_ list: String) -> [KeyID] {
            (document[list]?.elements ?? []).compactMap { $0["keyId"]?.string.flatMap(KeyID.init) }
        }
        return [ids("keys"), ids("history")]
    }

    @Test func `a new key and the old one both sign existing and later artifacts`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let observer = RecordingObserver()
        service.live.observe(observer)
        let old = try await signing(service)
        let new = try await service.keys.makeSigning(of: service.app, by: .server)
        #expect(try await signing(service) == old + [new.id])
        #expect(try await signers(service) == old + [new.id])
        #expect(observer.events.map(\.subject) == [.keysChanged])
        try await service.ship("1.1.0")
        #expect(try await signers(service) == old + [new.id])
        #expect(try service.entry()?.current?.patches.isEmpty == false)
        #expect(try await named(service) == [old + [new.id], []])
    }

    @Test func `everything is signed before a key is announced`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let app = try service.app
        service.store.setBefore(.artifactsLackingSignature) { () throws(PlatformError) in throw storeFailure }
        #expect(try await code { _ = try await service.keys.makeSigning(of: app, by: .server) } == .storageFailed)
        service.store.setBefore(.artifactsLackingSignature, nil)
        let old = try await signing(service)
        #expect(old.count == 1)
        #expect(try await named(service) == [old, []])
        let new = try await service.keys.makeSigning(of: app, by: .server)
        #expect(try await service.store.artifactsLackingSignature(by: new.id, of: .default).isEmpty)
    }

    @Test func `the signatures of a retired key are not published, and the key stays in the history`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let old = try #require(try await signing(service).first)
        let new = try await service.keys.makeSigning(of: service.app, by: .server)
        service.clock.advance(milliseconds: 5_000)
        let retired = try await service.keys.retire(old, of: service.app, by: .server)
        #expect(retired.retiredAt == service.clock.now() && retired.privateKey == nil)
        #expect(try await signers(service) == [new.id])
        #expect(try await named(service) == [[new.id], [old]])
        let text = String(decoding: try await service.keys.document(of: .default).document, as: UTF8.self)
        #expect(text.contains(#""validUntil":"\#(service.clock.now().rfc3339)""#))
        try await service.ship("1.1.0")
        #expect(try await signers(service) == [new.id])
        let restarted = try await service.restarted()
        #expect(try await signers(restarted) == [new.id])
        #expect(try await named(restarted) == [[new.id], [old]])
    }

    @Test func `a key whose retirement was committed with a lost connection signs no more responses`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let old = try #require(try await signing(service).first)
        let new = try await service.keys.makeSigning(of: service.app, by: .server)
        #expect(try await service.keys.responseSigner(of: .default).keyIDs == [new.id, old])
        service.store.setAfter(.retireKey) { () throws(PlatformError) in throw storeFailure }
        let app = try service.app
        #expect(try await code { _ = try await service.keys.retire(old, of: app, by: .server) } == .storageFailed)
        #expect(try await service.keys.responseSigner(of: .default).keyIDs == [new.id])
    }

    @Test func `a key that was added with a lost connection signs responses`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        _ = try await service.keys.responseSigner(of: .default)
        service.store.setAfter(.addKey) { () throws(PlatformError) in throw storeFailure }
        let app = try service.app
        #expect(try await code { _ = try await service.keys.makeSigning(of: app, by: .server) } == .storageFailed)
        #expect(try await service.keys.responseSigner(of: .default).keyIDs.count == 2)
    }

    @Test func `the last signing key stays, and so do keys of other purposes`() async throws {
        let service = try await TestService()
        let app = try service.app
        let before = try await service.store.keys(of: .default)
        for key in before {
            #expect(try await code { _ = try await service.keys.retire(key.id, of: app, by: .server) } == .conflict)
        }
        let unknown = try #require(KeyID("0000000000000000"))
        #expect(try await code { _ = try await service.keys.retire(unknown, of: app, by: .server) } == .keyNotFound)
        #expect(try await service.store.keys(of: .default) == before)
    }

    @Test func `a key is imported once, and never again after its retirement`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        let app = try service.app
        let old = try #require(try await signing(service).first)
        let pem = TestService.signingPEM
        let imported = try await service.keys.importSigning(pem: pem, of: app, by: .server)
        #expect(imported.isNew && imported.key.id.text == TestService.signingKeyID)
        #expect(try await signers(service) == [old, imported.key.id])
        let version = try service.view().configVersion
        let again = try await service.keys.importSigning(pem: pem, of: app, by: .server)
        #expect(!again.isNew && again.key == imported.key)
        #expect(try service.view().configVersion == version)
        _ = try await service.keys.retire(imported.key.id, of: app, by: .server)
        #expect(
            try await code { _ = try await service.keys.importSigning(pem: pem, of: app, by: .server) } == .conflict)
        #expect(try await signers(service) == [old])
    }

    @Test func `four signing keys are in use at most`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let app = try service.app
        for _ in 1..<KeyRing.maximumSigningKeys { _ = try await service.keys.makeSigning(of: app, by: .server) }
        #expect(try await signing(service).count == 4)
        #expect(try await code { _ = try await service.keys.makeSigning(of: app, by: .server) } == .conflict)
        let first = try #require(try await signing(service).first)
        _ = try await service.keys.retire(first, of: app, by: .server)
        _ = try await service.keys.makeSigning(of: app, by: .server)
        #expect(try await signing(service).count == 4)
    }

    @Test func `the history names the last fifty`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let app = try service.app
        var retired: [KeyID] = []
        for _ in 0...KeyDocument.historyLength {
            let old = try #require(try await signing(service).first)
            _ = try await service.keys.makeSigning(of: app, by: .server)
            _ = try await service.keys.retire(old, of: app, by: .server)
            retired.append(old)
        }
        #expect(try await named(service)[1] == retired.dropFirst().reversed())
    }

    @Test func `actions on keys are in the audit log`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let app = try service.app
        let made = try await service.keys.makeSigning(of: app, by: .server)
        _ = try await service.keys.importSigning(pem: TestService.signingPEM, of: app, by: .server)
        _ = try await service.keys.retire(made.id, of: app, by: .server)
        let entries = try await service.store.audit(before: nil, limit: 3).map(\.entry)
        #expect(entries.map(\.action) == ["key.retire", "key.import", "key.make"])
        #expect(entries[0].subject == made.id.text && entries[2].subject == made.id.text)
    }
}

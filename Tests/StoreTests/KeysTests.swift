import Domain
import Store
import Testing

struct KeysTests {
    @Test func `a key takes the place of the one with its purpose`() async throws {
        let store = try await SQLiteStore.withNews()
        let key = try Fixture.key(.signing, 4)
        try await store.replaceKey(key, audit: Fixture.audit("key.replace"))
        #expect(try await store.events(of: Fixture.app, last: 1).map(\.subject) == [.keysChanged])
        let keys = try await store.keys(of: Fixture.app)
        #expect(keys.count == 3)
        #expect(keys.filter { $0.purpose == .signing } == [key])
        #expect(try await store.audit(before: nil, limit: 1).map(\.entry.action) == ["key.replace"])
    }

    @Test func `a key of before can be taken into use again`() async throws {
        let store = try await SQLiteStore.withNews()
        try await store.replaceKey(Fixture.key(.legacy, 4), audit: Fixture.audit("key.replace"))
        try await store.replaceKey(Fixture.key(.legacy, 3), audit: Fixture.audit("key.replace"))
        #expect(try await store.keys(of: Fixture.app).filter { $0.purpose == .legacy }.map(\.id) == [Fixture.keyID(3)])
    }

    @Test func `a public half alone does not take away the private one`() async throws {
        let store = try await SQLiteStore.withNews()
        let known = try Fixture.key(.legacy, 3)
        let half = AppKey(
            app: known.app, purpose: .legacy, id: known.id, publicKey: known.publicKey, privateKey: nil,
            createdAt: known.createdAt)
        try await store.replaceKey(half, audit: Fixture.audit("key.replace"))
        #expect(try await store.keys(of: Fixture.app).contains(known))
    }

    @Test func `a key has one purpose`() async throws {
        let store = try await SQLiteStore.withNews()
        let audit = Fixture.audit("key.replace")
        #expect(
            try await code { try await store.replaceKey(Fixture.key(.legacy, 2), audit: audit) } == .conflict)
        #expect(try await store.keys(of: Fixture.app) == Fixture.keys())
    }

    @Test func `artifacts are found until they are signed, released or not`() async throws {
        let store = try await SQLiteStore.withNews()
        let artifacts = try await [
            store.publish("1.0.0", seed: 1).full.artifact, store.publish("1.1.0", seed: 2).full.artifact,
        ]
        try await store.release("1.0.0")
        let key = try Fixture.key(.signing, 4)
        let signed = SignedArtifact(artifact: artifacts[0], signatures: [try Fixture.signature(4)])
        try await store.replaceKey(key, signing: [signed], audit: Fixture.audit("key.replace"))
        #expect(try await store.artifactsLackingSignature(by: key.id, of: Fixture.app) == [artifacts[1]])
        #expect(try await store.artifactsLackingSignature(by: Fixture.keyID(2), of: Fixture.app).isEmpty)

        try await store.addSignatures(to: [
            SignedArtifact(artifact: artifacts[1], signatures: [try Fixture.signature(4)])
        ])
        #expect(try await store.artifactsLackingSignature(by: key.id, of: Fixture.app).isEmpty)
    }

    @Test func `an artifact keeps the first signature by a key`() async throws {
        let store = try await SQLiteStore.withNews()
        let published = try await store.publish("1.0.0", seed: 1)
        try await store.release("1.0.0")
        let other = Signature(purpose: .signing, keyID: try Fixture.keyID(2), value: [0])
        try await store.addSignatures(to: [SignedArtifact(artifact: published.full.artifact, signatures: [other])])
        let state = try await store.state(of: Fixture.app)
        let full = state.versions[published.version.package]?[published.version.version]?.full
        #expect(full?.signatures == published.full.signatures)
    }

    @Test func `a signature by an unknown key is refused, and with it the new key`() async throws {
        let store = try await SQLiteStore.withNews()
        let published = try await store.publish("1.0.0", seed: 1)
        let signed = SignedArtifact(artifact: published.full.artifact, signatures: [try Fixture.signature(7)])
        #expect(try await code { try await store.addSignatures(to: [signed]) } == .keyNotFound)
        let before = try await store.keys(of: Fixture.app)
        let key = try Fixture.key(.signing, 4)
        #expect(
            try await code {
                try await store.replaceKey(key, signing: [signed], audit: Fixture.audit("key.replace"))
            } == .keyNotFound)
        #expect(try await store.keys(of: Fixture.app) == before)
    }

    @Test func `a key document is replaced by one with a higher number`() async throws {
        let store = try await SQLiteStore.withNews()
        #expect(try await store.keyDocument(of: Fixture.app) == nil)
        try await store.saveKeyDocument(document(1), of: Fixture.app)
        try await store.saveKeyDocument(document(2), of: Fixture.app)
        #expect(try await store.keyDocument(of: Fixture.app) == document(2))
        for number in [Int64(1), 2] {
            #expect(
                try await code { try await store.saveKeyDocument(document(number), of: Fixture.app) } == .conflict)
        }
    }

    private func document(_ number: Int64) throws -> SignedKeyDocument {
        SignedKeyDocument(
            number: number, issuedAt: Fixture.start, expiresAt: Fixture.start.adding(milliseconds: 1),
            document: Array("{\(number)}".utf8), keyID: try Fixture.keyID(1), signature: [1, 2])
    }
}

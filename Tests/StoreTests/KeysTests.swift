import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct KeysTests {
    @Test(arguments: DatabaseKind.allCases)
    func `a legacy key is added to those in use, and a former one returns to its old position`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        func legacy() async throws -> [KeyID] {
            try await store.keys(of: Fixture.app).legacy.map(\.id)
        }
        func moment(_ seconds: Int64) -> AuditEntry {
            Fixture.audit("key", at: Fixture.start.adding(milliseconds: 1000 * seconds))
        }
        let (first, second) = (try Fixture.keyID(3), try Fixture.keyID(4))
        // Regardless of the clock.
        try await store.addKey(Fixture.key(.legacy, 4, after: -1000), audit: moment(1))
        #expect(try await legacy() == [first, second])
        #expect(try await store.events(of: Fixture.app, last: 1).map(\.subject) == [.keysChanged])
        let retired = try await store.retireKey(first, of: Fixture.app, audit: moment(2))
        // A holder of the private key can forge anyway, and the key may be used again.
        #expect(retired?.retiredAt != nil && retired?.privateKey != nil)
        #expect(try await legacy() == [second])
        #expect(
            try await code { _ = try await store.retireKey(second, of: Fixture.app, audit: moment(3)) } == .conflict)
        try await store.addKey(Fixture.key(.legacy, 3, after: 4000), audit: moment(4))
        #expect(try await legacy() == [first, second])
        #expect(try await store.retireKey(first, of: Fixture.app, audit: moment(-9))?.retiredAt != nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the last key that is valid by now is not retired`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        // Created by a clock that was ahead.
        try await store.addKey(Fixture.key(.signing, 4, after: 60_000), audit: Fixture.audit("key.make"))
        let (last, ahead) = (try Fixture.keyID(2), try Fixture.keyID(4))
        func retire(_ id: KeyID, after milliseconds: Int64) async throws -> PlatformError.Code? {
            try await code {
                let audit = Fixture.audit("key.retire", at: Fixture.start.adding(milliseconds: milliseconds))
                _ = try await store.retireKey(id, of: Fixture.app, audit: audit)
            }
        }
        #expect(try await retire(last, after: 59_999) == .conflict)
        #expect(try await retire(last, after: 60_000) == nil)
        #expect(try await retire(ahead, after: 60_000) == .conflict)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `importing a public half keeps the stored private half`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let known = try Fixture.key(.legacy, 3)
        let half = AppKey(
            app: known.app, purpose: .legacy, id: known.id, publicKey: known.publicKey, privateKey: nil,
            createdAt: known.createdAt)
        try await store.addKey(half, audit: Fixture.audit("key.import"))
        #expect(try await store.keys(of: Fixture.app).contains(known))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a key has one purpose`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let audit = Fixture.audit("key.import")
        #expect(
            try await code { try await store.addKey(Fixture.key(.legacy, 2), audit: audit) } == .conflict)
        #expect(try await store.keys(of: Fixture.app) == Fixture.keys())
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a signing key comes beside those in use, with its signatures`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let artifact = try await store.publish("1.0.0", seed: 1).full.artifact
        try await store.release("1.0.0")
        let key = try Fixture.key(.signing, 4)
        let signed = SignedArtifact(artifact: artifact, signatures: [try Fixture.signature(4)])
        try await store.addKey(key, signing: [signed], audit: Fixture.audit("key.make"))
        #expect(try await store.keys(of: Fixture.app) == Fixture.keys() + [key])
        #expect(try await store.artifactsLackingSignature(by: key.id, of: Fixture.app).isEmpty)
        #expect(try await store.events(of: Fixture.app, last: 1).map(\.subject) == [.keysChanged])
        let full = try await store.state(of: Fixture.app).versions.values.first?.values.first?.full
        #expect(try full?.signatures.map(\.keyID) == [Fixture.keyID(2), Fixture.keyID(3), Fixture.keyID(4)])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `adding a known key is a conflict`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        try await store.addKey(Fixture.key(.signing, 4), audit: Fixture.audit("key.make"))
        _ = try await store.retireKey(Fixture.keyID(4), of: Fixture.app, audit: Fixture.audit("key.retire"))
        // The root key, one in use and a retired one.
        for number in [1, 2, 4] {
            let key = try Fixture.key(.signing, number)
            #expect(
                try await code { try await store.addKey(key, audit: Fixture.audit("key.make")) } == .conflict)
        }
        #expect(try await store.keys(of: Fixture.app) == Fixture.keys())
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a retired key is known without its private half, and stays as it is`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        for number in [4, 5] {
            try await store.addKey(Fixture.key(.signing, number), audit: Fixture.audit("key.make"))
        }
        let later = Fixture.start.adding(milliseconds: 5)
        let retired = try #require(
            try await store.retireKey(
                Fixture.keyID(2), of: Fixture.app, audit: Fixture.audit("key.retire", at: later)))
        #expect(retired.retiredAt == later && retired.privateKey == nil)
        #expect(try retired.publicKey == Fixture.key(.signing, 2).publicKey)
        let again = try await store.retireKey(
            Fixture.keyID(2), of: Fixture.app, audit: Fixture.audit("key.retire", at: later.adding(milliseconds: 1)))
        #expect(again == retired)
        _ = try await store.retireKey(
            Fixture.keyID(4), of: Fixture.app, audit: Fixture.audit("key.retire", at: later.adding(milliseconds: 2)))
        #expect(
            try await store.retiredKeys(.signing, of: Fixture.app, last: 5).map(\.id)
                == [Fixture.keyID(4), Fixture.keyID(2)])
        #expect(try await store.retiredKeys(.signing, of: Fixture.app, last: 1).map(\.id) == [Fixture.keyID(4)])
        #expect(
            try await store.keys(of: Fixture.app).map(\.id) == [Fixture.keyID(1), Fixture.keyID(3), Fixture.keyID(5)])
        let actions = try await store.audit(before: nil, limit: 9).map(\.entry.action)
        #expect(actions.count { $0 == "key.retire" } == 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `only a signing key is retired, and never the last`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let audit = Fixture.audit("key.retire")
        for number in 1...3 {
            #expect(
                try await code { _ = try await store.retireKey(Fixture.keyID(number), of: Fixture.app, audit: audit) }
                    == .conflict)
        }
        #expect(try await store.retireKey(Fixture.keyID(9), of: Fixture.app, audit: audit) == nil)
        #expect(try await store.keys(of: Fixture.app) == Fixture.keys())
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a root key replaces the one that its change names, once`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        func change(_ number: Int64, from old: Int, to next: Int) throws -> RootChange {
            RootChange(
                app: Fixture.app, number: number, publicKey: try Fixture.key(.root, old).publicKey,
                next: try Fixture.key(.root, next).publicKey, signature: [UInt8](repeating: UInt8(number), count: 64))
        }
        func make(_ next: Int, _ change: RootChange) async throws {
            try await store.changeRoot(to: Fixture.key(.root, next), saying: change, audit: Fixture.audit("key.make"))
        }
        try await make(4, change(1, from: 1, to: 4))
        #expect(try await store.events(of: Fixture.app, last: 1).map(\.subject) == [.keysChanged])
        let roots = try await store.keys(of: Fixture.app).filter { $0.purpose == .root }
        #expect(try roots == [Fixture.key(.root, 4)])
        let retired = try await store.retiredKeys(.root, of: Fixture.app, last: 9)
        #expect(try retired.map(\.id) == [Fixture.keyID(1)])
        #expect(retired.first?.privateKey == nil && retired.first?.retiredAt == Fixture.start)

        let before = try await store.keys(of: Fixture.app)
        // By a retired key; with a number that is not the next; to existing keys.
        #expect(try await code { try await make(5, change(2, from: 1, to: 5)) } == .conflict)
        #expect(try await code { try await make(5, change(1, from: 4, to: 5)) } == .conflict)
        #expect(try await code { try await make(5, change(3, from: 4, to: 5)) } == .conflict)
        #expect(try await code { try await make(2, change(2, from: 4, to: 2)) } == .conflict)
        #expect(try await code { try await make(1, change(2, from: 4, to: 1)) } != nil)
        #expect(try await store.keys(of: Fixture.app) == before)

        try await make(5, change(2, from: 4, to: 5))
        let changes = try [change(1, from: 1, to: 4), change(2, from: 4, to: 5)]
        #expect(try await store.rootChanges(of: Fixture.app, last: 9) == changes)
        #expect(try await store.rootChanges(of: Fixture.app, last: 1) == [changes[1]])
        let facts = try #require(try await store.keyFacts(of: Fixture.app, retired: 9, changes: 9))
        #expect(try facts.root == Fixture.key(.root, 5) && facts.rootChanges == changes)
        // A retired key does not sign documents.
        let document = SignedKeyDocument(
            number: 1, issuedAt: Fixture.start, expiresAt: Fixture.start.adding(milliseconds: 1), document: [1],
            keyID: try Fixture.keyID(4), signature: [1])
        #expect(try await code { try await store.saveKeyDocument(document, of: Fixture.app) } == .conflict)
        #expect(try await store.keyDocument(of: Fixture.app) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `artifacts are found until they are signed, released or not`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let artifacts = try await [
            store.publish("1.0.0", seed: 1).full.artifact, store.publish("1.1.0", seed: 2).full.artifact,
        ]
        try await store.release("1.0.0")
        let key = try Fixture.key(.signing, 4)
        let signed = SignedArtifact(artifact: artifacts[0], signatures: [try Fixture.signature(4)])
        try await store.addKey(key, signing: [signed], audit: Fixture.audit("key.import"))
        #expect(try await store.artifactsLackingSignature(by: key.id, of: Fixture.app) == [artifacts[1]])
        #expect(try await store.artifactsLackingSignature(by: Fixture.keyID(2), of: Fixture.app).isEmpty)

        try await store.addSignatures(to: [
            SignedArtifact(artifact: artifacts[1], signatures: [try Fixture.signature(4)])
        ])
        #expect(try await store.artifactsLackingSignature(by: key.id, of: Fixture.app).isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an artifact keeps the first signature by a key`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let published = try await store.publish("1.0.0", seed: 1)
        try await store.release("1.0.0")
        let other = Signature(purpose: .signing, keyID: try Fixture.keyID(2), value: [0])
        try await store.addSignatures(to: [SignedArtifact(artifact: published.full.artifact, signatures: [other])])
        let state = try await store.state(of: Fixture.app)
        let full = state.versions[published.version.package]?[published.version.version]?.full
        #expect(full?.signatures == published.full.signatures)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a signature by an unknown key is refused, and with it the new key`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let published = try await store.publish("1.0.0", seed: 1)
        let signed = SignedArtifact(artifact: published.full.artifact, signatures: [try Fixture.signature(7)])
        #expect(try await code { try await store.addSignatures(to: [signed]) } == .keyNotFound)
        let before = try await store.keys(of: Fixture.app)
        let key = try Fixture.key(.signing, 4)
        #expect(
            try await code {
                try await store.addKey(key, signing: [signed], audit: Fixture.audit("key.import"))
            } == .keyNotFound)
        #expect(try await store.keys(of: Fixture.app) == before)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a key document is replaced by one with a higher number`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
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

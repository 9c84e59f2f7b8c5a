package import Domain
package import Execution

/// The keys of every app, and what they sign.
package final class KeyRing: Sendable {
    private let live: LiveApps
    let store: any MetadataStore
    let cryptography: any Cryptography
    let work: WorkExecutor
    let clock: any WallClock
    /// So that two first publishings do not both make the legacy key.
    private let making = AsyncGate(width: 1)
    /// So that two first readers do not both make a key document.
    let documents = AsyncGate(width: 1)

    package init(live: LiveApps, cryptography: any Cryptography, work: WorkExecutor, clock: any WallClock) {
        self.live = live
        store = live.store
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
    }

    /// The keys that an app is created with: root and signing.
    package func firstKeys(of app: AppID) async throws(PlatformError) -> [SigningKey] {
        var keys: [SigningKey] = []
        for purpose in [KeyPurpose.root, .signing] {
            let pair = try await work.run { () throws(PlatformError) in try cryptography.makeEd25519Pair() }
            keys.append(
                SigningKey(
                    app: app, purpose: purpose, id: KeyID(fingerprint: cryptography.sha256(pair.publicKey)),
                    publicKey: pair.publicKey, privateKey: pair.privateKey, createdAt: clock.now()))
        }
        return keys
    }

    /// Signs an artifact with every key in use, making the legacy one on first use.
    package func sign(_ artifact: Artifact) async throws(PlatformError) -> SignedArtifact {
        let signing = try await key(.signing, of: artifact.app)
        let legacy = try await legacyKey(of: artifact.app)
        return try await work.run { () throws(PlatformError) in
            SignedArtifact(
                artifact: artifact,
                signatures: [try ed25519(artifact, by: signing), try self.legacy(artifact, by: legacy)])
        }
    }

    /// Takes a legacy key from a PEM, private or public half alone, in the place of the one in use, and signs what
    /// is released with it.
    package func importLegacy(
        pem: [UInt8], of app: LiveApp, by author: Operator
    ) async throws(PlatformError)
        -> SigningKey
    {
        let pair = try await work.run { () throws(PlatformError) in try cryptography.readLegacyPair(pem: pem) }
        let key = legacyKey(pair, of: app.id)
        return try await live.change(app) { () throws(PlatformError) -> (SigningKey, [Event]) in
            let inUse = try await store.keys(of: app.id).first { $0.purpose == .legacy }
            if let inUse, inUse.id == key.id, inUse.privateKey != nil || key.privateKey == nil { return (inUse, []) }
            let hasPrivate: JSON = .bool(key.privateKey != nil)
            let audit = author.audit(
                "key.import", key.id.text, in: app.id, at: clock.now(),
                [.init("purpose", "legacy"), .init("privateHalf", hasPrivate)])
            let change = try await store.replaceKey(key, audit: audit)
            try await signReleased(of: app.id, by: key)
            return (key, change.events)
        }
    }

    /// The legacy private key as PEM, for an app that has to embed it; noted in the audit log.
    ///
    /// Throws `keyNotFound` where there is none, or the server has its public half alone.
    package func exportLegacy(of app: AppID, by author: Operator) async throws(PlatformError) -> SigningKey {
        let key = try await store.keys(of: app).first { $0.purpose == .legacy }
        guard let key, key.privateKey != nil else {
            let why = key == nil ? "is made when the first version is published" : "was imported as a public half alone"
            throw PlatformError(.keyNotFound, "The server has no private legacy key for '\(app)': it \(why).")
        }
        try await store.recordAudit(author.audit("key.export", key.id.text, in: app, at: clock.now()))
        return key
    }

    /// Signs what a crash left unsigned between a new key and its signatures.
    package func completeSignatures(of app: AppID) async throws(PlatformError) {
        for key in try await store.keys(of: app) where key.purpose != .root {
            try await signReleased(of: app, by: key)
        }
    }

    private func signReleased(of app: AppID, by key: SigningKey) async throws(PlatformError) {
        let artifacts = try await store.artifactsLackingSignature(by: key.id, of: app)
        guard !artifacts.isEmpty else { return }
        let signatures = try await work.run { () throws(PlatformError) in
            var signatures: [SHA256Digest: Signature] = [:]
            for artifact in artifacts {
                signatures[artifact.blob] =
                    try key.purpose == .legacy ? legacy(artifact, by: key) : ed25519(artifact, by: key)
            }
            return signatures
        }
        try await store.addSignatures(signatures, of: app)
    }

    func key(_ purpose: KeyPurpose, of app: AppID) async throws(PlatformError) -> SigningKey {
        guard let key = try await store.keys(of: app).first(where: { $0.purpose == purpose }) else {
            throw PlatformError(
                .internalError, "The app's \(purpose.rawValue) key is missing.", cause: "no \(purpose) key for \(app)")
        }
        return key
    }

    private func legacyKey(of app: AppID) async throws(PlatformError) -> SigningKey {
        try await making.pass { () throws(PlatformError) in
            if let key = try await store.keys(of: app).first(where: { $0.purpose == .legacy }) { return key }
            let pair = try await work.run { () throws(PlatformError) in try cryptography.makeLegacyPair() }
            let key = legacyKey(pair, of: app)
            _ = try await store.replaceKey(
                key,
                audit: Operator.server.audit(
                    "key.make", key.id.text, in: app, at: clock.now(), [.init("purpose", "legacy")]))
            return key
        }
    }

    private func legacyKey(_ pair: LegacyPair, of app: AppID) -> SigningKey {
        SigningKey(
            app: app, purpose: .legacy, id: KeyID(fingerprint: cryptography.sha256(pair.publicDER)),
            publicKey: pair.publicPEM, privateKey: pair.privatePEM, createdAt: clock.now())
    }

    private func ed25519(_ artifact: Artifact, by key: SigningKey) throws(PlatformError) -> Signature {
        guard let privateKey = key.privateKey else {
            throw PlatformError(.internalError, "The signing key has no private half.")
        }
        return Signature(
            purpose: .signing, keyID: key.id,
            value: try cryptography.signEd25519(artifact.signedBytes, privateKey: privateKey))
    }

    private func legacy(_ artifact: Artifact, by key: SigningKey) throws(PlatformError) -> Signature {
        Signature(
            purpose: .legacy, keyID: key.id,
            value: try cryptography.legacySignature(md5: artifact.md5, publicKey: key.publicKey))
    }
}

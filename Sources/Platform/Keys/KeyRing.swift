package import Domain
package import Execution
import Ground
import Synchronization

/// The keys of every app: creation, import, rotation and signing.
package final class KeyRing: ChangeObserver {
    let live: LiveApps
    let store: any KeyStore & KeyDocumentStore & AuditStore
    let cryptography: any Cryptography
    let work: WorkExecutor
    let clock: any WallClock
    /// The external signer of keys without a private half on the server; `nil` if none is configured.
    let outside: (any OutsideSigner)?
    /// A gate for key documents, so that concurrent readers do not both make one.
    let documents = AsyncGate(width: 1)
    let responseSigners = Mutex<[AppID: ResponseSigner]>([:])
    private let revisions = Mutex<[AppID: Int]>([:])

    package init(
        live: LiveApps, store: any KeyStore & KeyDocumentStore & AuditStore, cryptography: any Cryptography,
        work: WorkExecutor, clock: any WallClock, outside: (any OutsideSigner)? = nil
    ) {
        self.live = live
        self.store = store
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
        self.outside = outside
        live.observe(self)
    }

    /// Counts a change that may concern the keys.
    package func appFollows(_ app: LiveApp) { noteChange(of: app.id) }

    /// The number of retired signing keys that ``keys(of:)`` returns at most, and of retired legacy keys.
    private static let retiredPage = 200

    /// Returns the keys of an app in use, oldest first, and the last retired ones of each purpose, newest first.
    package func keys(of app: AppID) async throws(PlatformError) -> (inUse: [AppKey], retired: [AppKey]) {
        let inUse = try await store.keys(of: app)
        var retired: [AppKey] = []
        for (purpose, count) in [
            (KeyPurpose.signing, Self.retiredPage), (.root, RootChange.historyLength), (.legacy, Self.retiredPage),
        ] {
            retired += try await store.retiredKeys(purpose, of: app, last: count)
        }
        return (inUse, retired)
    }

    /// Returns a key that is in use or among the latest retired ones.
    func key(_ id: KeyID, of app: AppID) async throws(PlatformError) -> AppKey? {
        let (inUse, retired) = try await keys(of: app)
        return (inUse + retired).first { $0.id == id }
    }

    /// Returns a key that is in use or among the latest retired ones; throws `keyNotFound`.
    package func requireKey(_ id: KeyID, of app: AppID) async throws(PlatformError) -> AppKey {
        guard let key = try await key(id, of: app) else { throw Self.noKey(id, of: app) }
        return key
    }

    static func noKey(_ id: KeyID, of app: AppID) -> PlatformError {
        PlatformError(.keyNotFound, "The app '\(app)' has no key \(id). List its keys to find the id.")
    }

    /// Returns the keys of an app in use, oldest first.
    func keysInUse(of app: AppID) async throws(PlatformError) -> [AppKey] { try await store.keys(of: app) }

    /// Returns the number of changes of an app's keys since the start, which dates values derived from the keys.
    package func revision(of app: AppID) -> Int { revisions.withLock { $0[app] ?? 0 } }

    /// Counts a committed change of an app's keys; called before clients are notified.
    private func noteChange(of app: AppID) { revisions.withLock { $0[app, default: 0] += 1 } }

    /// Runs a transaction that changes an app's keys, and counts the change if it is or may be committed.
    func noting<Result>(
        changeOf app: AppID, by author: Operator, _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let result: Result
        do throws(PlatformError) {
            result = try await body()
        } catch {
            if error.mayHaveCommitted { noteChange(of: app) }
            throw error
        }
        if !author.isRehearsing { noteChange(of: app) }
        return result
    }

    /// Creates the keys of a new app: root and signing.
    package func firstKeys(of app: AppID) async throws(PlatformError) -> [AppKey] {
        var keys: [AppKey] = []
        for purpose in [KeyPurpose.root, .signing] {
            let pair = try await work.run { () throws(PlatformError) in try cryptography.makeEd25519Pair() }
            keys.append(ed25519Key(purpose, publicKey: pair.publicKey, privateKey: pair.privateKey, of: app))
        }
        return keys
    }

    /// Returns a new root or signing key, which is not yet in use.
    func ed25519Key(
        _ purpose: KeyPurpose, publicKey: [UInt8], privateKey: [UInt8]?, of app: AppID
    ) -> AppKey {
        AppKey(
            app: app, purpose: purpose, id: KeyID(fingerprint: cryptography.sha256(publicKey)), publicKey: publicKey,
            privateKey: privateKey, createdAt: clock.now())
    }

    /// Signs an artifact with every key in use.
    ///
    /// Store the result in the same change of the app: a key that is imported later signs the artifacts stored by then.
    /// The app must have its legacy key: see ``makeLegacy(of:)``.
    func sign(_ artifact: Artifact) async throws(PlatformError) -> SignedArtifact {
        let signing = try await signingKeys(of: artifact.app)
        let legacy = try await legacyKeys(of: artifact.app)
        guard !legacy.isEmpty else { throw Self.missing(.legacy, of: artifact.app) }
        return try await work.run { () throws(PlatformError) in
            var signatures: [Signature] = []
            for key in signing { signatures.append(try ed25519(artifact, by: key)) }
            for key in legacy { signatures.append(try self.legacy(artifact, by: key)) }
            return SignedArtifact(artifact: artifact, signatures: signatures)
        }
    }

    /// Puts a signing or legacy key into use together with its signatures on all artifacts, so that none lacks one.
    ///
    /// - Parameter known: The same key in use, without its private half; `nil` for another key.
    func adopt(
        _ key: AppKey, over known: AppKey? = nil, _ action: AuditAction, by author: Operator
    ) async throws(PlatformError) {
        let artifacts = author.isRehearsing ? [] : try await lacking(key)
        let audit = author.audit(
            action, key.id.text, in: key.app, at: clock.now(),
            [.init("purpose", .string(key.purpose.rawValue)), .init("privateHalf", .bool(key.privateKey != nil))],
            change: AuditChange(from: known?.auditMembers, to: key.auditMembers))
        try await noting(changeOf: key.app, by: author) { () throws(PlatformError) in
            try await store.addKey(key, signing: artifacts, audit: audit)
        }
    }

    /// Adds missing signatures by keys in use; an earlier release of Larder or a restored store may lack some.
    package func completeSignatures(of app: AppID) async throws(PlatformError) {
        for key in try await store.keys(of: app) where key.purpose != .root {
            try await store.addSignatures(to: try await lacking(key))
        }
    }

    /// Returns the artifacts without a signature by a key, with that signature.
    private func lacking(_ key: AppKey) async throws(PlatformError) -> [SignedArtifact] {
        let artifacts = try await store.artifactsLackingSignature(by: key.id, of: key.app)
        return try await work.run { () throws(PlatformError) in
            var signed: [SignedArtifact] = []
            for artifact in artifacts {
                let signature = try key.purpose == .legacy ? legacy(artifact, by: key) : ed25519(artifact, by: key)
                signed.append(SignedArtifact(artifact: artifact, signatures: [signature]))
            }
            return signed
        }
    }

    func rootKey(of app: AppID) async throws(PlatformError) -> AppKey {
        guard let key = try await store.keys(of: app).first(where: { $0.purpose == .root }) else {
            throw Self.missing(.root, of: app)
        }
        return key
    }

    /// Returns the signing keys in use, oldest first; at least one.
    func signingKeys(of app: AppID) async throws(PlatformError) -> [AppKey] {
        let keys = try await store.keys(of: app).filter { $0.purpose == .signing }
        guard !keys.isEmpty else { throw Self.missing(.signing, of: app) }
        return keys
    }

    static func missing(_ purpose: KeyPurpose, of app: AppID) -> PlatformError {
        PlatformError(
            .internalError, "The app's \(purpose.rawValue) key is missing.", cause: "no \(purpose) key for \(app)")
    }

    private func ed25519(_ artifact: Artifact, by key: AppKey) throws(PlatformError) -> Signature {
        let message = artifact.signedBytes
        let value: [UInt8]
        if let privateKey = key.privateKey {
            value = try cryptography.signEd25519(message, privateKey: privateKey)
        } else {
            value = try signOutside(message, key)
        }
        return Signature(purpose: .signing, keyID: key.id, value: value)
    }

    private func legacy(_ artifact: Artifact, by key: AppKey) throws(PlatformError) -> Signature {
        Signature(
            purpose: .legacy, keyID: key.id,
            value: try cryptography.legacySignature(md5: artifact.md5, publicKey: key.publicKey))
    }
}

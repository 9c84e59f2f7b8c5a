package import Domain
import Execution

extension KeyRing {
    /// Creates the legacy key of an app that has none.
    func makeLegacy(of app: LiveApp) async throws(PlatformError) {
        guard try await legacyKeys(of: app.id).isEmpty else { return }
        let pair = try await work.run { () throws(PlatformError) in try cryptography.makeLegacyPair() }
        try await live.change(app) { () throws(PlatformError) in
            // A concurrent first publishing may have created one.
            guard try await legacyKeys(of: app.id).isEmpty else { return }
            try await adopt(legacyKey(pair, of: app.id), .makeKey, by: .server)
        }
    }

    /// The number of legacy keys that an app can have in use; each one signs every archive.
    package static let maximumLegacyKeys = 4

    /// Adds a legacy key from a PEM of the private half, or of the public half alone, and signs every archive with it.
    ///
    /// Clients of other keys see no change; clients of this key have a base URL of their own (semantics.md §6). Throws
    /// `invalidRequest` for another PEM, and `conflict` if there are ``maximumLegacyKeys``.
    package func importLegacy(
        pem: [UInt8], of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> AppKey {
        let pair = try await work.run { () throws(PlatformError) in try cryptography.readLegacyPair(pem: pem) }
        let key = legacyKey(pair, of: app.id)
        return try await live.change(app) { () throws(PlatformError) in
            let inUse = try await legacyKeys(of: app.id)
            let known = inUse.first { $0.id == key.id }
            if let known, known.privateKey != nil || key.privateKey == nil { return known }
            guard known != nil || inUse.count < Self.maximumLegacyKeys else {
                throw PlatformError(
                    .conflict,
                    "The app '\(app.id)' has \(inUse.count) legacy keys in use, which is the limit. Retire one first.")
            }
            try await adopt(key, over: known, .importKey, by: author)
            // A returning key may have a stored private half that the PEM lacks.
            return try await legacyKeys(of: app.id).first { $0.id == key.id } ?? key
        }
    }

    /// Returns a legacy private key as PEM for an app that has to embed it, and records the export in the audit log.
    ///
    /// Throws `keyNotFound` if there is no such key, or the server has only its public half.
    ///
    /// - Parameter id: A key in use; `nil` selects the oldest.
    package func exportLegacy(
        _ id: KeyID? = nil, of app: AppID, by author: Operator
    ) async throws(PlatformError) -> AppKey {
        let keys = try await legacyKeys(of: app)
        guard let key = id.map({ id in keys.first { $0.id == id } }) ?? keys.first else {
            let why = id.map { "\($0) is not in use" } ?? "it is generated when the first version is published"
            throw PlatformError(.keyNotFound, "The server has no such legacy key for '\(app)': \(why).")
        }
        guard key.privateKey != nil else {
            throw PlatformError(
                .keyNotFound,
                "The server has no private half of the legacy key \(key.id): only its public half was imported.")
        }
        try await store.recordAudit(author.audit(.exportKey, key.id.text, in: app, at: clock.now(), change: .none))
        return key
    }

    /// Returns the legacy keys in use, oldest first; empty before the first version is published.
    func legacyKeys(of app: AppID) async throws(PlatformError) -> [AppKey] {
        try await store.keys(of: app).legacy
    }

    private func legacyKey(_ pair: LegacyPair, of app: AppID) -> AppKey {
        AppKey(
            app: app, purpose: .legacy, id: KeyID(fingerprint: cryptography.sha256(pair.publicDER)),
            publicKey: pair.publicPEM, privateKey: pair.privatePEM, createdAt: clock.now())
    }
}

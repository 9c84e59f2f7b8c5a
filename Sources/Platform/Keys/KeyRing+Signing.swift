package import Domain
import Execution
import Ground

extension KeyRing {
    /// The number of signing keys that an app can have in use; each one signs every archive.
    package static let maximumSigningKeys = 4

    /// Creates a further signing key and signs every archive with it; all keys in use sign until one is retired.
    ///
    /// Throws `conflict` if there are ``maximumSigningKeys``.
    package func makeSigning(of app: LiveApp, by author: Operator) async throws(PlatformError) -> AppKey {
        let pair = try await work.run { () throws(PlatformError) in try cryptography.makeEd25519Pair() }
        let key = ed25519Key(.signing, publicKey: pair.publicKey, privateKey: pair.privateKey, of: app.id)
        return try await addSigning(key, to: app, .makeKey, by: author).key
    }

    /// Adds a signing key from a PEM of its private half, like ``makeSigning(of:by:)``; a key in use stays unchanged.
    ///
    /// Throws `invalidRequest` for another PEM, and `conflict` also for a retired key.
    package func importSigning(
        pem: [UInt8], of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> (key: AppKey, isNew: Bool) {
        let pair = try await work.run { () throws(PlatformError) in try cryptography.readEd25519Pair(pem: pem) }
        let key = ed25519Key(.signing, publicKey: pair.publicKey, privateKey: pair.privateKey, of: app.id)
        return try await addSigning(key, to: app, .importKey, by: author)
    }

    /// Adds a signing key from a PEM of its public half; an external command signs for it from now on.
    ///
    /// Throws `invalidRequest` for another PEM, `conflict` also if no external signer is configured, and
    /// `signingFailed`.
    package func importOutside(
        pem: [UInt8], of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> (key: AppKey, isNew: Bool) {
        let publicKey = try await work.run { () throws(PlatformError) in
            try cryptography.readEd25519PublicKey(pem: pem)
        }
        guard outside != nil else {
            throw PlatformError(
                .conflict,
                "The server has no command that signs with outside keys. Start it with --sign-command, or import the key "
                    + "with its private half.")
        }
        // A key that the command cannot sign with is detected before it is in use.
        let key = ed25519Key(.signing, publicKey: publicKey, privateKey: nil, of: app.id)
        try await work.run { () throws(PlatformError) in _ = try signOutside(Self.probe, key) }
        return try await addSigning(key, to: app, .importKey, by: author)
    }

    /// The message that tests an external key; a signature over it authorizes nothing.
    private static let probe = Array("larder-probe-1\n".utf8)

    /// Returns a signature by the external signer; blocks.
    ///
    /// Throws `signingFailed` if there is no valid signature by that key.
    func signOutside(_ message: [UInt8], _ key: AppKey) throws(PlatformError) -> [UInt8] {
        guard let outside else {
            throw PlatformError(
                .signingFailed,
                "The private half of the key \(key.id) is not on the server, and no command signs with it. Start the "
                    + "server with --sign-command, or retire the key.")
        }
        let signature = try outside.sign(message, by: key)
        guard cryptography.verifyEd25519(signature, of: message, publicKey: key.publicKey) else {
            throw PlatformError(
                .signingFailed,
                "The output of the signing command is not a signature by the key \(key.id). Nothing was changed. Check "
                    + "which key the command signs with.")
        }
        return signature
    }

    /// Takes a key out of use, so that its signatures are no longer sent; deletes a signing key's private half.
    ///
    /// A signing key cannot return. Leaves a retired key unchanged. Throws `keyNotFound`, and `conflict` for the last
    /// key of its purpose and for the root key.
    package func retire(
        _ id: KeyID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> AppKey {
        try await live.change(app) { () throws(PlatformError) in
            if let precondition {
                let tag = try await key(id, of: app.id)?.tag(by: cryptography)
                try precondition.require(tag, of: "The key \(id)")
            }
            let now = clock.now()
            let audit = author.audit(
                .retireKey, id.text, in: app.id, at: now,
                change: .changed(from: [.init("retiredAt", .null)], to: [.init("retiredAt", .string(now.rfc3339))]))
            return try await noting(changeOf: app.id, by: author) { () throws(PlatformError) in
                guard let key = try await store.retireKey(id, of: app.id, audit: audit) else {
                    throw Self.noKey(id, of: app.id)
                }
                return key
            }
        }
    }

    private func addSigning(
        _ key: AppKey, to app: LiveApp, _ action: AuditAction, by author: Operator
    ) async throws(PlatformError) -> (key: AppKey, isNew: Bool) {
        try await live.change(app) { () throws(PlatformError) -> (key: AppKey, isNew: Bool) in
            let inUse = try await signingKeys(of: app.id)
            if let known = inUse.first(where: { $0.id == key.id }) {
                guard (known.privateKey == nil) == (key.privateKey == nil) else {
                    let location = known.privateKey == nil ? "outside" : "on the server"
                    throw PlatformError(
                        .conflict,
                        "The key \(key.id) is in use with its private half \(location), which cannot change. Use another key."
                    )
                }
                return (known, false)
            }
            guard inUse.count < Self.maximumSigningKeys else {
                throw PlatformError(
                    .conflict,
                    "The app '\(app.id)' has \(inUse.count) signing keys in use, which is the limit. Retire one first.")
            }
            try await adopt(key, action, by: author)
            return (key, true)
        }
    }
}

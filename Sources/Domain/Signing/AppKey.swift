/// What a key is for.
package enum KeyPurpose: String, Sendable, CaseIterable {
    /// Signs `/keys.json`; exists from the app's creation.
    case root
    /// Signs artifacts, by Ed25519.
    case signing
    /// Seed 000's RSA pair (clients.md K13).
    case legacy
}

/// A key of an app as it is stored: for its root, its artifacts, or seed 000.
///
/// Never described: it may hold a private half.
package struct AppKey: Sendable, Equatable {
    package let app: AppID
    package let purpose: KeyPurpose
    package let id: KeyID
    /// Ed25519: 32 raw bytes.
    ///
    /// Legacy: PEM (SubjectPublicKeyInfo).
    package let publicKey: [UInt8]
    /// Ed25519: 32 raw bytes, or `nil` once it is retired, and for a signing key whose private half is outside.
    ///
    /// Legacy: PEM (PKCS #8), or `nil` where only the public half was imported.
    package let privateKey: [UInt8]?
    package let createdAt: Timestamp
    /// When it was taken out of use; `nil` while it signs.
    package let retiredAt: Timestamp?

    package init(
        app: AppID, purpose: KeyPurpose, id: KeyID, publicKey: [UInt8], privateKey: [UInt8]?, createdAt: Timestamp,
        retiredAt: Timestamp? = nil
    ) {
        self.app = app
        self.purpose = purpose
        self.id = id
        self.publicKey = publicKey
        self.privateKey = privateKey
        self.createdAt = createdAt
        self.retiredAt = retiredAt
    }
}

extension [AppKey] {
    /// Of keys in use the legacy ones, the one that came first to begin with: also where it was retired meanwhile.
    package var legacy: [AppKey] { filter { $0.purpose == .legacy } }
}

package import Ground

/// The purpose of a key.
package enum KeyPurpose: String, Sendable, CaseIterable {
    /// The key that signs `/keys.json`; created with the app.
    case root
    /// An Ed25519 key that signs artifacts.
    case signing
    /// The RSA pair of seed 000's clients (clients.md K13).
    case legacy
}

/// A stored key of an app: the root key, a signing key for artifacts, or a legacy key for seed 000.
///
/// It has no description, since it may hold a private half.
package struct AppKey: Sendable, Equatable {
    package let app: AppID
    package let purpose: KeyPurpose
    package let id: KeyID
    /// The public half: for Ed25519 32 raw bytes, for a legacy key PEM (SubjectPublicKeyInfo).
    package let publicKey: [UInt8]
    /// The private half: for Ed25519 32 raw bytes, for a legacy key PEM (PKCS #8).
    ///
    /// `nil` for a retired Ed25519 key, and if only the public half was imported.
    package let privateKey: [UInt8]?
    package let createdAt: Timestamp
    /// The time of retirement; `nil` while the key is in use.
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
    /// The legacy keys, oldest first; their order is that of first use, even if a key was retired in between.
    package var legacy: [AppKey] { filter { $0.purpose == .legacy } }
}

/// What a key is for.
package enum KeyPurpose: String, Sendable, CaseIterable {
    /// Signs `/keys.json`; exists from the app's creation.
    case root
    /// Signs artifacts, by Ed25519.
    case signing
    /// Seed 000's RSA pair (clients.md K13).
    case legacy
}

/// A key of an app.
///
/// Never described: it may hold a private half.
package struct SigningKey: Sendable, Equatable {
    package let app: AppID
    package let purpose: KeyPurpose
    package let id: KeyID
    /// Ed25519: 32 raw bytes.
    ///
    /// Legacy: PEM (SubjectPublicKeyInfo).
    package let publicKey: [UInt8]
    /// Ed25519: 32 raw bytes.
    ///
    /// Legacy: PEM (PKCS #8), or `nil` where only the public half was imported.
    package let privateKey: [UInt8]?
    package let createdAt: Timestamp

    package init(
        app: AppID, purpose: KeyPurpose, id: KeyID, publicKey: [UInt8], privateKey: [UInt8]?, createdAt: Timestamp
    ) {
        self.app = app
        self.purpose = purpose
        self.id = id
        self.publicKey = publicKey
        self.privateKey = privateKey
        self.createdAt = createdAt
    }
}

/// The first 16 hex digits of the SHA-256 of the raw public key (semantics.md §6).
package struct KeyID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(fingerprint: SHA256Digest) {
        text = String(fingerprint.hex.prefix(16))
    }

    /// Fails unless the text is 16 hex digits in lower case.
    package init?(_ text: String) {
        guard text.utf8.count == 16, Hex.decode(text) != nil else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// One signature over an artifact.
package struct Signature: Sendable, Equatable {
    package let purpose: KeyPurpose
    package let keyID: KeyID
    package let value: [UInt8]

    package init(purpose: KeyPurpose, keyID: KeyID, value: [UInt8]) {
        self.purpose = purpose
        self.keyID = keyID
        self.value = value
    }
}

package import Ground

/// The content of `/keys.json`: the signing keys of an app, signed by the root key (semantics.md §6).
package struct KeyDocument: Sendable, Equatable {
    package let app: AppID
    /// The number of the document, which grows with every document of the app.
    package let number: Int64
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let root: KeyID
    package let rootPublicKey: [UInt8]
    /// The signing keys in use, oldest first.
    package let signing: [Key]
    /// The retired signing keys, most recently retired first.
    package let history: [Key]
    /// The changes of the root key, oldest first.
    package let rootHistory: [RootChange]

    /// A signing key and its validity period.
    package struct Key: Sendable, Equatable {
        package let id: KeyID
        package let publicKey: [UInt8]
        package let validFrom: Timestamp
        /// The end of validity; `nil` for a key in use.
        package let validUntil: Timestamp?

        package init(id: KeyID, publicKey: [UInt8], validFrom: Timestamp, validUntil: Timestamp? = nil) {
            self.id = id
            self.publicKey = publicKey
            self.validFrom = validFrom
            self.validUntil = validUntil
        }

        package init(_ key: AppKey) {
            self.init(id: key.id, publicKey: key.publicKey, validFrom: key.createdAt, validUntil: key.retiredAt)
        }
    }

    /// The lifetime of a document, and the age at which it is renewed.
    package static let lifetimeMilliseconds: Int64 = 30 * 86_400_000
    package static let renewalMilliseconds: Int64 = 86_400_000

    /// The limit on retired keys in a document, which keeps it small.
    package static let historyLength = 50

    package init(
        app: AppID, number: Int64, issuedAt: Timestamp, expiresAt: Timestamp, root: KeyID, rootPublicKey: [UInt8],
        signing: [Key], history: [Key] = [], rootHistory: [RootChange] = []
    ) {
        self.app = app
        self.number = number
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.root = root
        self.rootPublicKey = rootPublicKey
        self.signing = signing
        self.history = history
        self.rootHistory = rootHistory
    }

    /// The document as JSON, which the root key signs after ``prefix``.
    package var bytes: [UInt8] {
        JSON.object([
            "app": .string(app.text),
            "number": .integer(number),
            "issued": .string(issuedAt.rfc3339),
            "expires": .string(expiresAt.rfc3339),
            "root": .object([
                "keyId": .string(root.text), "algorithm": "ed25519",
                "publicKey": .string(Base64.encode(rootPublicKey)),
            ]),
            "keys": Self.list(signing),
            "history": Self.list(history),
            "rootHistory": rootHistory.isEmpty ? nil : .array(rootHistory.map(\.json)),
        ]).bytes()
    }

    /// Returns whether a document names the same keys, retired keys and root changes.
    package func namesKeys(of bytes: [UInt8]) -> Bool {
        guard let own = JSON(parsing: self.bytes), let other = JSON(parsing: bytes) else { return false }
        return ["keys", "history", "rootHistory"].allSatisfy { own[$0] == other[$0] }
    }

    private static func list(_ keys: [Key]) -> JSON {
        .array(
            keys.map { key in
                .object([
                    "keyId": .string(key.id.text), "algorithm": "ed25519", "purpose": "artifacts",
                    "publicKey": .string(Base64.encode(key.publicKey)),
                    "validFrom": .string(key.validFrom.rfc3339),
                    "validUntil": key.validUntil.map { .string($0.rfc3339) },
                ])
            })
    }

    /// The prefix of the signed bytes: `larder-keys-1` LF.
    package static let prefix = Array("larder-keys-1\n".utf8)
}

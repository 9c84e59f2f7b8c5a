/// What `/keys.json` says: the signing keys of an app, under the root key's signature (semantics.md §6).
package struct KeyDocument: Sendable, Equatable {
    package let app: AppID
    /// Grows with every document of the app.
    package let number: Int64
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let root: KeyID
    package let rootPublicKey: [UInt8]
    /// In use, oldest first.
    package let signing: [Key]
    /// Retired, the last one first.
    package let history: [Key]
    /// How the root key came to be the one, the first change first.
    package let rootHistory: [RootChange]

    /// A signing key and when it is to be trusted.
    package struct Key: Sendable, Equatable {
        package let id: KeyID
        package let publicKey: [UInt8]
        package let validFrom: Timestamp
        /// The instant from which on it is not; `nil` for a key in use.
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

    /// How long a document may be used, and how old it may get before a new one is made.
    package static let lifetimeMilliseconds: Int64 = 30 * 86_400_000
    package static let renewalMilliseconds: Int64 = 86_400_000

    /// Retired keys in a document, so that it stays small however often keys change.
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

    /// The document as JSON: what the root key signs after ``prefix``.
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

    /// Whether the bytes of a document say the same of keys and of what became of earlier ones.
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

    /// `larder-keys-1` LF.
    package static let prefix = Array("larder-keys-1\n".utf8)
}

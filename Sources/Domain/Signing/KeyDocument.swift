/// What `/keys.json` says: the signing keys of an app, under the root key's signature (semantics.md §6).
package struct KeyDocument: Sendable, Equatable {
    package let app: AppID
    /// Grows with every document of the app.
    package let number: Int64
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let root: KeyID
    package let rootPublicKey: [UInt8]
    package let signing: [(id: KeyID, publicKey: [UInt8], validFrom: Timestamp)]

    /// How long a document may be used, and how old it may get before a new one is made.
    package static let lifetimeMilliseconds: Int64 = 30 * 86_400_000
    package static let renewalMilliseconds: Int64 = 86_400_000

    package init(
        app: AppID, number: Int64, issuedAt: Timestamp, expiresAt: Timestamp, root: KeyID, rootPublicKey: [UInt8],
        signing: [(id: KeyID, publicKey: [UInt8], validFrom: Timestamp)]
    ) {
        self.app = app
        self.number = number
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.root = root
        self.rootPublicKey = rootPublicKey
        self.signing = signing
    }

    package static func == (left: KeyDocument, right: KeyDocument) -> Bool { left.bytes == right.bytes }

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
            "keys": .array(
                signing.map { key in
                    .object([
                        "keyId": .string(key.id.text), "algorithm": "ed25519", "purpose": "artifacts",
                        "publicKey": .string(Base64.encode(key.publicKey)),
                        "validFrom": .string(key.validFrom.rfc3339),
                    ])
                }),
        ]).bytes()
    }

    /// `larder-keys-1` LF.
    package static let prefix = Array("larder-keys-1\n".utf8)
}

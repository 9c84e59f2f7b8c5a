package import Ground

extension SignedArtifact {
    /// The Ed25519 signatures as JSON, in every response that names them (semantics.md §4).
    package var ed25519JSON: JSON {
        signatures.filter { $0.purpose == .signing }.json
    }
}

extension [Signature] {
    /// The signatures as JSON, in every response that names them (semantics.md §4).
    package var json: JSON {
        .array(
            map { signature in
                .object([
                    "keyId": .string(signature.keyID.text), "value": .string(Base64.encode(signature.value)),
                ])
            })
    }
}

extension SignedKeyDocument {
    /// The document as `/keys.json` (semantics.md §6).
    package var publicJSON: JSON {
        .object([
            "signed": .string(Base64.encode(document)),
            "signatures": .array([
                .object(["keyId": .string(keyID.text), "value": .string(Base64.encode(signature))])
            ]),
        ])
    }
}

import Artifacts
import Domain

/// Signs whole answers to `/config`, as a server would.
struct ConfigSigner: Sendable {
    private let cryptography = OpenSSLCryptography()
    private let key: (publicKey: [UInt8], privateKey: [UInt8])
    /// What `Larder-Base` says.
    var base = "default/production"
    var created = Timestamp(milliseconds: 0)
    /// Long after all that tests do, but for those that are about it.
    var expires = Timestamp(milliseconds: 4_000_000_000_000)

    init(_ publication: Publication) { key = publication.signing }

    var keyID: KeyID { KeyID(fingerprint: cryptography.sha256(key.publicKey)) }

    /// Puts the signature into the fields of an answer with status 200.
    func sign(_ body: [UInt8], _ fields: inout [String: String]) {
        fields["Larder-Base"] = base
        fields["Content-Digest"] = ConfigSignature.contentDigest(cryptography.sha256(body))
        let parameters = ConfigSignature.parameters(
            created: created.milliseconds / 1000, expires: expires.milliseconds / 1000, keyID: keyID)
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.key.lowercased(), $0.value) })
        let covered = ConfigSignature.covered.map { name in
            SignatureBase.Component(name, name == "@status" ? "200" : values[name] ?? "")
        }
        let message = SignatureBase.bytes(of: covered, parameters: parameters)
        // No more than a signature that is wrong comes of a failure.
        let signature = (try? cryptography.signEd25519(message, privateKey: key.privateKey)) ?? []
        fields["Signature-Input"] = "larder=\(parameters)"
        fields["Signature"] = "larder=:\(Base64.encode(signature)):"
    }
}

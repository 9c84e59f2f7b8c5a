import Artifacts
import Domain
import Ground

/// A signer of whole `/config` responses, like that of a server.
struct ConfigSigner: Sendable {
    private let cryptography = OpenSSLCryptography()
    private let key: (publicKey: [UInt8], privateKey: [UInt8])
    /// The value of `Larder-Base`.
    var base = "default/production"
    var created = Timestamp(milliseconds: 0)
    /// A time long after all tests, except those about expiry.
    var expires = Timestamp(milliseconds: 4_000_000_000_000)

    init(_ publication: Publication) { key = publication.signing }

    var keyID: KeyID { KeyID(fingerprint: cryptography.sha256(key.publicKey)) }

    /// Adds the signature to the fields of a response with status 200.
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
        // A failure results in a wrong signature.
        let signature = (try? cryptography.signEd25519(message, privateKey: key.privateKey)) ?? []
        fields["Signature-Input"] = "larder=\(parameters)"
        fields["Signature"] = "larder=:\(Base64.encode(signature)):"
    }
}

import Domain
import Ground
import HTTP
import Platform

/// The signatures over one `/config` response, and the header fields that they cover (semantics.md §6).
struct ResponseSignatures: Sendable {
    let view: ChannelView
    /// The entity tag's content for the signed document.
    let content: String
    /// The revision of the app's keys that signed.
    let keyRevision: Int
    /// The entity tag's content for the signed response; it differs for each signature.
    ///
    /// A cached response then never counts as fresh for longer than its signature. Signing again within the same half
    /// hour gives the same tag.
    let etagName: String
    let expires: Timestamp
    /// The fields `Larder-Base`, `Content-Digest`, `Signature-Input` and `Signature`.
    let fields: Fields
    private let fresh: Range<Timestamp>

    /// Signs the document; takes a moment.
    ///
    /// - Parameters:
    ///   - content: The document of `view`.
    ///   - signer: A signer that has a key.
    init(
        _ view: ChannelView, _ content: ConfigContent, at now: Timestamp, by signer: ResponseSigner,
        _ cryptography: any Cryptography
    ) throws(PlatformError) {
        let sum = cryptography.sha256(content.body.identity)
        let created = Self.beginning(of: sum, at: now)
        let expires = created.adding(milliseconds: ConfigSignature.lifetimeMilliseconds)
        let base = ConfigSignature.base(app: view.app, channel: view.channel)
        let digest = ConfigSignature.contentDigest(sum)
        let parameters = signer.keyIDs.map { key in
            ConfigSignature.parameters(
                created: created.milliseconds / 1000, expires: expires.milliseconds / 1000, keyID: key)
        }
        let identity = [content.etagName, base, "\(view.configVersion)", "\(view.cursor)"] + parameters
        let etagName = cryptography.etagName(of: Array(identity.joined(separator: "\n").utf8))
        let values = [
            "@status": "\(Status.ok.code)", "content-digest": digest, "content-type": ConfigResponses.contentType,
            "etag": ContentCoding.identity.etag(etagName), "larder-base": base,
            "larder-config-version": "\(view.configVersion)", "larder-cursor": "\(view.cursor)",
        ]
        let covered = ConfigSignature.covered.map { SignatureBase.Component($0, values[$0] ?? "") }
        let parametersByKey = Dictionary(uniqueKeysWithValues: zip(signer.keyIDs, parameters))
        let signatures = try signer.signatures { key in
            SignatureBase.bytes(of: covered, parameters: parametersByKey[key] ?? "")
        }
        self.view = view
        self.content = content.etagName
        self.etagName = etagName
        self.expires = expires
        keyRevision = signer.revision
        fresh = created..<created.adding(milliseconds: ConfigSignature.renewalMilliseconds)
        fields = [
            .larderBase: base, .contentDigest: digest,
            .signatureInput: Self.members(parameters),
            .signature: Self.members(signatures.map { ":\(Base64.encode($0.value)):" }),
        ]
    }

    /// Returns the latest renewal time of a content's signature: every half hour, at an offset given by the content.
    ///
    /// The time is in whole seconds and never in the future.
    private static func beginning(of digest: SHA256Digest, at now: Timestamp) -> Timestamp {
        let period = ConfigSignature.renewalMilliseconds
        let number = digest.bytes.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let shift = number % (period / 1000) * 1000
        let passed = ((now.milliseconds - shift) % period + period) % period
        return now.adding(milliseconds: -passed)
    }

    /// Returns whether the signatures cover this content, were made by the current keys and are not due for renewal.
    func isValid(for view: ChannelView, _ content: String, keyRevision: Int, at now: Timestamp) -> Bool {
        self.view === view && self.content == content && isValid(keyRevision: keyRevision, at: now)
    }

    /// Returns whether the signatures were made by the current keys and are not due for renewal.
    func isValid(keyRevision: Int, at now: Timestamp) -> Bool {
        self.keyRevision == keyRevision && fresh.contains(now)
    }

    /// Returns a dictionary with one member for each signature (RFC 8941 §3.2).
    private static func members(_ values: [String]) -> String {
        values.enumerated().map { index, value in
            "\(ConfigSignature.label)\(index == 0 ? "" : "\(index + 1)")=\(value)"
        }.joined(separator: ", ")
    }
}

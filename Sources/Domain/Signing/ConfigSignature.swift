/// What is signed of a whole answer to `/config`, as an HTTP message signature (semantics.md §6, RFC 9421).
package enum ConfigSignature {
    /// What tells such a signature from others in the same message.
    package static let tag = "larder-config"
    /// The label of the first one; further ones have a number.
    package static let label = "larder"
    /// Milliseconds for which a signature holds, and after which a new one is made.
    package static let lifetimeMilliseconds: Int64 = 3_600_000
    package static let renewalMilliseconds: Int64 = lifetimeMilliseconds / 2

    /// The names of what is covered, in the order in which the server has them.
    package static let covered = [
        "@status", "content-digest", "content-type", "etag", "larder-base", "larder-config-version", "larder-cursor",
    ]

    /// What `Larder-Base` says: an answer for another app or channel is no use.
    package static func base(app: AppID, channel: ChannelName) -> String { "\(app)/\(channel)" }

    /// What `Content-Digest` says of a body (RFC 9530).
    package static func contentDigest(_ digest: SHA256Digest) -> String {
        "sha-256=:\(Base64.encode(digest.bytes)):"
    }

    /// What `Signature-Input` says of a signature.
    ///
    /// - Parameters:
    ///   - created: Unix seconds.
    ///   - expires: Unix seconds, from which on the signature holds no more.
    package static func parameters(created: Int64, expires: Int64, keyID: KeyID) -> String {
        let names = covered.map { "\"\($0)\"" }.joined(separator: " ")
        return "(\(names));created=\(created);expires=\(expires);keyid=\"\(keyID)\";alg=\"ed25519\";tag=\"\(tag)\""
    }
}

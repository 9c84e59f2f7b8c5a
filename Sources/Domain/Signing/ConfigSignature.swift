import Ground

/// The signature over a whole `/config` response, an HTTP message signature (semantics.md §6, RFC 9421).
package enum ConfigSignature {
    /// The tag by which such a signature is recognized among others.
    package static let tag = "larder-config"
    /// The label of the first signature; further labels have a number appended.
    package static let label = "larder"
    /// The milliseconds of a signature's lifetime, and those after which it is renewed.
    package static let lifetimeMilliseconds: Int64 = 3_600_000
    package static let renewalMilliseconds: Int64 = lifetimeMilliseconds / 2

    /// The names of the covered components, in the server's order.
    package static let covered = [
        "@status", "content-digest", "content-type", "etag", "larder-base", "larder-config-version", "larder-cursor",
    ]

    /// Returns the value of `Larder-Base`, which binds a response to an app and a channel.
    package static func base(app: AppID, channel: ChannelName) -> String { "\(app)/\(channel)" }

    /// Returns the value of `Content-Digest` for a body (RFC 9530).
    package static func contentDigest(_ digest: SHA256Digest) -> String {
        "sha-256=:\(Base64.encode(digest.bytes)):"
    }

    /// Returns the signature's parameters in `Signature-Input`.
    ///
    /// - Parameters:
    ///   - created: The time of signing, in Unix seconds.
    ///   - expires: The end of validity, in Unix seconds.
    package static func parameters(created: Int64, expires: Int64, keyID: KeyID) -> String {
        let names = covered.map { "\"\($0)\"" }.joined(separator: " ")
        return "(\(names));created=\(created);expires=\(expires);keyid=\"\(keyID)\";alg=\"ed25519\";tag=\"\(tag)\""
    }
}

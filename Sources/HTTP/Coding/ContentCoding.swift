/// A content coding of a body (RFC 9110 §8.4.1).
package enum ContentCoding: Hashable, Sendable, CaseIterable {
    /// No coding.
    case identity
    /// The gzip format (RFC 1952).
    case gzip
    /// The Brotli format (RFC 7932).
    case brotli

    /// The value of `Content-Encoding`; `nil` for ``identity``, which has no such field.
    package var token: String? {
        switch self {
        case .identity: nil
        case .gzip: "gzip"
        case .brotli: "br"
        }
    }

    /// Returns the entity tag of a representation; each coding has its own, since the bytes differ (RFC 9110 §8.8.3.3).
    ///
    /// - Parameter name: The entity tag of the identity representation, without quotes.
    package func etag(_ name: String) -> String {
        token.map { "\"\(name)-\($0)\"" } ?? "\"\(name)\""
    }
}

/// A way in which the bytes of a body are written (RFC 9110 §8.4.1).
package enum ContentCoding: Hashable, Sendable, CaseIterable {
    /// As they are.
    case identity
    /// RFC 1952.
    case gzip
    /// RFC 7932.
    case brotli

    /// What `Content-Encoding` says; `nil` for ``identity``, which is not said.
    package var token: String? {
        switch self {
        case .identity: nil
        case .gzip: "gzip"
        case .brotli: "br"
        }
    }

    /// The entity tag of a representation: each coding has its own, since its bytes are others (RFC 9110 §8.8.3.3).
    ///
    /// - Parameter name: What is in the tag of the bytes as they are.
    package func etag(_ name: String) -> String {
        token.map { "\"\(name)-\($0)\"" } ?? "\"\(name)\""
    }
}

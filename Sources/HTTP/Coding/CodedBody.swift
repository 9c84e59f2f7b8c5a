/// The bytes of a body in each available coding, made once and sent many times.
package struct CodedBody: Sendable {
    /// The length from which a body is compressed; the head of a shorter one is longer, and both fit into one packet.
    package static let leastCodedBytes = 256

    package let identity: [UInt8]
    package let gzip: [UInt8]?
    package let brotli: [UInt8]?
    /// Whether the response depends on `Accept-Encoding`, so that caches need `Vary`.
    let isNegotiated: Bool

    /// The total number of bytes in all codings.
    package var size: Int { identity.count + (gzip?.count ?? 0) + (brotli?.count ?? 0) }

    /// Creates a body with all codings that it will ever have.
    package init(_ identity: [UInt8], gzip: [UInt8]? = nil, brotli: [UInt8]? = nil) {
        self.identity = identity
        self.gzip = gzip
        self.brotli = brotli
        isNegotiated = gzip != nil || brotli != nil
    }

    /// Creates a body whose compressed codings follow later if it is long enough for any.
    package init(uncoded bytes: [UInt8]) {
        identity = bytes
        gzip = nil
        brotli = nil
        isNegotiated = bytes.count >= Self.leastCodedBytes
    }
}

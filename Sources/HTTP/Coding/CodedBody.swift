/// The bytes of a body in the codings that there are of it; made once, sent many times.
package struct CodedBody: Sendable {
    /// Bodies of fewer bytes are only sent as they are: their head is longer, and all of it fits into one packet.
    package static let leastCodedBytes = 256

    package let identity: [UInt8]
    package let gzip: [UInt8]?
    package let brotli: [UInt8]?
    /// Whether what is sent depends on `Accept-Encoding`, so that caches have to know.
    let isNegotiated: Bool

    /// The bytes of all codings together.
    package var size: Int { identity.count + (gzip?.count ?? 0) + (brotli?.count ?? 0) }

    /// A body in all codings that it has and will have.
    package init(_ identity: [UInt8], gzip: [UInt8]? = nil, brotli: [UInt8]? = nil) {
        self.identity = identity
        self.gzip = gzip
        self.brotli = brotli
        isNegotiated = gzip != nil || brotli != nil
    }

    /// A body whose codings are still to be made, if it is long enough to have any.
    package init(uncoded bytes: [UInt8]) {
        identity = bytes
        gzip = nil
        brotli = nil
        isNegotiated = bytes.count >= Self.leastCodedBytes
    }
}

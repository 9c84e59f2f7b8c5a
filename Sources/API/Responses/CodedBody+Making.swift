package import Domain
import HTTP

extension CodedBody {
    /// Compresses a body in every coding that makes it smaller; takes milliseconds for a large body.
    package init(_ bytes: [UInt8], by compressor: any TextCompressor, effort: CodingEffort = .best) {
        guard bytes.count >= Self.leastCodedBytes else {
            self.init(bytes)
            return
        }
        self.init(bytes, gzip: compressor.gzip(bytes), brotli: compressor.brotli(bytes, effort: effort))
    }
}

extension Cryptography {
    /// Returns the content of the entity tag for these bytes; it is stable across servers and restarts.
    package func etagName(of bytes: [UInt8]) -> String { String(sha256(bytes).hex.prefix(32)) }
}

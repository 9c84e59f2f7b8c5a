import Domain
import HTTP

extension CodedBody {
    /// A body in all codings that make it smaller; takes milliseconds where it is not small.
    init(_ bytes: [UInt8], by compressor: any TextCompressor, effort: CodingEffort = .best) {
        guard bytes.count >= Self.leastCodedBytes else {
            self.init(bytes)
            return
        }
        self.init(bytes, gzip: compressor.gzip(bytes), brotli: compressor.brotli(bytes, effort: effort))
    }
}

extension Cryptography {
    /// What is in the entity tag of these bytes: the same bytes have the same tag, on every server and after a restart.
    func etagName(of bytes: [UInt8]) -> String { String(sha256(bytes).hex.prefix(32)) }
}

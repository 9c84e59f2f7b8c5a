import CBrotli
import CDeflate
package import Domain

/// A compressor of response bodies with libdeflate and libbrotlienc.
package struct LibraryCompressor: TextCompressor {
    /// The level of libdeflate, whose maximum is 12: on 200 KB of config 9 takes 3 ms, and 12 takes 16 ms for 1 % less.
    static let gzipLevel: Int32 = 9

    /// The size in bytes up to which brotli's best quality is used, which takes at most 0.1 s of a core.
    static let bestBrotliBytes = 64 << 10

    package init() {}

    package func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        guard let compressor = libdeflate_alloc_compressor(Self.gzipLevel) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        return Self.smaller(bytes) { source, room in
            libdeflate_gzip_compress(compressor, source.baseAddress, source.count, room.baseAddress, room.count)
        }
    }

    package func brotli(_ bytes: [UInt8], effort: CodingEffort) -> [UInt8]? {
        Self.smaller(bytes) { source, room in
            var count = room.count
            let isMade = BrotliEncoderCompress(
                Self.brotliQuality(effort, for: source.count), BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, source.count,
                source.baseAddress, &count, room.baseAddress)
            return isMade == BROTLI_TRUE ? count : 0
        }
    }

    /// Returns the brotli quality, at most 11: on 200 KB of config 5 takes 5 ms, and 11 takes 250 ms for 11 % less.
    private static func brotliQuality(_ effort: CodingEffort, for count: Int) -> Int32 {
        effort == .best && count <= bestBrotliBytes ? BROTLI_MAX_QUALITY : 5
    }

    /// Returns the output of `code` if it is shorter than the input; `nil` if it does not fit.
    private static func smaller(
        _ bytes: [UInt8], _ code: (UnsafeBufferPointer<UInt8>, UnsafeMutableBufferPointer<UInt8>) -> Int
    ) -> [UInt8]? {
        guard bytes.count > 1 else { return nil }
        let coded = bytes.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { room, count in
                // The array may have more capacity than requested.
                count = code(source, UnsafeMutableBufferPointer(rebasing: room[..<(bytes.count - 1)]))
            }
        }
        return coded.isEmpty ? nil : coded
    }
}

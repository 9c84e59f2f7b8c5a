import CBrotli
import CDeflate
package import Domain

/// A compressor of bodies with libdeflate and libbrotlienc.
package struct LibraryCompressor: TextCompressor {
    /// The level of libdeflate, whose maximum is 12: on 200 KB of config 9 takes 3 ms, and 12 takes 16 ms for 1 % less.
    static let gzipLevel: Int32 = 9

    /// The size in bytes up to which brotli's best quality is used, which takes at most 0.1 s of a core.
    static let bestBrotliBytes = 64 << 10

    package init() {}

    package func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        guard let compressor = libdeflate_alloc_compressor(Self.gzipLevel) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        return Self.smaller(bytes) { source, buffer in
            libdeflate_gzip_compress(compressor, source.baseAddress, source.count, buffer.baseAddress, buffer.count)
        }
    }

    package func brotli(_ bytes: [UInt8], effort: CodingEffort) -> [UInt8]? {
        Self.smaller(bytes) { source, buffer in
            var count = buffer.count
            let isMade = BrotliEncoderCompress(
                Self.brotliQuality(effort, for: source.count), BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, source.count,
                source.baseAddress, &count, buffer.baseAddress)
            return isMade == BROTLI_TRUE ? count : 0
        }
    }

    package func gunzip(_ bytes: [UInt8], upTo limit: Int) throws(ExpansionError) -> [UInt8] {
        guard let decompressor = libdeflate_alloc_decompressor() else { throw .memoryIsShort }
        defer { libdeflate_free_decompressor(decompressor) }
        var content: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let member = try Self.firstMember(of: rest, upTo: limit - content.count, by: decompressor)
            content += member.content
            rest = rest.dropFirst(member.length)
        } while !rest.isEmpty
        return content
    }

    /// Expands the first member of a gzip file; tries larger buffers until its content fits.
    private static func firstMember(
        of bytes: ArraySlice<UInt8>, upTo limit: Int, by decompressor: OpaquePointer
    ) throws(ExpansionError) -> (content: [UInt8], length: Int) {
        var size = min(limit, 4 * bytes.count)
        while true {
            var length = 0
            var result = LIBDEFLATE_BAD_DATA
            let content = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { buffer, count in
                result = bytes.withUnsafeBufferPointer { source in
                    libdeflate_gzip_decompress_ex(
                        decompressor, source.baseAddress, source.count, buffer.baseAddress, size, &length, &count)
                }
                if result != LIBDEFLATE_SUCCESS { count = 0 }
            }
            switch result {
            case LIBDEFLATE_SUCCESS: return (content, length)
            case LIBDEFLATE_INSUFFICIENT_SPACE where size < limit: size = min(limit, 2 * size)
            case LIBDEFLATE_INSUFFICIENT_SPACE: throw .tooLarge
            default: throw .damaged
            }
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
            [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { buffer, count in
                // The array may have more capacity than requested.
                count = code(source, UnsafeMutableBufferPointer(rebasing: buffer[..<(bytes.count - 1)]))
            }
        }
        return coded.isEmpty ? nil : coded
    }
}

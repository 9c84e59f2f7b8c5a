import Artifacts
import CBrotliDecoder
import CDeflate
import Domain
import Testing

struct CompressorTests {
    private let compressor = LibraryCompressor()

    /// Texts around the length up to which brotli's best quality is used.
    private static let texts = [256, 5_000, 64 << 10, (64 << 10) + 1, 1 << 20].map { count in
        let line = Array(#"{"url": "https://host/blobs/", "size": 21006}, "#.utf8)
        return (0..<count).map { line[$0 % line.count] ^ ($0 % 997 == 0 ? 1 : 0) }
    }

    @Test(arguments: texts)
    func `a text is smaller in either coding, and read back`(text: [UInt8]) throws {
        let gzip = try #require(compressor.gzip(text))
        #expect(gzip.count < text.count)
        #expect(gzip.starts(with: [0x1F, 0x8B, 8]))
        #expect(Self.gunzip(gzip, count: text.count) == text)
        for effort in [CodingEffort.best, .quick] {
            let brotli = try #require(compressor.brotli(text, effort: effort))
            #expect(brotli.count < text.count)
            #expect(Self.unbrotli(brotli, count: text.count) == text)
        }
    }

    @Test(arguments: [0, 1, 2, 100, 100_000])
    func `content that would not get smaller has no coding`(count: Int) {
        let noise = (0..<count).map { _ in UInt8.random(in: 0...255) }
        #expect(compressor.gzip(noise) == nil)
        #expect(compressor.brotli(noise, effort: .best) == nil)
    }

    @Test func `a text always has the same coding, so that its entity tag may be strong`() {
        #expect(compressor.gzip(Self.texts[1]) == compressor.gzip(Self.texts[1]))
        for effort in [CodingEffort.best, .quick] {
            #expect(
                compressor.brotli(Self.texts[1], effort: effort) == compressor.brotli(Self.texts[1], effort: effort))
        }
    }

    @Test(arguments: texts)
    func `a gzip file is expanded up to the limit`(text: [UInt8]) throws {
        let gzip = try #require(compressor.gzip(text))
        #expect(try compressor.gunzip(gzip, upTo: text.count) == text)
        #expect(throws: ExpansionError.tooLarge) { try compressor.gunzip(gzip, upTo: text.count - 1) }
    }

    @Test func `all members of a gzip file are expanded, and the limit is that of all together`() throws {
        let members = Self.texts.prefix(2)
        let file = try members.flatMap { try #require(compressor.gzip($0)) }
        let content = members.flatMap { $0 }
        #expect(try compressor.gunzip(file, upTo: content.count) == content)
        #expect(throws: ExpansionError.tooLarge) { try compressor.gunzip(file, upTo: content.count - 1) }
    }

    @Test func `a file that is damaged, cut or followed by other bytes is no gzip file`() throws {
        let text = Self.texts[1]
        let gzip = try #require(compressor.gzip(text))
        for cut in 0..<gzip.count {
            #expect(throws: ExpansionError.damaged) { try compressor.gunzip(Array(gzip.prefix(cut)), upTo: 1 << 20) }
        }
        var changed = gzip
        changed[gzip.count - 5] ^= 1
        for file in [changed, gzip + [0], text] {
            #expect(throws: ExpansionError.damaged) { try compressor.gunzip(file, upTo: 1 << 20) }
        }
    }

    private static func gunzip(_ bytes: [UInt8], count: Int) -> [UInt8]? {
        guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        var text = [UInt8](repeating: 0, count: count)
        var written = 0
        let result = libdeflate_gzip_decompress(decompressor, bytes, bytes.count, &text, count, &written)
        return result == LIBDEFLATE_SUCCESS && written == count ? text : nil
    }

    private static func unbrotli(_ bytes: [UInt8], count: Int) -> [UInt8]? {
        var text = [UInt8](repeating: 0, count: count)
        var written = count
        let result = BrotliDecoderDecompress(bytes.count, bytes, &written, &text)
        return result == BROTLI_DECODER_RESULT_SUCCESS && written == count ? text : nil
    }
}

import CDeflate
import Domain

/// A compressor of raw deflate streams (RFC 1951) by libdeflate; its memory is freed at the end of its owner's life.
///
/// Needs a whole file and its stream in memory; the caller limits the file's size.
struct Deflater: ~Copyable {
    /// The level of libdeflate, whose maximum is 12.
    ///
    /// 16 MB of JavaScript, one core: level 6 16.9 % in 0.19 s, 9 16.3 % in 1.1 s, 12 15.3 % in 3.6 s.
    static let level: Int32 = 9

    private let compressor: OpaquePointer

    init() throws(PlatformError) {
        guard let compressor = libdeflate_alloc_compressor(Self.level) else { throw Self.outOfMemory }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Passes the stream of these bytes to `body`, or `nil` if it would not be smaller.
    func deflate<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?) throws(PlatformError) -> Result
    ) throws(PlatformError) -> Result {
        guard bytes.count > 1 else { return try body(nil) }
        // Untouched pages of the buffer cost nothing.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count - 1, alignment: 16)
        defer { buffer.deallocate() }
        let count = libdeflate_deflate_compress(
            compressor, bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count)
        return try body(count == 0 ? nil : UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    private static var outOfMemory: PlatformError {
        PlatformError(
            .internalError, "There is not enough memory to compress files.", cause: "libdeflate_alloc_compressor")
    }
}

import CZlib
import Domain

/// An incremental compressor of raw deflate streams (RFC 1951) by zlib, for files too long to be held in memory.
///
/// Takes about 400 KB, regardless of the file's length; its memory is freed at the end of its owner's life.
struct StreamDeflater: ~Copyable {
    /// The level of zlib, whose maximum is 9.
    static let level: Int32 = 9

    private static let bufferSize = 64 << 10

    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer: UnsafeMutableRawBufferPointer

    init() throws(PlatformError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
        guard larder_deflate_init_raw(stream, Self.level) == Z_OK else {
            throw PlatformError(.internalError, "There is not enough memory to compress files.", cause: "deflateInit2")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        buffer.deallocate()
    }

    /// Compresses the next piece and passes the available output to `body`.
    func deflate(
        _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(PlatformError) -> Void
    ) throws(PlatformError) {
        // zlib reads through this pointer and never writes.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: piece.baseAddress)?.assumingMemoryBound(
            to: UInt8.self)
        stream.pointee.avail_in = UInt32(piece.count)
        try run(Z_NO_FLUSH, body)
    }

    /// Passes the rest of the stream to `body`.
    func finish(_ body: (UnsafeRawBufferPointer) throws(PlatformError) -> Void) throws(PlatformError) {
        stream.pointee.avail_in = 0
        try run(Z_FINISH, body)
    }

    /// Runs zlib until it leaves room in the buffer: then it has consumed or produced everything.
    private func run(
        _ flush: Int32, _ body: (UnsafeRawBufferPointer) throws(PlatformError) -> Void
    ) throws(PlatformError) {
        repeat {
            stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(buffer.count)
            guard CZlib.deflate(stream, flush) != Z_STREAM_ERROR else {
                throw PlatformError(.internalError, "A file could not be compressed.", cause: "deflate: stream error")
            }
            let ready = buffer.count - Int(stream.pointee.avail_out)
            if ready > 0 { try body(UnsafeRawBufferPointer(rebasing: buffer[..<ready])) }
        } while stream.pointee.avail_out == 0
    }
}

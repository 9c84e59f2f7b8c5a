import CZstd
import Domain

/// An encoder of zstd frames (RFC 8878) whose matches may lie in a prefix; its memory is freed at the end of its
/// owner's life.
struct ZstdEncoder: ~Copyable {
    private let context: OpaquePointer
    private let endsWithTask: Bool
    private let deadline: ContinuousClock.Instant?

    /// The reason of the error after the deadline.
    static let tookTooLong = "took-too-long"

    /// - Parameters:
    ///   - endsWithTask: Whether a frame fails soon after its task is cancelled.
    ///   - deadline: The instant after which every frame fails, one in progress included.
    init(endsWithTask: Bool = false, deadline: ContinuousClock.Instant? = nil) throws(PlatformError) {
        guard let context = ZSTD_createCCtx() else {
            throw PlatformError(
                .internalError, "There is not enough memory to compress files.", cause: "ZSTD_createCCtx")
        }
        self.context = context
        self.endsWithTask = endsWithTask
        self.deadline = deadline
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Returns one frame that contains `bytes` and states their number.
    ///
    /// Allocates the maximum length of a frame, in addition to the encoder's memory.
    ///
    /// - Parameters:
    ///   - prefix: Bytes that the decoder also has; matches may refer to all of it.
    ///   - findsFarMatches: Whether to use zstd's long mode, for a prefix of many megabytes.
    func frame(
        of bytes: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, level: Int32, findsFarMatches: Bool
    ) throws(PlatformError) -> [UInt8] {
        ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters)
        try set(ZSTD_c_compressionLevel, level)
        // The prefix stays within reach as long as the content itself fits into the window.
        try set(ZSTD_c_windowLog, Self.windowLog(for: bytes.count))
        // 1 is on, 2 is off; zstd's default depends on the window and suits prefixes badly.
        try set(ZSTD_c_enableLongDistanceMatching, findsFarMatches ? 1 : 2)
        try check(ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count))
        try check(ZSTD_CCtx_setPledgedSrcSize(context, UInt64(bytes.count)))
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let count = try frame.withUnsafeMutableBufferPointer { (room) throws(PlatformError) in
            try compress(bytes, into: UnsafeMutableRawBufferPointer(room))
        }
        frame.removeLast(frame.count - count)
        return frame
    }

    /// Compresses into `room` and returns the length of the frame.
    private func compress(
        _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(PlatformError) -> Int {
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        var start = 0
        var left: Int
        repeat {
            guard !endsWithTask || !Task.isCancelled else {
                throw PlatformError(.busy, "A file was not compressed, because the server is stopping.")
            }
            if let deadline, ContinuousClock.now >= deadline {
                throw PlatformError(.busy, "A file took too long to compress.", reason: Self.tookTooLong)
            }
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + Self.pieceLength, bytes.count)])
            start += piece.count
            var input = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
            let mode = start == bytes.count ? ZSTD_e_end : ZSTD_e_continue
            left = try check(ZSTD_compressStream2(context, &output, &input, mode))
        } while start < bytes.count
        guard left == 0 else {
            throw PlatformError(.internalError, "A file could not be compressed.", cause: "zstd: no room left")
        }
        return output.pos
    }

    /// The number of bytes that are compressed at a time: half a second at the best level.
    ///
    /// The frame's bytes depend on it.
    private static let pieceLength = 512 << 10

    /// Returns the bit length of the size, within the range that every decoder accepts.
    static func windowLog(for size: Int) -> Int32 {
        let bits = Int32(Int.bitWidth - max(size, 1).leadingZeroBitCount)
        return min(max(bits, 10), maximumWindowLog)
    }

    /// The largest window that zstd's command line decodes by default.
    static let maximumWindowLog: Int32 = 27

    private func set(_ parameter: ZSTD_cParameter, _ value: Int32) throws(PlatformError) {
        try check(ZSTD_CCtx_setParameter(context, parameter, value))
    }

    @discardableResult
    private func check(_ result: Int) throws(PlatformError) -> Int {
        guard ZSTD_isError(result) == 0 else {
            throw PlatformError(
                .internalError, "A file could not be compressed.",
                cause: "zstd: \(String(cString: ZSTD_getErrorName(result)))")
        }
        return result
    }
}

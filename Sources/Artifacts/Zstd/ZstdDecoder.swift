import CZstd

/// A decoder of untrusted zstd frames (RFC 8878); its memory is freed at the end of its owner's life.
struct ZstdDecoder: ~Copyable {
    private let context: OpaquePointer

    /// Returns `nil` if there is no memory for it.
    init?() {
        guard let context = ZSTD_createDCtx() else { return nil }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Returns the content size that a frame states, or `nil` if it states none or is malformed.
    static func contentSize(of frame: UnsafeRawBufferPointer) -> Int? {
        // The values for "unknown" and "error" are the two largest.
        Int(exactly: ZSTD_getFrameContentSize(frame.baseAddress, frame.count))
    }

    /// Returns the content of one frame, or `nil` unless that has `size` bytes and the frame ends where `frame` does.
    ///
    /// - Parameter prefix: The prefix with which the frame was made.
    func content(
        of frame: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, size: Int
    ) -> [UInt8]? {
        ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters)
        // The content is decoded into one buffer, so a frame's window costs nothing.
        guard ZSTD_isError(ZSTD_DCtx_refPrefix(context, prefix.baseAddress, prefix.count)) == 0,
            ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
        else { return nil }
        var isWhole = false
        let content = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { buffer, count in
            let result = ZSTD_decompressDCtx(context, buffer.baseAddress, size, frame.baseAddress, frame.count)
            isWhole = ZSTD_isError(result) == 0 && result == size
            count = isWhole ? size : 0
        }
        return isWhole ? content : nil
    }
}

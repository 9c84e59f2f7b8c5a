import CZstd

/// Reads zstd frames (RFC 8878), of which nothing is trusted; its memory is freed with its owner.
struct ZstdDecoder: ~Copyable {
    private let context: OpaquePointer

    /// `nil` where there is no memory for one.
    init?() {
        guard let context = ZSTD_createDCtx() else { return nil }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// How many bytes a frame says that it holds; `nil` where it does not say, or is none.
    static func contentSize(of frame: UnsafeRawBufferPointer) -> Int? {
        // The two that stand for "unknown" and "error" are the largest there are.
        Int(exactly: ZSTD_getFrameContentSize(frame.baseAddress, frame.count))
    }

    /// What one frame holds; `nil` unless that is exactly `size` bytes, and the frame ends where `frame` does.
    ///
    /// - Parameter prefix: What it was made with.
    func content(
        of frame: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, size: Int
    ) -> [UInt8]? {
        ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters)
        // The whole content has its place at once, so a frame's window costs nothing.
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

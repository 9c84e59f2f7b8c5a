import CZstd
import Domain

/// Makes zstd frames (RFC 8878) whose matches may lie in a prefix; its memory is freed with its owner.
struct ZstdEncoder: ~Copyable {
    private let context: OpaquePointer

    init() throws(PlatformError) {
        guard let context = ZSTD_createCCtx() else {
            throw PlatformError(.internalError, "There is no memory to compress files.", cause: "ZSTD_createCCtx")
        }
        self.context = context
    }

    deinit { ZSTD_freeCCtx(context) }

    /// One frame that holds `bytes`, and says how many there are.
    ///
    /// Takes memory for the longest frame there can be, beside the encoder's own.
    ///
    /// - Parameters:
    ///   - prefix: What whoever decodes has as well; all of it can be referred to.
    ///   - findsFarMatches: zstd's long mode: for a prefix of many megabytes.
    func frame(
        of bytes: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, level: Int32, findsFarMatches: Bool
    ) throws(PlatformError) -> [UInt8] {
        ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters)
        try set(ZSTD_c_compressionLevel, level)
        // The prefix stays within reach for as long as the content itself fits into the window.
        try set(ZSTD_c_windowLog, Self.windowLog(for: bytes.count))
        // 1 is on, 2 is off: by itself zstd decides by the window, and badly for prefixes.
        try set(ZSTD_c_enableLongDistanceMatching, findsFarMatches ? 1 : 2)
        try check(ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count))
        let room = ZSTD_compressBound(bytes.count)
        var failure: PlatformError?
        let frame = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            do throws(PlatformError) {
                count = try check(
                    ZSTD_compress2(context, buffer.baseAddress, buffer.count, bytes.baseAddress, bytes.count))
            } catch {
                failure = error
                count = 0
            }
        }
        if let failure { throw failure }
        return frame
    }

    /// The bit length of the size, within what every decoder takes.
    static func windowLog(for size: Int) -> Int32 {
        let bits = Int32(Int.bitWidth - max(size, 1).leadingZeroBitCount)
        return min(max(bits, 10), maximumWindowLog)
    }

    /// zstd's command line decodes up to this window without being asked to.
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

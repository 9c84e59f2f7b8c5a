import COpenSSL
import Domain

/// The only code that converts OpenSSL's return codes to errors.
enum OpenSSLFailure {
    /// Removes all errors from OpenSSL's queue of this thread and returns them, oldest first.
    private static func drainQueue() -> String {
        var reasons: [String] = []
        while case let number = ERR_get_error(), number != 0 {
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(number, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
    }

    /// Returns the error of a failed call; its cause for the log holds OpenSSL's reasons, never keys.
    static func error(doing what: String) -> PlatformError {
        PlatformError(
            .internalError, "The cryptography library failed: \(what). The server's log contains the cause.",
            cause: drainQueue())
    }

    /// Throws unless a call returned 1, OpenSSL's code for success.
    static func check(_ result: Int32, doing what: String) throws(PlatformError) {
        guard result == 1 else { throw error(doing: what) }
    }

    /// Discards the reasons of an expected failure, such as a signature that does not verify.
    static func forget() { ERR_clear_error() }
}

import COpenSSL
import Domain

/// The one place where OpenSSL's return codes become errors.
enum OpenSSLFailure {
    /// The errors that OpenSSL has queued on this thread, oldest first; the queue is empty afterwards.
    private static func drainQueue() -> String {
        var reasons: [String] = []
        while case let number = ERR_get_error(), number != 0 {
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(number, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
    }

    /// The error for a call that failed; holds OpenSSL's reasons for the log, never keys.
    static func error(doing what: String) -> PlatformError {
        PlatformError(
            .internalError, "The cryptography library failed: \(what). The server's log has the cause.",
            cause: drainQueue())
    }

    /// Throws unless a call returned 1, which is OpenSSL's word for success.
    static func check(_ result: Int32, doing what: String) throws(PlatformError) {
        guard result == 1 else { throw error(doing: what) }
    }

    /// Forgets the reasons of a failure that is an answer, such as a signature that does not verify.
    static func forget() { ERR_clear_error() }
}

import CTLS

/// OpenSSL's error queue of the current thread.
enum OpenSSLErrors {
    /// Clears the queue and returns the text of its oldest error.
    static func take() -> String {
        let first = ERR_get_error()
        ERR_clear_error()
        guard first != 0 else { return "no reason given" }
        guard let reason = ERR_reason_error_string(first) else { return "error \(first)" }
        return String(cString: reason)
    }

    /// Throws unless a call returned 1.
    static func check(_ call: String, _ result: Int32) throws(TLSError) {
        guard result == 1 else { throw .library(call: call, reason: take()) }
    }

    /// Returns the object that a call made, or throws if there is none.
    static func unwrap(_ call: String, _ made: OpaquePointer?) throws(TLSError) -> OpaquePointer {
        guard let made else { throw .library(call: call, reason: take()) }
        return made
    }
}

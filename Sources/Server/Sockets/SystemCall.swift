import Glibc

/// Helpers that return the outcome of a system call as a value or an error.
enum SystemCall {
    /// Repeats a call while signals interrupt it; returns its result and zero, or `errno`.
    @inline(__always)
    static func retrying(_ call: () -> Int) -> (result: Int, code: Int32) {
        while true {
            let result = call()
            if result >= 0 { return (result, 0) }
            let code = errno
            if code != EINTR { return (result, code) }
        }
    }

    /// Returns the result of a call, or throws if it fails.
    @discardableResult
    static func check(
        _ name: String, _ subject: String, _ call: () -> Int32
    ) throws(ServerError) -> Int32 {
        let (result, code) = retrying { Int(call()) }
        guard code == 0 else { throw .system(call: name, subject: subject, code: code) }
        return Int32(truncatingIfNeeded: result)
    }

    static func message(of code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}

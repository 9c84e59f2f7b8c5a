import Domain
import Glibc

/// The one place where the error of a system call becomes an error.
enum SystemFailure {
    /// The error of the call that has just failed.
    /// - Parameter what: What was being done, for the user: "reading the upload".
    static func error(doing what: String, errno code: Int32 = errno) -> PlatformError {
        let cause = "\(what): \(String(cString: strerror(code))) (\(code))"
        guard code != ENOSPC, code != EDQUOT else {
            return PlatformError(
                .storageFull, "The disk is full: \(what) failed. Make room and try again.", cause: cause)
        }
        return PlatformError(.storageFailed, "\(what) failed. The log has the cause.", cause: cause)
    }
}

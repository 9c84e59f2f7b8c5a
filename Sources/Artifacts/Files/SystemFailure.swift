import Domain
import Glibc

/// The one place where the error of a system call becomes an error.
enum SystemFailure {
    /// The error of the call that has just failed.
    /// - Parameter what: What was being done, as a sentence begins: "Opening the folder img".
    static func error(doing what: String, errno code: Int32 = errno) -> PlatformError {
        let reason = String(cString: strerror(code))
        guard code != ENOSPC, code != EDQUOT else {
            return PlatformError(
                .storageFull, "The disk is full: \(what) failed (\(reason)). Make room and try again.")
        }
        return PlatformError(.storageFailed, "\(what) failed: \(reason) (\(code)).")
    }
}

import Glibc

/// A system call on a file that failed.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package let number: Int32
    /// What was being done, such as "writing".
    package let action: String
    package let path: String

    /// Whether there is no room, on the disk or in the owner's share of it.
    package var isStorageFull: Bool { number == ENOSPC || number == EDQUOT }

    package init(number: Int32, action: String, path: String) {
        self.number = number
        self.action = action
        self.path = path
    }

    package var description: String { "\(action) \(path) failed: \(String(cString: strerror(number)))" }

    /// Runs a system call, again where a signal interrupted it, and throws what it reports by −1.
    @discardableResult
    package static func check<Result: SignedInteger>(
        _ action: StaticString, _ path: String, _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            guard result == -1 else { return result }
            let number = errno
            guard number == EINTR else {
                throw SystemError(number: number, action: action.description, path: path)
            }
        }
    }
}

import Glibc

/// The error of a failed system call on a file.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package let number: Int32
    /// The action that failed, such as "writing".
    package let action: String
    package let path: String

    /// Whether the disk or the owner's quota is full.
    package var isStorageFull: Bool { number == ENOSPC || number == EDQUOT }

    package init(number: Int32, action: String, path: String) {
        self.number = number
        self.action = action
        self.path = path
    }

    package var description: String { "\(action) \(path) failed: \(String(cString: strerror(number)))" }

    /// Runs a system call, repeats it after an interrupting signal, and throws if it returns −1.
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

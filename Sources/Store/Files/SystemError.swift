import Domain
import Glibc

/// A system call on a file that failed.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package let number: Int32
    package let call: String
    package let path: String

    /// Whether there is no room, on the disk or in the owner's share of it.
    package var isStorageFull: Bool { number == ENOSPC || number == EDQUOT }

    package init(number: Int32, call: String, path: String) {
        self.number = number
        self.call = call
        self.path = path
    }

    package var description: String { "\(call) \(path): \(String(cString: strerror(number)))" }

    /// Runs a system call, again where a signal interrupted it, and throws what it reports by −1.
    @discardableResult
    static func check<Result: SignedInteger>(
        _ call: StaticString, _ path: String, _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            guard result == -1 else { return result }
            let number = errno
            guard number == EINTR else {
                throw SystemError(number: number, call: call.description, path: path)
            }
        }
    }
}

extension PlatformError {
    /// Runs `body`; what files do wrong comes out in the vocabulary of the platform.
    static func storing<Result>(_ body: () throws -> Result) throws(PlatformError) -> Result {
        do {
            return try body()
        } catch {
            throw PlatformError(storing: error)
        }
    }
}

import Glibc

/// A call to the file system that failed.
package struct StorageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done, such as "writing".
    package let action: String
    package let path: String
    package let code: Int32

    package init(_ action: String, _ path: String, code: Int32 = errno) {
        self.action = action
        self.path = path
        self.code = code
    }

    package var description: String { "\(action) \(path) failed: \(String(cString: strerror(code)))" }

    /// Throws where a call returned -1, with what `errno` says.
    static func check(_ result: Int32, _ action: String, _ path: String) throws(StorageError) {
        guard result != -1 else { throw StorageError(action, path) }
    }
}

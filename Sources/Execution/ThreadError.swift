import Glibc

/// The system gave no thread; `code` is the `errno` that says why.
package struct ThreadError: Error, Hashable, CustomStringConvertible {
    package let code: Int32

    package var description: String { "pthread_create: \(String(cString: strerror(code)))" }
}

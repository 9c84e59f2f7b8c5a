import Glibc

/// The error of a thread that could not be created; `code` is the `errno`.
package struct ThreadError: Error, Hashable, CustomStringConvertible {
    package let code: Int32

    package var description: String { "pthread_create: \(String(cString: strerror(code)))" }
}

import Glibc

extension FileDescriptor {
    /// Writes all bytes at the file's position.
    ///
    /// - Parameter call: A function like `write(2)`, which may write fewer bytes than it is given.
    package func writeAll(
        _ bytes: UnsafeRawBufferPointer, by call: (Int32, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
    ) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = try SystemError.check("writing", path) { call(number, part.baseAddress, part.count) }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes all bytes at the file's position.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.span.withUnsafeBytes { (bytes) throws(SystemError) in try writeAll(bytes) }
    }

    /// Truncates the file to `size` bytes and moves its position there.
    package func truncate(to size: Int) throws(SystemError) {
        try SystemError.check("shortening", path) { ftruncate(number, off_t(size)) }
        try SystemError.check("seeking in", path) { lseek(number, off_t(size), SEEK_SET) }
    }

    /// Replaces the file's contents by these bytes.
    package func replaceContents(_ bytes: [UInt8]) throws(SystemError) {
        try truncate(to: 0)
        try writeAll(bytes)
    }
}

import Glibc

extension FileDescriptor {
    /// Writes all bytes at the file's position.
    ///
    /// - Parameter call: `write(2)`, which may take fewer bytes than it is given.
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

    /// Cuts off what follows the first `size` bytes, and goes on writing there.
    package func truncate(to size: Int) throws(SystemError) {
        try SystemError.check("shortening", path) { ftruncate(number, off_t(size)) }
        try SystemError.check("seeking in", path) { lseek(number, off_t(size), SEEK_SET) }
    }

    /// Makes the file these bytes and nothing else.
    package func replaceContents(_ bytes: [UInt8]) throws(SystemError) {
        try truncate(to: 0)
        try writeAll(bytes)
    }
}

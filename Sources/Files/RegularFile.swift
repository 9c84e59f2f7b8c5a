import Glibc

/// A regular file that is open for reading, closed with its owner.
package struct RegularFile: ~Copyable {
    package let descriptor: FileDescriptor
    /// The size in bytes at the time of opening.
    package let size: Int

    /// Opens a file; throws `EISDIR` for a folder and `EINVAL` for anything else that is no regular file.
    package init(_ path: String) throws(SystemError) {
        // Opening a pipe without a writer would block.
        let descriptor = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
        let status = try descriptor.status()
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            throw SystemError(number: kind == S_IFDIR ? EISDIR : EINVAL, action: "opening", path: path)
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
    }

    /// Returns the descriptor's number to a caller that closes it.
    package consuming func release() -> Int32 { descriptor.release() }

    /// Reads up to `count` bytes at an offset; throws `EIO` if the file has become shorter.
    package func read(at offset: Int, upTo count: Int) throws(SystemError) -> [UInt8] {
        let wanted = min(count, size - offset)
        let bytes = try descriptor.read(at: offset, upTo: wanted)
        guard bytes.count == wanted else {
            throw SystemError(number: EIO, action: "reading", path: descriptor.path)
        }
        return bytes
    }
}

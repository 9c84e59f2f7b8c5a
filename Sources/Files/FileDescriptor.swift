import Glibc

/// An open file or directory, closed at the end of its life.
package struct FileDescriptor: ~Copyable {
    /// The descriptor's number; −1 after ``release()``.
    package private(set) var number: Int32
    let path: String

    /// Opens a file that started programs do not inherit.
    package init(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) {
        number = try SystemError.check("opening", path) { open(path, flags | O_CLOEXEC, mode) }
        self.path = path
    }

    /// Opens a file by its name in an open directory.
    package init(
        _ name: String, in folder: borrowing FileDescriptor, _ flags: Int32, mode: UInt32 = 0
    ) throws(SystemError) {
        let parent = folder.number
        path = "\(folder.path)/\(name)"
        number = try SystemError.check("opening", path) { openat(parent, name, flags | O_CLOEXEC, mode) }
    }

    /// Opens a directory, to make its entries durable.
    package init(directory path: String) throws(SystemError) {
        try self.init(path, O_RDONLY | O_DIRECTORY)
    }

    deinit { if number >= 0 { close(number) } }

    /// Returns the descriptor's number to a caller that closes it.
    package consuming func release() -> Int32 {
        let taken = number
        number = -1
        return taken
    }

    func status() throws(SystemError) -> stat {
        var status = stat()
        try SystemError.check("examining", path) { fstat(number, &status) }
        return status
    }

    /// Returns the size in bytes and the modification time in milliseconds since 1970.
    package func measure() throws(SystemError) -> (size: Int, writtenAt: Int64) {
        let status = try status()
        return (Int(status.st_size), Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000)
    }
}

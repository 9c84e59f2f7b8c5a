import CLinux
import Glibc

/// An open file or directory; closed at the end.
package struct FileDescriptor: ~Copyable {
    /// −1 once it has been given away.
    private var number: Int32
    private let path: String

    /// Opens a file, never to be inherited by a program that is started.
    package init(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) {
        number = try SystemError.check("open", path) { open(path, flags | O_CLOEXEC, mode) }
        self.path = path
    }

    /// Opens a directory, to make its entries durable.
    package init(directory path: String) throws(SystemError) {
        try self.init(path, O_RDONLY | O_DIRECTORY)
    }

    deinit { if number >= 0 { close(number) } }

    /// Gives the descriptor away; the taker closes it.
    package consuming func release() -> Int32 {
        let taken = number
        number = -1
        return taken
    }

    package func size() throws(SystemError) -> Int {
        var status = stat()
        try SystemError.check("fstat", path) { fstat(number, &status) }
        return Int(status.st_size)
    }

    /// Writes all bytes at the file's position.
    ///
    /// - Parameter call: `write(2)`, which may take fewer bytes than it is given.
    package func writeAll(
        _ bytes: UnsafeRawBufferPointer, by call: (Int32, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
    ) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = try SystemError.check("write", path) { call(number, part.baseAddress, part.count) }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes all bytes at the file's position.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.span.withUnsafeBytes { (bytes) throws(SystemError) in try writeAll(bytes) }
    }

    /// Reads from the front, up to a number of bytes.
    package func read(upTo limit: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                count = try SystemError.check("pread", path) { pread(number, buffer.baseAddress, buffer.count, 0) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Begins to write the file to the disk without waiting for it, so that a later sync finds less to do.
    package func beginWriting() {
        // A hint: where it fails, the sync has the whole of the work.
        _ = clinux_begin_writing(number)
    }

    /// Returns when the file's bytes and size are on the disk.
    package func syncData() throws(SystemError) {
        try SystemError.check("fdatasync", path) { fdatasync(number) }
    }

    /// Returns when the file, or the entries of the directory, are on the disk.
    package func sync() throws(SystemError) {
        try SystemError.check("fsync", path) { fsync(number) }
    }

    /// Returns when everything on the file system is on the disk; throws where any write there failed since this was
    /// opened.
    package func syncFileSystem() throws(SystemError) {
        try SystemError.check("syncfs", path) { clinux_syncfs(number) }
    }

    /// Milliseconds that another holder of a lock is waited for: one that is just ending, or a program that was just
    /// started and has the descriptor until it runs.
    package static let lockPatience = 1000

    /// Takes the file's lock for as long as it is open; `false` where another open file keeps it.
    package func tryLock() throws(SystemError) -> Bool {
        for _ in 0..<Self.lockPatience / 20 {
            do throws(SystemError) {
                try SystemError.check("flock", path) { flock(number, LOCK_EX | LOCK_NB) }
                return true
            } catch  where error.number == EWOULDBLOCK {
                usleep(20_000)
            }
        }
        return false
    }

    /// Makes the file these bytes and nothing else.
    package func replaceContents(_ bytes: [UInt8]) throws(SystemError) {
        try SystemError.check("ftruncate", path) { ftruncate(number, 0) }
        try SystemError.check("lseek", path) { lseek(number, 0, SEEK_SET) }
        try writeAll(bytes)
    }
}

import Glibc

/// A file open for writing; closed with its owner.
struct WritableFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Opens or creates; what it holds stays.
    init(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        try StorageError.check(descriptor, "opening", path)
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Cuts off what follows the first `size` bytes, and goes on writing there.
    func truncate(to size: Int) throws(StorageError) {
        try StorageError.check(ftruncate(descriptor, size), "shortening", path)
        guard lseek(descriptor, size, SEEK_SET) == size else { throw StorageError("seeking in", path) }
    }

    func write(_ bytes: [UInt8]) throws(StorageError) {
        let span = bytes.span
        try span.withUnsafeBytes { buffer throws(StorageError) in try write(buffer) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError("writing", path) }
            written += count
        }
    }

    /// Returns once what was written would outlive a loss of power.
    func sync() throws(StorageError) {
        try StorageError.check(fsync(descriptor), "syncing", path)
    }
}

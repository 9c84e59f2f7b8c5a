import Domain
import Artifacts
import Glibc

/// A regular file open for reading; closed with its owner.
struct ReadableFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    /// Bytes, when it was opened.
    let size: Int

    init(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try StorageError.check(descriptor, "opening", path)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
            close(descriptor)
            throw StorageError("opening", path, code: code)
        }
        self.descriptor = descriptor
        self.path = path
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Up to `count` bytes from a place on; throws `EIO` where the file has become shorter.
    func read(at offset: Int, upTo count: Int) throws(StorageError) -> [UInt8] {
        var failure: StorageError?
        let wanted = min(count, size - offset)
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            filled = 0
            while filled < wanted {
                let result = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), wanted - filled, offset + filled)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else {
                    failure = StorageError("reading", path, code: result < 0 ? errno : EIO)
                    return
                }
                filled += result
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// The SHA-256 of the whole file.
    func digest() throws(StorageError) -> SHA256Digest {
        var hasher = SHA256Hasher()
        var offset = 0
        while offset < size {
            let piece = try read(at: offset, upTo: 256 << 10)
            piece.withUnsafeBytes { hasher.update($0) }
            offset += piece.count
        }
        return hasher.finish()
    }
}

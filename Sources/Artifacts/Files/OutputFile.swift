import Domain
import Glibc

/// A new file that is written from front to back; closed with its owner.
struct OutputFile: ZipSink, ~Copyable {
    private let descriptor: Int32

    /// Makes a file that is not there yet.
    /// - Parameter folder: What a relative path starts from.
    init(creating path: String, in folder: Int32 = AT_FDCWD) throws(PlatformError) {
        descriptor = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemFailure.error(doing: "Making the file \(path)") }
    }

    deinit { close(descriptor) }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemFailure.error(doing: "Writing a file") }
            rest = rest.dropFirst(count)
        }
    }
}

import Domain
import Glibc

/// A file that is open for reading; closed with its owner.
struct PositionedFile: ~Copyable {
    let descriptor: Int32
    let size: Int

    /// How much is read or written at a time where a file is gone through.
    static let pieceLength = 256 * 1024

    /// Opens a regular file; throws `storageFailed` for anything else.
    init(path: String) throws(PlatformError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemFailure.error(doing: "Opening \(path)") }
        var status = stat()
        let result = fstat(descriptor, &status)
        guard result == 0, status.st_mode & S_IFMT == S_IFREG else {
            let code = result == 0 ? EINVAL : errno
            close(descriptor)
            throw SystemFailure.error(doing: "Opening \(path)", errno: code)
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads exactly this many bytes; `nil` where the file ends before.
    func bytes(at offset: Int, count: Int) throws(PlatformError) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= size - count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        try bytes.withUnsafeMutableBufferPointer { (buffer) throws(PlatformError) in
            try Self.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: offset)
        }
        return bytes
    }

    /// Hands a range of a file on in pieces of at most ``pieceLength`` bytes.
    ///
    /// Throws `storageFailed` where the file ends before the range does.
    static func forEachPiece(
        of descriptor: Int32, upTo size: Int, _ body: (UnsafeRawBufferPointer) throws(PlatformError) -> Void
    ) throws(PlatformError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(pieceLength, size), alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < size {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, size - offset)])
            try fill(piece, from: descriptor, at: offset)
            try body(UnsafeRawBufferPointer(piece))
            offset += piece.count
        }
    }

    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int
    ) throws(PlatformError) {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemFailure.error(doing: "Reading a file") }
            guard count > 0 else {
                throw PlatformError(.storageFailed, "A file became shorter while it was read.")
            }
            done += count
        }
    }
}

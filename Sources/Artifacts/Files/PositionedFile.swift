import Domain
import Files

/// A file that is open for reading, closed at the end of its owner's life.
struct PositionedFile: ~Copyable {
    private let file: RegularFile

    /// The descriptor, which remains this file's and is open as long as it lives.
    var descriptor: Int32 { file.descriptor.number }
    var size: Int { file.size }

    /// The number of bytes that are read or written at a time when a whole file is processed.
    static let pieceLength = 256 * 1024

    /// Opens a regular file; throws `storageFailed` for anything else.
    init(path: String) throws(PlatformError) {
        do throws(SystemError) { file = try RegularFile(path) } catch { throw PlatformError(error) }
    }

    /// Reads exactly `count` bytes; returns `nil` if the file ends earlier.
    func bytes(at offset: Int, count: Int) throws(PlatformError) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= size - count else { return nil }
        do throws(SystemError) { return try file.read(at: offset, upTo: count) } catch { throw PlatformError(error) }
    }

    /// Passes the first `size` bytes of a file to `body` in pieces of at most ``pieceLength`` bytes.
    ///
    /// Throws `storageFailed` if the file ends earlier.
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
        let count: Int
        do throws(SystemError) {
            count = try FileDescriptor.fill(buffer, from: descriptor, "a file", at: offset)
        } catch { throw PlatformError(error) }
        guard count == buffer.count else {
            throw PlatformError(.storageFailed, "A file became shorter while it was read.")
        }
    }
}

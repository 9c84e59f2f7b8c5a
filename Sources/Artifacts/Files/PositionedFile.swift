import Domain
import Files

/// A file that is open for reading; closed with its owner.
struct PositionedFile: ~Copyable {
    private let file: RegularFile

    /// Stays this one's; open for as long as it lives.
    var descriptor: Int32 { file.descriptor.number }
    var size: Int { file.size }

    /// How much is read or written at a time where a file is gone through.
    static let pieceLength = 256 * 1024

    /// Opens a regular file; throws `storageFailed` for anything else.
    init(path: String) throws(PlatformError) {
        do throws(SystemError) { file = try RegularFile(path) } catch { throw PlatformError(error) }
    }

    /// Reads exactly this many bytes; `nil` where the file ends before.
    func bytes(at offset: Int, count: Int) throws(PlatformError) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= size - count else { return nil }
        do throws(SystemError) { return try file.read(at: offset, upTo: count) } catch { throw PlatformError(error) }
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
        let count: Int
        do throws(SystemError) {
            count = try FileDescriptor.fill(buffer, from: descriptor, "a file", at: offset)
        } catch { throw PlatformError(error) }
        guard count == buffer.count else {
            throw PlatformError(.storageFailed, "A file became shorter while it was read.")
        }
    }
}

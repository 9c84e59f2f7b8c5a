import CDeflate
package import Domain

/// A packer of folders into zips for publishing.
package enum ZipMaker {
    /// The size in bytes up to which a file is deflated: longer ones are usually compressed already (video, audio) and
    /// stored.
    private static let maximumDeflated = 64 << 20

    /// Packs every file below a folder except `.DS_Store` and `__MACOSX`; the same files give the same bytes.
    ///
    /// Throws `badPackage` if the folder is empty or contains anything that no package may contain, `storageFailed` or
    /// `storageFull` if files cannot be read or written; the caller removes an incomplete zip. Holds at most one file
    /// and its stream in memory, 64 MiB each.
    ///
    /// - Parameter path: The path of the zip, which must not exist.
    /// - Returns: The number of files in the zip.
    @discardableResult
    package static func pack(_ folder: String, into path: String) throws(PlatformError) -> Int {
        let listing = try FolderListing(of: folder, skipsJunk: true)
        try PathCheck.refuseCollisions(listing.files.map(\.path))
        let deflater = try Deflater()
        var writer = ZipWriter(to: try OutputFile(creating: path))
        for (path, name) in listing.files {
            let file = try PositionedFile(path: "\(folder)/\(name)")
            if file.size <= maximumDeflated {
                try pack(file, as: path, with: deflater, into: &writer)
            } else {
                try store(file, as: path, into: &writer)
            }
        }
        _ = try writer.finish()
        return listing.files.count
    }

    private static func pack(
        _ file: borrowing PositionedFile, as path: TreePath, with deflater: borrowing Deflater,
        into writer: inout ZipWriter<OutputFile>
    ) throws(PlatformError) {
        // Read instead of mapped, because another process may change files in this folder.
        guard let bytes = try file.bytes(at: 0, count: file.size) else { return }
        try bytes.withUnsafeBufferPointer { (buffer) throws(PlatformError) in
            let whole = UnsafeRawBufferPointer(buffer)
            try deflater.deflate(whole) { stream throws(PlatformError) in
                let packed = stream ?? whole
                let entry = ZipHeaders.Entry(
                    path: path, crc32: libdeflate_crc32(0, bytes, bytes.count), size: bytes.count,
                    packedSize: packed.count, method: stream == nil ? .stored : .deflated)
                try writer.add(entry) { write throws(PlatformError) in try write(packed) }
            }
        }
    }

    /// Stores a file, which is read twice because its CRC precedes its bytes.
    private static func store(
        _ file: borrowing PositionedFile, as path: TreePath, into writer: inout ZipWriter<OutputFile>
    ) throws(PlatformError) {
        let descriptor = file.descriptor
        let size = file.size
        var crc: UInt32 = 0
        try PositionedFile.forEachPiece(of: descriptor, upTo: size) { piece in
            crc = libdeflate_crc32(crc, piece.baseAddress, piece.count)
        }
        let entry = ZipHeaders.Entry(path: path, crc32: crc, size: size, packedSize: size, method: .stored)
        var written: UInt32 = 0
        try writer.add(entry) { write throws(PlatformError) in
            try PositionedFile.forEachPiece(of: descriptor, upTo: size) { piece throws(PlatformError) in
                written = libdeflate_crc32(written, piece.baseAddress, piece.count)
                try write(piece)
            }
        }
        guard written == crc else {
            throw PlatformError(.storageFailed, "A file changed while it was packed. Try again.", entry: path.text)
        }
    }
}

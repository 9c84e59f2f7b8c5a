import CDeflate
package import Domain

/// A scanner that reads the tree in a folder, to compare its hash.
package enum TreeScanner {
    /// Hashes every file below a folder; no file has a deflated stream.
    ///
    /// Throws `badPackage` for anything that no tree may contain (links, devices, invalid names), `storageFailed` if
    /// reading fails.
    package static func scan(_ folder: String) throws(PlatformError) -> Tree {
        var files: [TreeFile] = []
        for (path, name) in try FolderListing(of: folder, skipsJunk: false).files {
            let content = try content(ofFile: "\(folder)/\(name)")
            files.append(TreeFile(path: path, content: content))
        }
        return Tree(files)
    }

    static func content(ofFile path: String) throws(PlatformError) -> FileContent {
        let file = try PositionedFile(path: path)
        var hasher = SHA256Hasher()
        var crc: UInt32 = 0
        try PositionedFile.forEachPiece(of: file.descriptor, upTo: file.size) { piece in
            hasher.update(piece)
            crc = libdeflate_crc32(crc, piece.baseAddress, piece.count)
        }
        return FileContent(digest: hasher.finish(), size: file.size, crc32: crc, deflated: nil)
    }
}

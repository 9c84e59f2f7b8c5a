package import Domain

/// An extractor of zips into folders, with the rules for uploads and limits that the caller sets.
package enum ZipExtractor {
    /// Extracts every file of a zip; existing files with these paths are replaced, others stay.
    ///
    /// Creates the folder if it is missing. Never writes outside of it: links in it are rejected, not followed. After
    /// an error some files may have been extracted, so extract into a folder that is not in use. Syncs nothing. Throws
    /// `badPackage` with the entry and the reason, `storageFailed` or `storageFull`.
    ///
    /// - Parameter names: The comparison by which no two paths may collide.
    package static func extract(
        zipAt path: String, into folder: String, limits: PackageLimits = PackageLimits(),
        names: NameComparison = .folded
    ) throws(PlatformError) {
        let reader = try ZipReader(path: path, limits: limits, names: names)
        let root = try FolderHandle(at: folder)
        try reader.forEachFile { path, _, pieces throws(PlatformError) in
            var output = try newFile(at: path, below: root)
            try pieces { piece throws(PlatformError) in try output.write(piece) }
        }
    }

    private static func newFile(
        at path: TreePath, below folder: borrowing FolderHandle
    ) throws(PlatformError) -> OutputFile {
        var parts = path.parts.map(String.init)
        let name = parts.removeLast()
        guard let first = parts.first else { return try folder.newFile(name) }
        var inner = try folder.folder(first)
        for part in parts.dropFirst() { inner = try inner.folder(part) }
        return try inner.newFile(name)
    }
}

package import Domain

/// A folder of built pages, seen as ``ZipMaker`` would pack it: without `.DS_Store` and `__MACOSX`.
package struct BuiltFolder: Sendable {
    /// No file has a deflated stream.
    package let tree: Tree
    private let places: [SHA256Digest: String]

    /// Digests every file; throws `badPackage` for what no package may hold, `storageFailed` where reading fails.
    package init(_ folder: String) throws(PlatformError) {
        let listing = try FolderListing(of: folder, skipsJunk: true)
        try PathCheck.refuseCollisions(listing.files.map(\.path))
        var files: [TreeFile] = []
        var places: [SHA256Digest: String] = [:]
        for (path, name) in listing.files {
            let place = "\(folder)/\(name)"
            let content = try TreeScanner.content(ofFile: place)
            files.append(TreeFile(path: path, content: content))
            places[content.digest] = place
        }
        tree = Tree(files)
        self.places = places
    }

    /// The first bytes of a file of the tree: all of them, or as many as the limit says.
    ///
    /// Throws `storageFailed` where it has gone, or become shorter.
    package func beginning(of content: FileContent, upTo limit: Int) throws(PlatformError) -> [UInt8] {
        guard let place = places[content.digest],
            let bytes = try PositionedFile(path: place).bytes(at: 0, count: min(limit, content.size))
        else { throw PlatformError(.storageFailed, "A file changed while it was looked at. Try again.") }
        return bytes
    }
}

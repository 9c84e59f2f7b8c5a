package import Domain

/// A folder of built pages with the contents that ``ZipMaker`` would pack: without `.DS_Store` and `__MACOSX`.
package struct BuiltFolder: Sendable {
    /// The tree of the files, none of which has a deflated stream.
    package let tree: Tree
    private let locations: [SHA256Digest: String]

    /// Hashes every file; throws `badPackage` for anything that no package may contain, `storageFailed` if reading
    /// fails.
    package init(_ folder: String) throws(PlatformError) {
        let listing = try FolderListing(of: folder, skipsJunk: true)
        try PathCheck.refuseCollisions(listing.files.map(\.path))
        var files: [TreeFile] = []
        var locations: [SHA256Digest: String] = [:]
        for (path, name) in listing.files {
            let location = "\(folder)/\(name)"
            let content = try TreeScanner.content(ofFile: location)
            files.append(TreeFile(path: path, content: content))
            locations[content.digest] = location
        }
        tree = Tree(files)
        self.locations = locations
    }

    /// Returns the first bytes of a file of the tree, at most `limit` of them.
    ///
    /// Throws `storageFailed` if the file is missing or has become shorter.
    package func beginning(of content: FileContent, upTo limit: Int) throws(PlatformError) -> [UInt8] {
        guard let location = locations[content.digest],
            let bytes = try PositionedFile(path: location).bytes(at: 0, count: min(limit, content.size))
        else { throw PlatformError(.storageFailed, "A file changed while it was read. Try again.") }
        return bytes
    }
}

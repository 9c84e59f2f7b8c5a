/// The files of a version, or of an archive in one layout, sorted by path, with unique paths.
package struct Tree: Sendable, Equatable {
    package let files: [TreeFile]

    /// Sorts the files; of files with equal paths the last one stays.
    package init(_ files: [TreeFile]) {
        var byPath: [TreePath: TreeFile] = [:]
        for file in files { byPath[file.path] = file }
        self.files = byPath.values.sorted { $0.path < $1.path }
    }

    package subscript(_ path: TreePath) -> TreeFile? {
        var low = 0
        var high = files.count
        while low < high {
            let middle = (low + high) / 2
            if files[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low < files.count && files[low].path == path ? files[low] : nil
    }

    package var totalSize: Int { files.reduce(0) { $0 + $1.content.size } }

    /// The bytes whose SHA-256 is the tree hash (semantics.md §1).
    ///
    /// For each file, in the order of the UTF-8 bytes of its path: `path NUL lowercase-hex-SHA-256(content) LF`.
    package var hashedBytes: [UInt8] {
        var bytes: [UInt8] = []
        for file in files {
            bytes += file.path.text.utf8
            bytes.append(0)
            bytes += file.content.digest.hex.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// Returns the files that a device with `base` lacks or has with other bytes.
    package func changes(since base: Tree) -> [TreeFile] {
        files.filter { base[$0.path]?.content.digest != $0.content.digest }
    }
}

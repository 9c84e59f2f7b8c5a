/// The files of a version, or of an archive in one layout: sorted by path, no path twice.
package struct Tree: Sendable, Equatable {
    package let files: [TreeFile]

    /// Sorts; of files with the same path the last one stays.
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

    /// What the tree hash is the SHA-256 of (semantics.md §1): for each file, by UTF-8 bytes of its path,
    /// `path NUL lowercase-hex-SHA-256(content) LF`.
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

    /// The files that a device lacks, or has with other bytes, when it holds `base`.
    package func changes(since base: Tree) -> [TreeFile] {
        files.filter { base[$0.path]?.content.digest != $0.content.digest }
    }
}

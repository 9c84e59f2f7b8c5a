extension Tree {
    /// Two files that would be one on a device that ignores case, or a file where another needs a folder.
    ///
    /// Takes memory in proportion to the paths' bytes, however deep they are: a part is kept once below its folder.
    package func collision() -> (TreePath, TreePath)? {
        var seen: [FoldedName: Occupant] = [:]
        for file in files {
            let parts = file.path.parts
            var folder = FoldedName.root
            for (depth, part) in parts.enumerated() {
                let isFile = depth == parts.count - 1
                let name = FoldedName(folder: folder, part: part)
                if let other = seen[name] {
                    guard !isFile, !other.isFile, other.spelling.utf8.elementsEqual(part.utf8) else {
                        return (other.path, file.path)
                    }
                    folder = other.number
                } else {
                    folder = seen.count + 1
                    seen[name] = Occupant(number: folder, spelling: part, path: file.path, isFile: isFile)
                }
            }
        }
        return nil
    }
}

/// A name in a folder, as a device that ignores case has it.
private struct FoldedName: Hashable {
    static let root = 0

    let folder: Int
    let part: String

    /// - Parameter folder: Its number; see ``Occupant/number``.
    init(folder: Int, part: Substring) {
        self.folder = folder
        self.part = Normalization.nfc(part.lowercased())
    }
}

/// Who took a name first.
private struct Occupant {
    let number: Int
    /// One spelling of a folder counts, the first: `A/x` and `a/y` would meet in one folder.
    let spelling: Substring
    let path: TreePath
    let isFile: Bool
}

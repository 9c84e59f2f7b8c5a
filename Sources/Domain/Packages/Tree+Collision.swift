extension Tree {
    /// Two files that would meet on a device, or a file where another needs a folder.
    ///
    /// Publishing compares names as a device without case does. An archive that was published and signed before may hold
    /// such names and must still open, so it is read with ``NameComparison/byBytes``.
    ///
    /// Takes memory in proportion to the paths' bytes, however deep they are: a part is kept once below its folder.
    package func collision(_ comparison: NameComparison = .folded) -> (TreePath, TreePath)? {
        var seen: [ComparedName: Occupant] = [:]
        for file in files {
            let parts = file.path.parts
            var folder = ComparedName.root
            for (depth, part) in parts.enumerated() {
                let isFile = depth == parts.count - 1
                let name = ComparedName(folder: folder, part: part, comparison)
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

/// The rule by which two names in a folder are the same.
package enum NameComparison: Sendable {
    /// Names that a device without case may take for one: ``Normalization/folded(_:)``.
    case folded
    /// Names of the same bytes.
    case byBytes
}

/// A name in a folder, in the form that is compared.
private struct ComparedName: Hashable {
    static let root = 0

    let folder: Int
    let part: String

    /// - Parameter folder: Its number; see ``Occupant/number``.
    init(folder: Int, part: Substring, _ comparison: NameComparison) {
        self.folder = folder
        self.part = comparison == .folded ? Normalization.folded(String(part)) : String(part)
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

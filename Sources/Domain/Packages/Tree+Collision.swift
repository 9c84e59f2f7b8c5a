import Ground

extension Tree {
    /// Returns two files that would collide on a device, or a file whose path another file needs as a folder.
    ///
    /// Publishing compares names like a case-insensitive device. An archive that was signed before that rule may
    /// contain such names and must still open, so it is read with ``NameComparison/byBytes``.
    ///
    /// Memory is proportional to the bytes of the paths, however deep they are: each part is stored once per folder.
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

/// The rule by which two names in a folder are equal.
package enum NameComparison: Sendable {
    /// Names are equal if a case-insensitive device may confuse them: ``Normalization/folded(_:)``.
    case folded
    /// Names are equal if their bytes are.
    case byBytes
}

/// A name in a folder, in the form that is compared.
private struct ComparedName: Hashable {
    static let root = 0

    let folder: Int
    let part: String

    /// - Parameter folder: The folder's number; see ``Occupant/number``.
    init(folder: Int, part: Substring, _ comparison: NameComparison) {
        self.folder = folder
        self.part = comparison == .folded ? Normalization.folded(String(part)) : String(part)
    }
}

/// The first file or folder with a name.
private struct Occupant {
    let number: Int
    /// The spelling of a folder's first occurrence: `A/x` and `a/y` would share one folder.
    let spelling: Substring
    let path: TreePath
    let isFile: Bool
}

/// A requested path in the unpacked copy of a version.
package struct UnpackedPath: Hashable, Sendable {
    /// The file or the folder; `nil` for the root.
    package let path: TreePath?
    /// Whether the path ends in a slash and so requests a folder's page.
    package let endsInSlash: Bool

    private init(path: TreePath?, endsInSlash: Bool) {
        self.path = path
        self.endsInSlash = endsInSlash
    }

    /// Parses the text after the version and a slash; fails if no tree can contain the path.
    package init?(_ text: String) {
        let endsInSlash = text.isEmpty || text.utf8.last == UInt8(ascii: "/")
        let name = text.utf8.dropLast(endsInSlash && !text.isEmpty ? 1 : 0)
        guard !name.isEmpty else {
            guard text.isEmpty else { return nil }
            self = .root
            return
        }
        guard let path = try? TreePath(validating: name) else { return nil }
        self.init(path: path, endsInSlash: endsInSlash)
    }

    /// The root with its slash.
    package static let root = UnpackedPath(path: nil, endsInSlash: true)
    /// The root without its slash.
    package static let version = UnpackedPath(path: nil, endsInSlash: false)

    /// The target of a path, before the tree is searched.
    package enum Target: Sendable, Equatable {
        /// This file if it exists; else a folder of that name, unless the path ends in a slash.
        case file(TreePath)
        /// The page in a folder, to which the root redirects.
        case page(TreePath)
        /// A folder whose slash is missing.
        case folder
        /// The root of a version without an entry page.
        case nothing
    }

    /// Returns the target in a version with this entry page.
    ///
    /// A folder's page is the entry if that is in the folder, else its `index.html`; the root's page is the entry only.
    package func target(entry: TreePath?) -> Target {
        guard let path else {
            guard endsInSlash else { return .folder }
            guard let entry else { return .nothing }
            return entry.splitFirst == nil ? .file(entry) : .page(entry)
        }
        guard endsInSlash else { return .file(path) }
        if let entry, entry.isDirectly(in: path) { return .file(entry) }
        return .file(TreePath.index.under(path.text))
    }
}

extension TreePath {
    /// Returns whether a folder contains the file itself, not just one of its parent folders.
    fileprivate func isDirectly(in folder: TreePath) -> Bool {
        parts.dropLast().elementsEqual(folder.parts) { $0.utf8.elementsEqual($1.utf8) }
    }
}

/// The item at a path of the unpacked copy of a version.
package enum UnpackedItem: Sendable, Equatable {
    case file(TreeFile)
    /// The page in a folder, to which the root redirects.
    case page(TreePath)
    /// A folder whose slash is missing.
    case folder
    /// The version exists and has nothing at the path.
    case nothing
}

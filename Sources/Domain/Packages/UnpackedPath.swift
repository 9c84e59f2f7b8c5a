/// A path of the unpacked copy of a version, as it is asked for.
package struct UnpackedPath: Hashable, Sendable {
    /// The file or the folder; `nil` for the root.
    package let path: TreePath?
    /// Whether a folder's page is asked for: nothing follows the last slash.
    package let endsInSlash: Bool

    private init(path: TreePath?, endsInSlash: Bool) {
        self.path = path
        self.endsInSlash = endsInSlash
    }

    /// What follows the version and a slash; `nil` for what no tree can hold.
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

    /// The root as a folder is asked for.
    package static let root = UnpackedPath(path: nil, endsInSlash: true)
    /// The root without its slash.
    package static let version = UnpackedPath(path: nil, endsInSlash: false)

    /// What answers for a path of a version, before anything is looked for.
    package enum Target: Sendable, Equatable {
        /// This file, if it is there; else a folder of that name, where the path did not end in a slash.
        case file(TreePath)
        /// The page in a folder, to which the root leads.
        case page(TreePath)
        /// A folder, whose slash is missing.
        case folder
        /// The root of a version without an entry page.
        case nothing
    }

    /// What answers in a version with this entry page: a folder's page is the entry if that lies in it, else its
    /// `index.html`; the root has no page but the entry.
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
    /// Whether a folder holds the file itself, and not another folder that does.
    fileprivate func isDirectly(in folder: TreePath) -> Bool {
        parts.dropLast().elementsEqual(folder.parts) { $0.utf8.elementsEqual($1.utf8) }
    }
}

/// What lies at a path of the unpacked copy of a version.
package enum UnpackedItem: Sendable, Equatable {
    case file(TreeFile)
    /// The page in a folder, to which the root leads.
    case page(TreePath)
    /// A folder, whose slash is missing.
    case folder
    /// The version is there, and has nothing at the path.
    case nothing
}

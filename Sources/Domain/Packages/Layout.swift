import Ground

/// The arrangement of files in an archive; the raw values are signed and stored (semantics.md §1, §6).
package enum Layout: String, Sendable, CaseIterable {
    /// The files under `<package>/`, with the two descriptors of seed 000's client.
    case appFolder = "app-folder"
    /// The files as uploaded.
    case flat
    /// The files under `<package>/`, without further files.
    case topFolder = "top-folder"
    /// The files without their folders, for clients that use only the last part of a URL (semantics.md §12).
    case baseNames = "base-names"

    /// The names of all layouts, for messages.
    package static let names = allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// Returns the files of a version's tree at their paths in this layout, without the files that the layout adds.
    ///
    /// Throws `conflict` if two files get one path, or the page that clients open is missing. Names that collide only
    /// on case-insensitive devices pass: ``requireDistinctNames(of:)`` rejects them.
    package func placed(_ tree: Tree, of package: PackageID) throws(PlatformError) -> Tree {
        switch self {
        case .flat: return tree
        case .appFolder, .topFolder:
            return Tree(tree.files.map { TreeFile(path: $0.path.under(package.text), content: $0.content) })
        case .baseNames: return try Self.withoutFolders(tree)
        }
    }

    private static func withoutFolders(_ tree: Tree) throws(PlatformError) -> Tree {
        var placed: [TreePath: TreeFile] = [:]
        var files: [TreeFile] = []
        for file in tree.files {
            let name: TreePath
            do throws(TreePath.Fault) { name = try TreePath(file.path.fileName.text) } catch {
                throw PlatformError(
                    .conflict,
                    "'\(file.path)' has no valid path without its folders. Rename the file, or use another layout.",
                    entry: file.path.text)
            }
            if let other = placed.updateValue(file, forKey: name) { throw oneFile(other, file) }
            files.append(TreeFile(path: name, content: file.content))
        }
        let flattened = Tree(files)
        guard flattened[.index] != nil else {
            throw PlatformError(
                .conflict, "The layout 'base-names' requires a file 'index.html', and the version has none.",
                entry: TreePath.index.text)
        }
        return flattened
    }

    /// Throws `conflict` if a case-insensitive device may confuse two files of this layout.
    ///
    /// A layout is checked once for each version, before its archive is made: a version whose archive exists is served.
    ///
    /// - Parameter tree: The uploaded tree, whose full paths are checked already; without folders more names can
    ///   collide.
    package func requireDistinctNames(of tree: Tree) throws(PlatformError) {
        guard self == .baseNames else { return }
        var seen: [String: TreeFile] = [:]
        for file in tree.files {
            let name = Normalization.folded(file.path.fileName.text)
            if let other = seen.updateValue(file, forKey: name) { throw Self.oneFile(other, file) }
        }
    }

    private static func oneFile(_ first: TreeFile, _ second: TreeFile) -> PlatformError {
        PlatformError(
            .conflict,
            "'\(first.path)' and '\(second.path)' have the same path without their folders. Rename one of them, or use "
                + "another layout.",
            entry: second.path.text)
    }
}

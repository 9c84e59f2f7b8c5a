/// How the files lie in an archive; the raw values are signed and stored (semantics.md §1, §6).
package enum Layout: String, Sendable, CaseIterable {
    /// Under `<package>/`, with the two descriptors of seed 000's client.
    case appFolder = "app-folder"
    /// As they were uploaded.
    case flat
    /// Under `<package>/`, and nothing else.
    case topFolder = "top-folder"
    /// Without their folders, for clients that look at the last part of a URL alone (semantics.md §12).
    case baseNames = "base-names"

    /// All of them, as a message names them.
    package static let names = allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// The files of a version's tree where this layout has them; what a layout adds is not among them.
    ///
    /// Throws `conflict` where two files would be one, or the page that a client opens is missing. Names that only a
    /// device without case takes for one pass: ``requireDistinctNames(of:)`` is for them.
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
                    "Without its folders '\(file.path)' is no path that devices take: rename it, or take another layout.",
                    entry: file.path.text)
            }
            if let other = placed.updateValue(file, forKey: name) { throw oneFile(other, file) }
            files.append(TreeFile(path: name, content: file.content))
        }
        let flattened = Tree(files)
        guard flattened[.index] != nil else {
            throw PlatformError(
                .conflict, "Clients of the layout 'base-names' open 'index.html', and there is no file of that name.",
                entry: TreePath.index.text)
        }
        return flattened
    }

    /// Throws `conflict` if a device without case may take two files of this layout for one.
    ///
    /// A layout is checked once for each version, before its archive is made: a version whose archive exists is served.
    ///
    /// - Parameter tree: As it was uploaded, which was checked as a whole; without folders more names can meet.
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
            "Without their folders '\(first.path)' and '\(second.path)' are one file: rename one of them, or take "
                + "another layout.",
            entry: second.path.text)
    }
}

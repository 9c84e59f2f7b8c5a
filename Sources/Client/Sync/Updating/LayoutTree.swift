import Artifacts
import Domain

/// A scanner of trees on disk, which signatures and offers name by the hash of the layout tree (semantics.md §1).
struct LayoutTree {
    let cryptography: any Cryptography

    /// Returns the files of a copy, with paths that begin with the package's folder.
    func scan(copy path: String, of package: PackageID) throws(PackageFailure) -> Tree {
        let tree = try scan(path)
        return Tree(tree.files.map { TreeFile(path: $0.path.under(package.text), content: $0.content) })
    }

    /// Returns the files below a folder that corresponds to the root of an archive.
    func scan(_ root: String) throws(PackageFailure) -> Tree {
        do throws(PlatformError) { return try TreeScanner.scan(root) } catch { throw PackageFailure(error) }
    }

    func digest(_ tree: Tree) -> SHA256Digest { cryptography.sha256(tree.hashedBytes) }
}

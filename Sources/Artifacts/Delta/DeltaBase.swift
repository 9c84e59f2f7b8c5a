package import Domain

/// The layout tree that a delta patch is applied to, and its bytes.
package protocol DeltaBase {
    var tree: Tree { get }
    /// Returns the bytes of a file of the tree.
    func bytes(of file: TreeFile) throws(PlatformError) -> [UInt8]
}

extension DeltaBase {
    /// All paths, each followed by LF: the prefix with which a manifest is compressed.
    var listing: [UInt8] { Array(tree.files.map { $0.path.text + "\n" }.joined().utf8) }
}

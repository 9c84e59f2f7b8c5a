package import Domain

/// The layout tree that a delta patch starts from, and its bytes.
package protocol DeltaBase {
    var tree: Tree { get }
    /// The bytes of a file of the tree.
    func bytes(of file: TreeFile) throws(PlatformError) -> [UInt8]
}

extension DeltaBase {
    /// All paths, each ended by LF: what a manifest is compressed with.
    var listing: [UInt8] { Array(tree.files.map { $0.path.text + "\n" }.joined().utf8) }
}

import Domain

/// An entry as the central directory and its local header say alike.
struct ZipRecord {
    let content: Content
    /// The name, fit to be shown.
    let shownName: String
    let crc32: UInt32
    let packedSize: Int
    let size: Int
    /// Where the local header begins, and where the packed bytes end.
    let range: Range<Int>

    enum Content: Equatable {
        case file(TreePath)
        /// Folders, and what Macs leave behind.
        case leftOut
    }

    var path: TreePath? {
        guard case .file(let path) = content else { return nil }
        return path
    }
}

import Domain

/// An entry on which the central directory and its local header agree.
struct ZipRecord {
    let content: Content
    /// The name for display.
    let shownName: String
    let crc32: UInt32
    let packedSize: Int
    let size: Int
    /// The range from the local header to the end of the packed bytes.
    let range: Range<Int>

    enum Content: Equatable {
        case file(TreePath)
        /// Folders, and files that macOS adds.
        case leftOut
    }

    var path: TreePath? {
        guard case .file(let path) = content else { return nil }
        return path
    }
}

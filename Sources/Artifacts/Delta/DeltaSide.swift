import Domain

/// One of the two trees of a patch, with a cache of the bytes read from it.
///
/// Belongs to one build; keeps the bytes of each file that was read.
final class DeltaSide: DeltaBase {
    let tree: Tree
    private let read: (FileContent) throws(PlatformError) -> [UInt8]
    private var contents: [SHA256Digest: [UInt8]] = [:]
    private var texts: [SHA256Digest: Bool] = [:]
    private var index: StatementIndex?

    init(_ tree: Tree, read: @escaping (FileContent) throws(PlatformError) -> [UInt8]) {
        self.tree = tree
        self.read = read
    }

    func bytes(of file: TreeFile) throws(PlatformError) -> [UInt8] {
        if let known = contents[file.content.digest] { return known }
        let bytes = try read(file.content)
        contents[file.content.digest] = bytes
        return bytes
    }

    /// Discards the cached bytes; later calls read them again.
    func forgetBytes() { contents = [:] }

    /// Whether a file is text: images, fonts and programs have a zero byte near the beginning.
    func isText(_ file: TreeFile) throws(PlatformError) -> Bool {
        if let known = texts[file.content.digest] { return known }
        let isText = try !bytes(of: file).prefix(8_000).contains(0)
        texts[file.content.digest] = isText
        // Most files that are no text are never read again.
        if !isText { contents[file.content.digest] = nil }
        return isText
    }

    /// Returns an index of the statements of all texts, by file number.
    func statements() throws(PlatformError) -> StatementIndex {
        if let index { return index }
        var made = StatementIndex()
        for (number, file) in tree.files.enumerated() where try isText(file) {
            made.add(StatementSample(of: try bytes(of: file)), of: number)
        }
        index = made
        return made
    }
}

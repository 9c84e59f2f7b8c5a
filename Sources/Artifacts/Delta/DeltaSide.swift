import Domain

/// One of the two trees that a patch is made between, with the bytes that were read of it.
///
/// Belongs to one building; holds a file's bytes once it was asked for them.
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

    /// Lets the bytes that were read go; whoever asks for them again has them read again.
    func forgetBytes() { contents = [:] }

    /// Whether it is no picture, font or program: those have a zero byte soon.
    func isText(_ file: TreeFile) throws(PlatformError) -> Bool {
        if let known = texts[file.content.digest] { return known }
        let isText = try !bytes(of: file).prefix(8_000).contains(0)
        texts[file.content.digest] = isText
        // Most of what is no text is looked at here and never again.
        if !isText { contents[file.content.digest] = nil }
        return isText
    }

    /// The statements of all texts, by the numbers of their files.
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

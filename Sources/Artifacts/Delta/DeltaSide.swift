import Domain

/// One of the two trees that a patch is made between, with the bytes that were read of it.
///
/// Belongs to one building; holds a file's bytes once it was asked for them.
final class DeltaSide: DeltaBase {
    let tree: Tree
    private let read: (FileContent) throws(PlatformError) -> [UInt8]
    private var contents: [SHA256Digest: [UInt8]] = [:]
    private var samples: [SHA256Digest: StatementSample] = [:]

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

    /// Whether it is no picture, font or program: those have a zero byte soon.
    func isText(_ file: TreeFile) throws(PlatformError) -> Bool {
        try !bytes(of: file).prefix(8_000).contains(0)
    }

    func sample(of file: TreeFile) throws(PlatformError) -> StatementSample {
        if let known = samples[file.content.digest] { return known }
        let sample = StatementSample(of: try bytes(of: file))
        samples[file.content.digest] = sample
        return sample
    }
}

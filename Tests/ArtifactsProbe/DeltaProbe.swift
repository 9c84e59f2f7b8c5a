import Artifacts
import Domain

/// The properties of every delta patch that a server may offer: its manifest and the body of frames.
///
/// The input is the manifest's text up to the first zero byte, and then the body.
public enum DeltaProbe {
    static let limit = 64 << 10

    /// Returns the violated property of the input, or `nil` if all hold.
    public static func finding(in input: [UInt8]) -> String? {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = MemoryBase.sample else { return "no base" }
        let manifest = rawFrame(of: parts[0])
        let tree = base.treeHash.bytes
        var patch = Array("LDELTA".utf8) + [0, 1] + tree + tree + little(manifest.count)
        patch += manifest + (parts.count > 1 ? parts[1] : [])
        var result = MemoryResult()
        do throws(PlatformError) {
            try DeltaPatch(patch).apply(to: base, baseTree: base.treeHash, limit: limit, making: &result)
        } catch {
            return error.code == .badPackage && error.reason?.isEmpty == false ? nil : "refused with \(error)"
        }
        guard Set(result.paths).count == result.paths.count else { return "a path twice: \(result.paths)" }
        guard result.size <= limit else { return "\(result.size) bytes" }
        for path in result.paths where (try? TreePath(path.text)) != path { return "the path \(path)" }
        return nil
    }

    /// Returns a zstd frame of one raw block (RFC 8878 §3.1.1) that states its content size.
    private static func rawFrame(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        let header = 1 | bytes.count << 3
        return [0x28, 0xB5, 0x2F, 0xFD, 0xA0] + little(bytes.count)
            + [UInt8(truncatingIfNeeded: header), UInt8(truncatingIfNeeded: header >> 8)]
            + [UInt8(truncatingIfNeeded: header >> 16)] + bytes
    }

    private static func little(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

private struct MemoryBase: DeltaBase {
    let tree: Tree
    let treeHash: SHA256Digest
    private let contents: [TreePath: [UInt8]]

    static let sample: MemoryBase? = try? MemoryBase([
        "app/index.html": "<script src=\"main.1a2b3c4d.js\"></script>",
        "app/main.1a2b3c4d.js": "load('part.5e6f7a8b.js')",
        "app/part.5e6f7a8b.js": "part", "app/empty": "", "app/é.css": "body {}",
    ])

    private init(_ files: [String: String]) throws {
        let cryptography = OpenSSLCryptography()
        var contents: [TreePath: [UInt8]] = [:]
        var tree: [TreeFile] = []
        for (name, text) in files {
            let path = try TreePath(name)
            contents[path] = Array(text.utf8)
            let content = FileContent(
                digest: cryptography.sha256(Array(text.utf8)), size: text.utf8.count, crc32: 0, deflated: nil)
            tree.append(TreeFile(path: path, content: content))
        }
        self.tree = Tree(tree)
        self.contents = contents
        treeHash = cryptography.treeHash(of: self.tree)
    }

    func bytes(of file: TreeFile) throws(PlatformError) -> [UInt8] {
        guard let bytes = contents[file.path] else { throw PlatformError(.storageFailed, "There is no such file.") }
        return bytes
    }
}

private struct MemoryResult: DeltaResult {
    var paths: [TreePath] = []
    var size = 0

    mutating func copy(_ file: TreeFile, to path: TreePath) {
        paths.append(path)
        size += file.content.size
    }

    mutating func write(_ bytes: ArraySlice<UInt8>, to path: TreePath) {
        paths.append(path)
        size += bytes.count
    }
}

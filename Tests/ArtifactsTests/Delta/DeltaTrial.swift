import Artifacts
import ArtifactsProbe
import Domain
import Testing

/// A patch between two trees in memory, and the result of applying it.
struct DeltaTrial {
    typealias Files = [String: [UInt8]]

    let base: MemoryBase
    let patch: [UInt8]
    private let target: Tree

    init(from base: Files, to target: Files, effort: DeltaEffort = .small) throws {
        let unpacking = try Unpacking()
        func tree(_ files: Files) throws -> Tree {
            Tree(
                try files.map { path, bytes in
                    TreeFile(
                        path: try TreePath(path),
                        content: try unpacking.workshop.stage(bytes, into: unpacking.staging))
                })
        }
        self.base = MemoryBase(tree: try tree(base), files: base)
        self.target = try tree(target)
        let built = try #require(
            try unpacking.workshop.buildDelta(
                from: self.base.tree, to: self.target, effort: effort, into: unpacking.staging))
        patch = try unpacking.staging.bytes(of: built.digest)
        #expect(built.recipe == effort.rawValue)
    }

    /// Returns the files that the patch creates; throws the errors of applying it.
    func result(of patch: [UInt8]? = nil, limit: Int = .max) throws -> Files {
        var result = MemoryResult(base: base.files)
        try DeltaPatch(patch ?? self.patch).apply(
            to: base, baseTree: OpenSSLCryptography().treeHash(of: base.tree), limit: limit, making: &result)
        return result.files
    }

    /// Returns the reason why a patch is rejected, or `nil` if it creates the target.
    func refusal(of patch: [UInt8], limit: Int = .max) -> String? {
        do {
            let digests = try result(of: patch, limit: limit).mapValues { OpenSSLCryptography().sha256($0) }
            let expected = target.files.map { ($0.path.text, $0.content.digest) }
            return digests == Dictionary(uniqueKeysWithValues: expected) ? nil : "another result"
        } catch let error as PlatformError {
            return error.reason ?? error.code.rawValue
        } catch {
            return "\(error)"
        }
    }
}

struct MemoryBase: DeltaBase {
    let tree: Tree
    let files: DeltaTrial.Files

    func bytes(of file: TreeFile) throws(PlatformError) -> [UInt8] {
        guard let bytes = files[file.path.text] else { throw PlatformError(.storageFailed, "There is no such file.") }
        return bytes
    }
}

struct MemoryResult: DeltaResult {
    let base: DeltaTrial.Files
    var files: DeltaTrial.Files = [:]

    mutating func copy(_ file: TreeFile, to path: TreePath) { files[path.text] = base[file.path.text] }
    mutating func write(_ bytes: ArraySlice<UInt8>, to path: TreePath) { files[path.text] = Array(bytes) }
}

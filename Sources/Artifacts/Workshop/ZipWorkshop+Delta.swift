package import Domain
import Execution

extension ZipWorkshop {
    package func buildDelta(
        from base: Tree, to target: Tree, effort: DeltaEffort, timeLimit: Duration? = nil, into staging: any BlobStaging
    ) throws(PlatformError) -> BuiltArchive? {
        defer { ProcessMemory.returnFreed() }
        let (from, to) = (side(base, staging), side(target, staging))
        let hasher = OpenSSLCryptography()
        let (baseTree, tree) = (hasher.treeHash(of: base), hasher.treeHash(of: target))
        let builder = try DeltaBuilder(from: from, to: to, effort: effort, timeLimit: timeLimit)
        guard let patch = try builder.patch(baseTree: baseTree, tree: tree) else { return nil }
        guard try makes(tree, patch, from: from, baseTree) else { return nil }
        var archive = try StagedArchive(in: staging)
        try patch.withUnsafeBufferPointer { (bytes) throws(PlatformError) in
            try archive.write(UnsafeRawBufferPointer(bytes))
        }
        let built = try archive.finish()
        return BuiltArchive(digest: built.digest, size: built.size, md5: built.md5, recipe: effort.rawValue)
    }

    /// Whether clients accept the patch, and applying it yields the tree.
    private func makes(
        _ tree: SHA256Digest, _ patch: [UInt8], from base: DeltaSide, _ baseTree: SHA256Digest
    ) throws(PlatformError) -> Bool {
        var result = DigestedResult()
        do throws(PlatformError) {
            try DeltaPatch(patch).apply(
                to: base, baseTree: baseTree, limit: DeltaLimits.treeBytes, making: &result)
        } catch  where error.code == .badPackage {
            return false
        }
        return OpenSSLCryptography().treeHash(of: Tree(result.files)) == tree
    }

    private func side(_ tree: Tree, _ staging: any BlobStaging) -> DeltaSide {
        DeltaSide(tree) { content throws(PlatformError) in
            try read(content, from: staging, upTo: DeltaLimits.frameBytes)
        }
    }
}

/// The tree that a patch creates; keeps only the digests.
private struct DigestedResult: DeltaResult {
    var files: [TreeFile] = []

    mutating func copy(_ file: TreeFile, to path: TreePath) {
        files.append(TreeFile(path: path, content: file.content))
    }

    mutating func write(_ bytes: ArraySlice<UInt8>, to path: TreePath) {
        var hasher = SHA256Hasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        let content = FileContent(digest: hasher.finish(), size: bytes.count, crc32: 0, deflated: nil)
        files.append(TreeFile(path: path, content: content))
    }
}

import Domain

/// A manifest resolved against its base, checked before any file is made.
struct DeltaApplication {
    /// The files that stay in the result unchanged.
    let kept: [TreeFile]
    /// The paths of the manifest's entries, in order.
    let paths: [TreePath]
    private let tokens: TokenMap
    private let prefixFiles: [TreeFile]

    /// Throws `badPackage` if the manifest refers to a missing file, repeats a path, or exceeds a limit.
    init(of manifest: DeltaManifest, to base: Tree, limit: Int) throws(PlatformError) {
        kept = try Self.kept(by: manifest.runs, in: base)
        var tokens = TokenMap()
        var paths: [TreePath] = []
        for entry in manifest.entries {
            if let source = entry.source, source >= base.files.count { throw DeltaRefusal.badReference.error }
            paths.append(try Self.path(of: entry, in: base, &tokens))
        }
        guard Set(kept.map(\.path)).union(paths).count == kept.count + paths.count else {
            throw DeltaRefusal.badReference.error
        }
        self.paths = paths
        self.tokens = tokens
        try Self.check(manifest, kept: kept, in: base, limit: limit)
        prefixFiles = manifest.prefix.flatMap { base.files[$0] }
    }

    private static func kept(by runs: [DeltaManifest.Run], in base: Tree) throws(PlatformError) -> [TreeFile] {
        var kept: [TreeFile] = []
        var next = 0
        for run in runs {
            guard run.count <= base.files.count - next else { throw DeltaRefusal.badReference.error }
            if run.isKept { kept += base.files[next..<(next + run.count)] }
            next += run.count
        }
        return kept
    }

    private static func path(
        of entry: DeltaManifest.Entry, in base: Tree, _ tokens: inout TokenMap
    ) throws(PlatformError) -> TreePath {
        switch entry.destination {
        case .literal(let path): return path
        case .same:
            guard let source = entry.source else { throw DeltaRefusal.badReference.error }
            return base.files[source].path
        case .renamed(let offset, let token):
            guard let source = entry.source else { throw DeltaRefusal.badReference.error }
            let old = Array(base.files[source].path.text.utf8)
            let new = Array(token.utf8)
            guard offset <= old.count, new.count <= old.count - offset else { throw DeltaRefusal.badReference.error }
            let end = offset + new.count
            guard tokens.add(Array(old[offset..<end]), new) else { throw DeltaRefusal.badHashMap.error }
            let bytes = old[..<offset] + new + old[end...]
            do throws(TreePath.Fault) { return try TreePath(validating: bytes) } catch {
                throw DeltaRefusal.badReference.error
            }
        }
    }

    private static func check(
        _ manifest: DeltaManifest, kept: [TreeFile], in base: Tree, limit: Int
    ) throws(PlatformError) {
        guard kept.count + manifest.entries.count <= DeltaLimits.fileCount else { throw DeltaRefusal.tooLarge.error }
        var total = kept.reduce(0) { $0 + $1.content.size }
        var (common, sources) = (0, 0)
        for entry in manifest.entries {
            let source = entry.source.map { base.files[$0].content.size } ?? 0
            let size: Int
            switch entry.content {
            case .copied: size = source
            case .mapped:
                try checkFrame(source)
                (size, sources) = (source, sources + source)
            case .framed(let content, _):
                try checkFrame(source)
                try checkFrame(content)
                (size, sources) = (content, sources + source)
            case .common(let content):
                common += content
                try checkFrame(common)
                size = content
            }
            total += size
            guard total <= limit, sources <= DeltaLimits.sourceBytes else { throw DeltaRefusal.tooLarge.error }
        }
        try checkPrefix(manifest.prefix, in: base)
    }

    private static func checkPrefix(_ ranges: [ClosedRange<Int>], in base: Tree) throws(PlatformError) {
        var (size, count) = (0, 0)
        for range in ranges {
            guard range.upperBound < base.files.count else { throw DeltaRefusal.badReference.error }
            count += range.count
            guard count <= base.files.count else { throw DeltaRefusal.tooLarge.error }
            size = base.files[range].reduce(size) { $0 + $1.content.size }
            try checkFrame(size)
        }
    }

    private static func checkFrame(_ size: Int) throws(PlatformError) {
        guard size <= DeltaLimits.frameBytes else { throw DeltaRefusal.tooLarge.error }
    }

    /// Returns the bytes of a file of the base with its hash tokens replaced; empty without a file.
    func mapped(_ file: TreeFile?, in base: some DeltaBase) throws(PlatformError) -> [UInt8] {
        guard let file else { return [] }
        let bytes = try base.bytes(of: file)
        return bytes.withUnsafeBytes { tokens.replaced($0) } ?? bytes
    }

    /// Returns the prefix of the common frame.
    func prefix(in base: some DeltaBase) throws(PlatformError) -> [UInt8] {
        var prefix: [UInt8] = []
        prefix.reserveCapacity(prefixFiles.reduce(0) { $0 + $1.content.size })
        for file in prefixFiles { prefix += try mapped(file, in: base) }
        return prefix
    }
}

import Domain
import Execution

/// A builder of the delta patch from one layout tree to another; deterministic for given trees and effort.
struct DeltaBuilder: ~Copyable {
    private let base: DeltaSide
    private let target: DeltaSide
    private let effort: DeltaEffort
    private let encoder: ZstdEncoder

    init(from base: DeltaSide, to target: DeltaSide, effort: DeltaEffort, timeLimit: Duration?) throws(PlatformError) {
        // A fast patch is built while a request waits for it; a small one is built in the background.
        encoder = try ZstdEncoder(
            endsWithTask: effort == .small, deadline: timeLimit.map { ContinuousClock.now.advanced(by: $0) })
        self.base = base
        self.target = target
        self.effort = effort
    }

    /// Returns the patch, or `nil` if it exceeds ``DeltaLimits`` or the time limit.
    ///
    /// Consumes the builder, so that its memory is free once the patch exists.
    ///
    /// - Parameters:
    ///   - baseTree: The tree hash of the base.
    ///   - tree: The tree hash of the result.
    consuming func patch(baseTree: SHA256Digest, tree: SHA256Digest) throws(PlatformError) -> [UInt8]? {
        guard max(base.tree.totalSize, target.tree.totalSize) <= DeltaLimits.treeBytes,
            target.tree.files.count <= DeltaLimits.fileCount
        else { return nil }
        do throws(PlatformError) {
            return try smallestPatch(baseTree: baseTree, tree: tree)
        } catch  where error.reason == ZstdEncoder.tookTooLong {
            return nil
        }
    }

    private func smallestPatch(baseTree: SHA256Digest, tree: SHA256Digest) throws(PlatformError) -> [UInt8]? {
        let (runs, matches, tokens) = try DeltaMatcher(from: base, to: target).match()
        let changes = try matches.map { match throws(PlatformError) in try change(match, tokens) }
        letBaseGo()
        var shapes = [try separate(changes)]
        if changes.contains(where: \.isCoded) { shapes.append(try common(consume changes, tokens)) }
        var smallest: [UInt8]?
        for var shape in shapes {
            shape.manifest.runs = runs
            guard shape.manifest.text.count <= DeltaLimits.manifestBytes else { return nil }
            let patch = try assemble(shape, baseTree: baseTree, tree: tree)
            if patch.count < smallest?.count ?? .max { smallest = patch }
        }
        return smallest.flatMap { $0.count <= DeltaLimits.patchBytes ? $0 : nil }
    }

    /// Frees the bytes of the base before frames are made, when a build uses most memory.
    ///
    /// A patch that a request waits for keeps them: they are needed twice more, for the common frame and to verify the
    /// patch.
    private func letBaseGo() {
        guard effort == .small else { return }
        base.forgetBytes()
        ProcessMemory.returnFreed()
    }

    /// A manifest without its runs, and the frames that it refers to.
    private struct Shape {
        var manifest: DeltaManifest
        var body: [UInt8]
    }

    /// A changed file and its source.
    private struct Change {
        let match: DeltaMatcher.Match
        /// The source's bytes with the hash tokens replaced.
        let mapped: [UInt8]
        /// The content without a frame: the source's bytes, with or without replaced hash tokens; `nil` if the file
        /// needs a frame.
        let plain: DeltaManifest.Content?

        var isCoded: Bool { plain == nil }

        func entry(_ content: DeltaManifest.Content) -> DeltaManifest.Entry {
            DeltaManifest.Entry(source: match.source, destination: match.destination, content: content)
        }
    }

    private func change(_ match: DeltaMatcher.Match, _ tokens: TokenMap) throws(PlatformError) -> Change {
        guard let number = match.source else { return Change(match: match, mapped: [], plain: nil) }
        let source = base.tree.files[number]
        if source.content.digest == match.file.content.digest {
            return Change(match: match, mapped: [], plain: .copied)
        }
        let bytes = try base.bytes(of: source)
        let mapped = bytes.withUnsafeBytes { tokens.replaced($0) }
        let isSame = try mapped == target.bytes(of: match.file)
        return Change(match: match, mapped: mapped ?? bytes, plain: isSame ? .mapped : nil)
    }

    /// Builds the shape with one frame for each file.
    private func separate(_ changes: [Change]) throws(PlatformError) -> Shape {
        var shape = Shape(manifest: DeltaManifest(), body: [])
        for change in changes {
            if let plain = change.plain {
                shape.manifest.entries.append(change.entry(plain))
            } else {
                let bytes = try target.bytes(of: change.match.file)
                let frame = try smallestFrame(of: bytes, prefix: change.mapped)
                shape.manifest.entries.append(change.entry(.framed(size: bytes.count, length: frame.count)))
                shape.body += frame
            }
        }
        return shape
    }

    private func smallestFrame(of bytes: [UInt8], prefix: [UInt8]) throws(PlatformError) -> [UInt8] {
        var smallest: [UInt8]?
        for level in effort.fileLevels {
            let frame = try frame(of: bytes, prefix: prefix, level: level, findsFarMatches: false)
            if frame.count < smallest?.count ?? .max { smallest = frame }
        }
        return smallest ?? []
    }

    /// Builds the shape with one frame for all files; its prefix is all texts of the base, the changed ones last.
    private func common(_ changes: consuming [Change], _ tokens: TokenMap) throws(PlatformError) -> Shape {
        var shape = Shape(manifest: DeltaManifest(), body: [])
        var content: [UInt8] = []
        var sources: [Int] = []
        var mapped: [Int: [UInt8]] = [:]
        for change in consume changes {
            if let plain = change.plain {
                shape.manifest.entries.append(change.entry(plain))
            } else {
                let bytes = try target.bytes(of: change.match.file)
                shape.manifest.entries.append(change.entry(.common(size: bytes.count)))
                content += bytes
                if let source = change.match.source, mapped.updateValue(change.mapped, forKey: source) == nil {
                    sources.append(source)
                }
            }
        }
        target.forgetBytes()
        var others: [Int] = []
        for (number, file) in base.tree.files.enumerated() where !sources.contains(number) {
            if try base.isText(file) { others.append(number) }
        }
        shape.manifest.prefix = Self.ranges(others + sources)
        var prefix: [UInt8] = []
        prefix.reserveCapacity((others + sources).reduce(0) { $0 + base.tree.files[$1].content.size })
        for number in others + sources {
            if let known = mapped[number] {
                prefix += known
            } else {
                let bytes = try base.bytes(of: base.tree.files[number])
                prefix += bytes.withUnsafeBytes { tokens.replaced($0) } ?? bytes
            }
        }
        mapped = [:]
        letBaseGo()
        shape.body = try frame(of: content, prefix: prefix, level: effort.commonLevel, findsFarMatches: true)
        return shape
    }

    private static func ranges(_ numbers: [Int]) -> [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges
    }

    private func assemble(
        _ shape: Shape, baseTree: SHA256Digest, tree: SHA256Digest
    ) throws(PlatformError) -> [UInt8] {
        let manifest = try frame(of: shape.manifest.text, prefix: base.listing, level: 19, findsFarMatches: false)
        let header = DeltaHeader(baseTree: baseTree, tree: tree, manifestLength: manifest.count)
        return header.bytes + manifest + shape.body
    }

    private func frame(
        of bytes: [UInt8], prefix: [UInt8], level: Int32, findsFarMatches: Bool
    ) throws(PlatformError) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (bytes) throws(PlatformError) in
            try prefix.withUnsafeBufferPointer { (prefix) throws(PlatformError) in
                try encoder.frame(
                    of: UnsafeRawBufferPointer(bytes), prefix: UnsafeRawBufferPointer(prefix), level: level,
                    findsFarMatches: findsFarMatches)
            }
        }
    }
}

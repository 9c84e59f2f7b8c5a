import Domain

/// A matcher that finds the most similar old file for every file of a new tree.
struct DeltaMatcher {
    let base: DeltaSide
    let target: DeltaSide
    private var byPath: [TreePath: Int] = [:]
    private var byDigest: [SHA256Digest: [Int]] = [:]
    private var byStem: [[UInt8]: [Int]] = [:]
    private let names: [HashedName]

    init(from base: DeltaSide, to target: DeltaSide) {
        self.base = base
        self.target = target
        names = base.tree.files.map { HashedName($0.path.text) }
        for (number, file) in base.tree.files.enumerated() {
            byPath[file.path] = number
            byDigest[file.content.digest, default: []].append(number)
            byStem[names[number].stem, default: []].append(number)
        }
    }

    /// A file of the new tree that the old tree does not have unchanged under its path.
    struct Match {
        let file: TreeFile
        var source: Int?
        var destination: DeltaManifest.Destination
    }

    /// Returns the runs of unchanged and other base files, a match for every other target file in the order of their
    /// paths, and the map of content hashes that the matches use.
    func match() throws(PlatformError) -> (runs: [DeltaManifest.Run], matches: [Match], tokens: TokenMap) {
        let kept = base.tree.files.map { target.tree[$0.path]?.content.digest == $0.content.digest }
        var tokens = TokenMap()
        var matches: [Match] = []
        for file in target.tree.files {
            if let number = byPath[file.path], kept[number] { continue }
            var match = Match(file: file, source: try source(of: file), destination: .literal(file.path))
            if let source = match.source { match.destination = destination(of: file, from: source, &tokens) }
            matches.append(match)
        }
        return (Self.runs(kept), matches, tokens)
    }

    private static func runs(_ kept: [Bool]) -> [DeltaManifest.Run] {
        var runs: [DeltaManifest.Run] = []
        for isKept in kept {
            if runs.last?.isKept == isKept {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(DeltaManifest.Run(isKept: isKept, count: 1))
            }
        }
        if runs.last?.isKept == false { runs.removeLast() }
        return runs
    }

    /// Selects a source with the same bytes, else the same path, else the same name except for the hash, else the most
    /// shared statements.
    private func source(of file: TreeFile) throws(PlatformError) -> Int? {
        let stem = HashedName(file.path.text).stem
        if let same = byDigest[file.content.digest] {
            return same.first { names[$0].stem == stem } ?? same.first
        }
        if let number = byPath[file.path] { return number }
        if let namesakes = byStem[stem] {
            return namesakes.count == 1 ? namesakes[0] : try nearest(to: file, among: Set(namesakes)) ?? namesakes[0]
        }
        return try target.isText(file) ? nearest(to: file, among: nil) : nil
    }

    /// Returns the file that shares most statements and is not so large that reading it costs more than it saves.
    private func nearest(to file: TreeFile, among numbers: Set<Int>?) throws(PlatformError) -> Int? {
        let shares = try base.statements().shares(of: StatementSample(of: try target.bytes(of: file)))
        let limit = Self.smallSource + Self.largestSource * file.content.size
        return shares.filter { number, _ in
            numbers?.contains(number) ?? true && base.tree.files[number].content.size <= limit
        }.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// The size in bytes up to which any source is allowed; larger sources are limited to a multiple of the file's own
    /// size.
    private static let smallSource = 64 << 10
    private static let largestSource = 8

    /// Returns the path as a renamed token of the source's path if possible without contradicting the hash map.
    private func destination(of file: TreeFile, from source: Int, _ tokens: inout TokenMap) -> DeltaManifest.Destination
    {
        let old = base.tree.files[source].path
        if old == file.path { return .same }
        let name = HashedName(file.path.text)
        guard name.stem == names[source].stem, let new = name.token, let token = names[source].token else {
            return .literal(file.path)
        }
        let (oldToken, newToken) = (Array(old.text.utf8)[token], Array(file.path.text.utf8)[new])
        guard token.lowerBound == new.lowerBound, tokens.add(Array(oldToken), Array(newToken)) else {
            return .literal(file.path)
        }
        return .renamed(offset: token.lowerBound, token: String(decoding: newToken, as: UTF8.self))
    }
}

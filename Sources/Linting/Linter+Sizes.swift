import Domain
import Ground

extension Linter {
    /// Adds findings for equal bytes under several paths.
    func checkDuplicates(in tree: Tree, into findings: inout FindingList) {
        var copies: [SHA256Digest: [TreeFile]] = [:]
        for file in tree.files { copies[file.content.digest, default: []].append(file) }
        for file in tree.files {
            guard let same = copies[file.content.digest], same[0].path == file.path, same.count > 1 else { continue }
            let surplus = file.content.size * (same.count - 1)
            guard surplus >= rules.duplicateBytes else { continue }
            let more = same.count > 2 ? " and \(same.count - 2) more" : ""
            findings.add(
                .duplicateContent, file.path,
                "The same bytes are at '\(ShownText.of(same[1].path.text.utf8))'\(more). Keep one of them, which saves "
                    + "\(ByteCount.text(surplus)).")
        }
    }

    /// Adds a finding if the package is larger than the previous version by more than the allowed share.
    func checkGrowth(of tree: Tree, since before: [TreePath: Int], into findings: inout FindingList) {
        let old = before.values.reduce(0, +)
        let new = tree.totalSize
        guard old > 0, (new - old) * 100 > old * rules.growthPercent else { return }
        findings.add(
            .packageGrew, nil,
            "The package is \(ByteCount.text(new)), \((new - old) * 100 / old) % more than the \(ByteCount.text(old)) of "
                + "the previous version. Largest growth: \(grown(tree, since: before)). Check whether it is needed.")
    }

    /// Returns the files that grew most; a file with a new hash in its name is compared with the one it replaces.
    private func grown(_ tree: Tree, since before: [TreePath: Int]) -> String {
        var growth: [[UInt8]: (bytes: Int, path: TreePath, size: Int)] = [:]
        for file in tree.files {
            let size = file.content.size
            let name = Self.withoutHashes(file.path)
            let known = growth[name] ?? (0, file.path, -1)
            growth[name] =
                size > known.size
                ? (known.bytes + size, file.path, size) : (known.bytes + size, known.path, known.size)
        }
        for (path, size) in before {
            growth[Self.withoutHashes(path)]?.bytes -= size
        }
        let most = growth.values.filter { $0.bytes > 0 }.sorted { ($1.bytes, $0.path) < ($0.bytes, $1.path) }
        return most.prefix(rules.growthFiles).map { entry in
            "'\(ShownText.of(entry.path.text.utf8))' (+\(ByteCount.text(entry.bytes)))"
        }.joined(separator: ", ")
    }

    /// Returns the path with `*` for each word that looks like a hash.
    ///
    /// Such a word has at least eight letters and digits, including a digit.
    static func withoutHashes(_ path: TreePath) -> [UInt8] {
        var name: [UInt8] = []
        var scanner = ByteScanner(Array(path.text.utf8))
        while let byte = scanner.current {
            guard ASCII.isAlphanumeric(byte) else {
                name.append(byte)
                scanner.skip()
                continue
            }
            let word = scanner.bytes[scanner.take(while: ASCII.isAlphanumeric)]
            if word.count >= 8, word.contains(where: ASCII.isDigit) {
                name.append(UInt8(ascii: "*"))
            } else {
                name += word
            }
        }
        return name
    }
}

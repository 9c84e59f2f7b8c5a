import Domain

/// The rules for the paths of one package as a set.
enum PathCheck {
    /// Rejects duplicate paths, paths that collide by a comparison of names, and an empty list.
    static func refuseCollisions(
        _ paths: [TreePath], _ comparison: NameComparison = .folded
    ) throws(PlatformError) {
        guard !paths.isEmpty else { throw ZipRefusal.empty.error() }
        var seen: Set<TreePath> = []
        for path in paths {
            guard seen.insert(path).inserted else { throw ZipRefusal.duplicate.error(entry: shown(path)) }
        }
        // The check does not use contents.
        let nothing = FileContent(digest: SHA256Hasher().finish(), size: 0, crc32: 0, deflated: nil)
        if let (first, second) = Tree(paths.map { TreeFile(path: $0, content: nothing) }).collision(comparison) {
            throw ZipRefusal.collision(first).error(entry: shown(second))
        }
    }

    private static func shown(_ path: TreePath) -> String { EntryName(bytes: Array(path.text.utf8)).shown }
}

/// The differences between two trees, file by file; each list is sorted by path.
package struct TreeDiff: Sendable, Equatable {
    /// The files at paths that the base lacks.
    package private(set) var added: [TreeFile] = []
    /// The files whose bytes differ at the same path.
    package private(set) var changed: [Change] = []
    /// The files of the base whose paths are missing.
    package private(set) var removed: [TreeFile] = []
    /// The files with the bytes of a missing file; they count as neither added nor removed.
    package private(set) var moved: [Move] = []

    package struct Change: Sendable, Equatable {
        package let before: TreeFile
        package let after: TreeFile
    }

    package struct Move: Sendable, Equatable {
        package let from: TreePath
        package let file: TreeFile
    }

    /// Compares two trees by content; of several files with equal bytes, the first missing one is the source of the
    /// first new one.
    package init(from base: Tree, to target: Tree) {
        var gone: [SHA256Digest: ArraySlice<TreeFile>] = [:]
        for file in base.files where target[file.path] == nil { gone[file.content.digest, default: []].append(file) }
        for file in target.files {
            if let before = base[file.path] {
                guard before.content.digest != file.content.digest else { continue }
                changed.append(Change(before: before, after: file))
            } else if let source = gone[file.content.digest]?.popFirst() {
                moved.append(Move(from: source.path, file: file))
            } else {
                added.append(file)
            }
        }
        removed = gone.values.flatMap { $0 }.sorted { $0.path < $1.path }
    }
}

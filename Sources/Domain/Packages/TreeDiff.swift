/// What differs between two trees, file by file; each list by path.
package struct TreeDiff: Sendable, Equatable {
    /// Files at paths that the base does not have.
    package private(set) var added: [TreeFile] = []
    /// Files with other bytes at the same path.
    package private(set) var changed: [Change] = []
    /// Files of the base whose paths are gone.
    package private(set) var removed: [TreeFile] = []
    /// Files that have the bytes of one that is gone: neither added nor removed.
    package private(set) var moved: [Move] = []

    package struct Change: Sendable, Equatable {
        package let before: TreeFile
        package let after: TreeFile
    }

    package struct Move: Sendable, Equatable {
        package let from: TreePath
        package let file: TreeFile
    }

    /// Compares by content; of several files with the same bytes the first that went is where the first that came is
    /// from.
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

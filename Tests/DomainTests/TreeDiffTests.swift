import Domain
import Testing

struct TreeDiffTests {
    private func tree(_ files: KeyValuePairs<String, UInt8>) throws -> Tree {
        Tree(try files.map { TreeFile(path: try TreePath($0.key), content: try Sample.content($0.value)) })
    }

    @Test func `each file that differs is in one list, by path`() throws {
        let base = try tree(["same": 1, "changed": 2, "gone": 3, "old/name": 4, "also-gone": 5])
        let target = try tree(["same": 1, "changed": 6, "new": 7, "new/er": 8, "name": 4])
        let diff = TreeDiff(from: base, to: target)
        #expect(diff.added.map(\.path.text) == ["new", "new/er"])
        #expect(diff.changed.map(\.before.path.text) == ["changed"])
        #expect(try diff.changed.map(\.before.content.digest) == [Sample.digest(2)])
        #expect(try diff.changed.map(\.after.content.digest) == [Sample.digest(6)])
        #expect(diff.removed.map(\.path.text) == ["also-gone", "gone"])
        #expect(diff.moved.map { "\($0.from) \($0.file.path)" } == ["old/name name"])
    }

    @Test func `equal trees do not differ, and every file differs from an empty tree`() throws {
        let some = try tree(["a": 1, "b": 1])
        let none = Tree([])
        #expect(TreeDiff(from: some, to: some) == TreeDiff(from: none, to: none))
        #expect(TreeDiff(from: none, to: some).added == some.files)
        #expect(TreeDiff(from: some, to: none).removed == some.files)
    }

    @Test func `a copy of a file that stays is added, not moved`() throws {
        let diff = TreeDiff(from: try tree(["a": 1]), to: try tree(["a": 1, "b": 1]))
        #expect(diff.added.map(\.path.text) == ["b"] && diff.moved.isEmpty)
    }

    @Test func `a removed file counts as moved to at most one path`() throws {
        let one = TreeDiff(from: try tree(["old": 1]), to: try tree(["b": 1, "c": 1]))
        #expect(one.moved.map(\.file.path.text) == ["b"] && one.added.map(\.path.text) == ["c"])
        let two = TreeDiff(from: try tree(["y": 1, "x": 1, "z": 1]), to: try tree(["b": 1, "a": 1]))
        #expect(two.moved.map { "\($0.from) \($0.file.path)" } == ["x a", "y b"])
        #expect(two.removed.map(\.path.text) == ["z"])
    }

    @Test func `other bytes at a path are a change, though the old ones are elsewhere now`() throws {
        let diff = TreeDiff(from: try tree(["a": 1, "b": 2]), to: try tree(["a": 2, "c": 1]))
        #expect(diff.changed.map(\.after.path.text) == ["a"])
        #expect(diff.added.map(\.path.text) == ["c"] && diff.removed.map(\.path.text) == ["b"])
        #expect(diff.moved.isEmpty)
    }
}

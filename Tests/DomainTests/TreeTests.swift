import Domain
import Testing

struct TreeTests {
    @Test func `the tree hash is over path, NUL, digest and LF of each file by the bytes of its path`() throws {
        // Computed with Python: sorted(files, key=str.encode), hashlib.sha256(content).hexdigest().
        let digests = [
            "日本.txt": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "js/app.js": "0a286891c11c056e1ab5bfc25bf5d6b2f5b06d38eac10944f678fd8a2e70c393",
            "js-x": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
            "index.html": "b633a587c652d02386c4f16f8c6f6aab7352d97f16367c3c40576214372dd628",
        ]
        let files = try digests.map { path, hex in
            let digest = try #require(SHA256Digest(hex: hex))
            return TreeFile(
                path: try TreePath(path), content: FileContent(digest: digest, size: 1, crc32: 0, deflated: nil))
        }
        let expected =
            "index.html\0b633a587c652d02386c4f16f8c6f6aab7352d97f16367c3c40576214372dd628\n"
            + "js-x\u{0}2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\n"
            + "js/app.js\u{0}0a286891c11c056e1ab5bfc25bf5d6b2f5b06d38eac10944f678fd8a2e70c393\n"
            + "日本.txt\u{0}e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
        #expect(String(decoding: Tree(files).hashedBytes, as: UTF8.self) == expected)
        #expect(Tree(files.reversed()).hashedBytes == Array(expected.utf8))
    }

    @Test func `sizes and streams are not part of the hash`() throws {
        let path = try TreePath("a")
        let plain = FileContent(digest: try Sample.digest(1), size: 10, crc32: 1, deflated: nil)
        let other = FileContent(
            digest: try Sample.digest(1), size: 11, crc32: 2,
            deflated: DeflatedStream(digest: try Sample.digest(9), size: 3))
        let trees = [plain, other].map { Tree([TreeFile(path: path, content: $0)]) }
        #expect(trees[0].hashedBytes == trees[1].hashedBytes)
        #expect(trees[0] != trees[1])
    }

    @Test func `a file is found by its path`() throws {
        let tree = try Sample.tree("b", "a/1", "a", "c/d/e", "ab")
        for path in tree.paths { #expect(try tree[TreePath(path)]?.path.text == path) }
        for path in ["A", "a/", "a/2", "aa", "zz", "0"] {
            if let path = try? TreePath(path) { #expect(tree[path] == nil) }
        }
    }

    @Test func `the last of several files with one path stays`() throws {
        let files = try [1, 2].map { TreeFile(path: try TreePath("a"), content: try Sample.content($0)) }
        #expect(Tree(files).files == [files[1]])
    }

    @Test func `changes are the files that are new or have other bytes`() throws {
        func file(_ path: String, _ byte: UInt8) throws -> TreeFile {
            TreeFile(path: try TreePath(path), content: try Sample.content(byte))
        }
        let base = Tree([try file("same", 1), try file("changed", 2), try file("gone", 3)])
        let next = Tree([try file("same", 1), try file("changed", 4), try file("new", 1)])
        #expect(next.changes(since: base).map(\.path.text) == ["changed", "new"])
        #expect(next.changes(since: next) == [])
        #expect(next.changes(since: Tree([])) == next.files)
    }

    @Test(arguments: [
        (["Index.html", "index.HTML"], "case"), (["É.js", "e\u{301}.js"], "case and normalisation"),
        (["a", "a/b"], "a file where a folder is needed"), (["A", "a/b"], "the same, by case"),
        (["A/x", "a/y"], "folders by case"), (["a/B/x", "a/b/y"], "inner folders by case"),
        (["a/x", "b/y", "A/z"], "folders that are not neighbours"), (["ÄB/x", "äb/y"], "folders beyond ASCII"),
        (["A/b", "a"], "a folder where a file is, by case"), (["a/b/c/x", "a/b/C"], "deep inside"),
        (["ς.js", "σ.js"], "the two lower cases of sigma"), (["ß/x", "SS/y"], "folders of different lengths"),
        (["ﬁ", "fi/a"], "a file where a folder is needed, by a ligature"),
    ])
    func `files that would meet on a device that ignores case collide`(paths: [String], why: String) throws {
        let tree = Tree(try paths.map { TreeFile(path: try TreePath($0), content: try Sample.content()) })
        #expect(tree.collision() != nil, "\(why)")
    }

    @Test func `files in one folder and names that begin alike do not collide`() throws {
        #expect(try Sample.tree("a/x", "a/y", "a/b/x", "a/b/y", "ab", "a-", "b/a/x").collision() == nil)
        #expect(try Sample.tree("a/x/c", "b/X/c", "c/a", "c/b/A", "A-/x").collision() == nil)
        #expect(Tree([]).collision() == nil)
    }

    @Test func `compared by bytes, only a file in the path of a folder collides`() throws {
        #expect(try Sample.tree("A/x", "a/X", "a/x", "ß", "ς", "σ", "ss").collision(.byBytes) == nil)
        #expect(try Sample.tree("a", "a/b").collision(.byBytes) != nil)
    }
}

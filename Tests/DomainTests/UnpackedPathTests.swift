import Domain
import Testing

struct UnpackedPathTests {
    private func target(_ text: String?, entry: String? = "index.html") throws -> UnpackedPath.Target {
        let path = try #require(text.map { UnpackedPath($0) } ?? .version)
        return path.target(entry: try entry.map { try TreePath($0) })
    }

    private func file(_ text: String) throws -> UnpackedPath.Target { .file(try TreePath(text)) }

    @Test func `the root has the entry page and no other`() throws {
        #expect(try target("") == file("index.html"))
        #expect(try target("", entry: "home.html") == file("home.html"))
        #expect(try target("", entry: nil) == .nothing)
        #expect(try target("", entry: "a/home.html") == .page(TreePath("a/home.html")))
        #expect(try target(nil) == .folder && target(nil, entry: nil) == .folder)
    }

    @Test func `a folder has the entry page if that lies in it, else its index.html`() throws {
        #expect(try target("a/", entry: "a/home.html") == file("a/home.html"))
        #expect(try target("a/", entry: "a/b/home.html") == file("a/index.html"))
        #expect(try target("a/", entry: "home.html") == file("a/index.html"))
        #expect(try target("a/b/", entry: "a/b/home.html") == file("a/b/home.html"))
        #expect(try target("a/", entry: nil) == file("a/index.html"))
    }

    @Test func `a path without a final slash is a file`() throws {
        #expect(try target("a/b.js") == file("a/b.js"))
        #expect(try target("a") == file("a"))
        // In the composed form, as published.
        #expect(try target("e\u{301}.js") == file("\u{E9}.js"))
    }

    @Test(arguments: ["/", "//", "a//", "a//b", "..", "../a", "a/../b", "./a", "a\\b", "a\u{0}b", "/a", "c:/a"])
    func `a path that no tree can hold is refused`(text: String) {
        #expect(UnpackedPath(text) == nil)
    }
}

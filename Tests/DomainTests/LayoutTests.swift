import Domain
import Testing

struct LayoutTests {
    private func placed(_ layout: Layout, _ paths: [String]) throws -> [String] {
        let tree = Tree(try paths.map { TreeFile(path: try TreePath($0), content: try Sample.content()) })
        return try layout.placed(tree, of: Sample.package()).paths
    }

    @Test func `each layout puts the files at the paths that its clients open`() throws {
        let paths = ["css/site.css", "index.html"]
        #expect(try placed(.flat, paths) == paths)
        #expect(try placed(.topFolder, paths) == ["news/css/site.css", "news/index.html"])
        #expect(try placed(.appFolder, paths) == ["news/css/site.css", "news/index.html"])
        #expect(try placed(.baseNames, paths) == ["index.html", "site.css"])
    }

    @Test func `the contents go with their files`() throws {
        let tree = Tree([
            TreeFile(path: try TreePath("a/index.html"), content: try Sample.content(1)),
            TreeFile(path: try TreePath("b/x"), content: try Sample.content(2)),
        ])
        let placed = try Layout.baseNames.placed(tree, of: Sample.package())
        #expect(placed[.index]?.content == (try Sample.content(1)))
        #expect(placed[try TreePath("x")]?.content == (try Sample.content(2)))
    }

    @Test(arguments: [["a/x", "b/x"], ["x", "b/x"], ["a/\u{E9}", "b/e\u{301}"]])
    func `a layout without folders refuses two files of one name`(paths: [String]) throws {
        let error = #expect(throws: PlatformError.self) { try placed(.baseNames, paths + ["index.html"]) }
        #expect(error?.code == .conflict)
        for path in paths { #expect(error?.message.contains("'\(try TreePath(path))'") == true) }
    }

    @Test(arguments: [
        ["a/x", "b/x"], ["a/x", "b/X"], ["a/\u{E9}", "b/E\u{301}"], ["a/ς", "b/σ"], ["a/stra\u{DF}e", "b/STRASSE"],
    ])
    func `names that collide on a device without case are refused before the layout is made`(paths: [String]) throws {
        let tree = Tree(try paths.map { TreeFile(path: try TreePath($0), content: try Sample.content()) })
        let error = #expect(throws: PlatformError.self) { try Layout.baseNames.requireDistinctNames(of: tree) }
        #expect(error?.code == .conflict)
        for layout in [Layout.flat, .appFolder, .topFolder] { try layout.requireDistinctNames(of: tree) }
        for path in paths { #expect(error?.message.contains("'\(try TreePath(path))'") == true) }
    }

    @Test func `a version that has its archive is served despite colliding names`() throws {
        #expect(try placed(.baseNames, ["a/ς", "b/σ", "index.html"]) == ["index.html", "ς", "σ"])
    }

    @Test func `a layout without folders refuses unsafe names`() throws {
        let error = #expect(throws: PlatformError.self) { try placed(.baseNames, ["img/c:x.png", "index.html"]) }
        #expect(error?.code == .conflict && error?.message.contains("'img/c:x.png'") == true)
    }

    @Test func `a layout without folders requires an entry page`() throws {
        let error = #expect(throws: PlatformError.self) { try placed(.baseNames, ["start.html"]) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("'index.html'") == true)
        #expect(try placed(.flat, ["start.html"]) == ["start.html"])
    }
}

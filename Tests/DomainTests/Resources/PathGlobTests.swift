import Domain
import Testing

struct PathGlobTests {
    @Test(arguments: [
        ("index.html", "index.html"), ("*.css", "site.css"), ("css/*.css", "css/a.css"), ("**/*.css", "site.css"),
        ("**/*.css", "a/b/c.css"), ("js/**", "js/a/b.js"), ("js/**", "js"), ("a/**/z", "a/z"), ("a/**/z", "a/b/c/z"),
        ("?.js", "é.js"), ("a*b*c", "aXbXbXc"), ("**", "any/thing"), ("**/a/**/b", "x/a/y/a/b"),
        ("caf\u{65}\u{301}", "café"),
    ])
    func `a glob matches`(glob: String, path: String) throws {
        #expect(try #require(PathGlob(glob)).matches(try TreePath(path)))
    }

    @Test(arguments: [
        ("*.css", "css/a.css"), ("css/*", "css/a/b"), ("?.js", ".js"), ("a*b*c", "aXbX"), ("**/a", "b"), ("js/**", "j"),
        ("index.html", "index.htm"), ("A", "a"), ("a/**/z", "a/b"),
    ])
    func `a glob does not match other paths`(glob: String, path: String) throws {
        #expect(try #require(PathGlob(glob)).matches(try TreePath(path)) == false)
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "a**", "a/b**c", "a\\b", "a\nb", String(repeating: "a", count: 257)])
    func `text that is not a glob is refused`(text: String) {
        #expect(PathGlob(text) == nil)
    }

    @Test func `a glob of the greatest length is accepted, and stars that match in many ways are fast`() throws {
        let glob = try #require(PathGlob(String(repeating: "*a", count: 128)))
        #expect(glob.description.utf8.count == PathGlob.maximumLength)
        #expect(!glob.matches(try TreePath(String(repeating: "a", count: 127))))
        let deep = try #require(PathGlob(String(repeating: "**/a/", count: 30) + "b"))
        #expect(!deep.matches(try TreePath(Array(repeating: "a", count: 32).joined(separator: "/"))))
    }
}

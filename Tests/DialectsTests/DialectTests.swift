import Dialects
import Domain
import Platform
import Testing

struct DialectTests {
    private let dialects = Sample.dialects

    private func package(_ dialects: Set<Dialect>, id: String = "app") throws -> Package {
        Package(
            app: .default, id: try Sample.package(id), name: "", entry: .index, urlPrefix: .root, isEnabled: true,
            priority: 1, dialects: dialects)
    }

    @Test(arguments: ["app", "app-1", "a_b", "0"])
    func `seed 002's clients can have an id that is a host name's part`(id: String) throws {
        #expect(try dialects.problem(with: package([.newestPackage], id: id)) == nil)
    }

    @Test(arguments: ["App", "a.b", "appX", "a.B"])
    func `the dialect of seed 002 refuses ids with capitals or dots`(id: String) throws {
        let problem = try #require(dialects.problem(with: package([.newestPackage], id: id)))
        #expect(problem.message.contains("'https://\(id).package'"))
        #expect(try dialects.problem(with: package([.infoJSON], id: id)) == nil)
        #expect(try dialects.problem(with: package([], id: id)) == nil)
    }

    @Test func `seed 002's clients open index_html at the root`() throws {
        let package = try package([.newestPackage])
        let version = try Sample.version("1")
        #expect(
            try dialects.problem(
                with: version, tree: Sample.tree("a/index.html", "index.html"), of: package) == nil)
        for tree in [try Sample.tree("a/index.html"), try Sample.tree("Index.html"), Tree([])] {
            let problem = try #require(
                dialects.problem(
                    with: version, tree: tree, of: package))
            #expect(problem.path == .index)
            #expect(problem.message.contains("1 of 'app'"))
        }
    }

    @Test func `seed 003's clients see the last part of a path alone`() throws {
        let package = try package([.infoJSON])
        let version = try Sample.version("1")
        #expect(
            try dialects.problem(
                with: version, tree: Sample.tree("a/index.html", "b/app.js"), of: package) == nil)
        let collision = dialects.problem(
            with: version, tree: try Sample.tree("a/app.js", "b/APP.js", "index.html"), of: package)
        #expect(collision?.path == (try TreePath("b/APP.js")))
        #expect(collision?.message.contains("'a/app.js'") == true)
        #expect(
            dialects.problem(
                with: version, tree: try Sample.tree("a.js"), of: package)?.path == .index)
    }

    @Test func `seed 004's clients put versions in order, and know no two resources of one id`() throws {
        var package = try package([.resourcesJSON])
        #expect(dialects.problem(with: package) == nil && dialects.layouts(of: package).isEmpty)
        let tree = try Sample.tree("a/x.js", "b/x.js")
        #expect(
            try dialects.problem(
                with: Sample.version("1.2"), tree: tree, of: package) == nil)
        for version in ["1.2-beta", "v1", "1.2+3"] {
            let problem = try #require(
                try dialects.problem(
                    with: Sample.version(version), tree: tree, of: package))
            #expect(problem.message.contains("'\(version)'") && problem.path == nil)
        }
        package.resources.rules = [ResourceRule(files: try #require(PathGlob("**/x.js")), resourceID: ResourceID("x"))]
        let problem = try #require(
            try dialects.problem(
                with: Sample.version("1.2"), tree: tree, of: package))
        #expect(problem.path == (try TreePath("b/x.js")))
    }

    @Test func `a package without a dialect has no problem, and with two the problems of both`() throws {
        let version = try Sample.version("1")
        let tree = try Sample.tree("a/index.html", "b/x", "c/x")
        #expect(try dialects.problem(with: version, tree: tree, of: package([])) == nil)
        let both: Set<Dialect> = [.newestPackage, .infoJSON]
        #expect(try dialects.problem(with: version, tree: tree, of: package(both))?.path == (try TreePath("c/x")))
        #expect(try dialects.layouts(of: package(both)) == [.flat, .baseNames])
        let nested = try Sample.tree("a/index.html")
        #expect(try dialects.problem(with: version, tree: nested, of: package(both))?.path == .index)
    }

    @Test(arguments: ["1.2.0", "1.2.0-r3", "r", "1+2_x"])
    func `the name of a release's archive leads back to it`(version: String) throws {
        let name = ReleaseArchiveName(
            package: try Sample.package(), version: try Sample.version(version), release: ReleaseID(17))
        #expect(name.fileName == "news-\(version)-r17.zip")
        #expect(ReleaseArchiveName(fileName: name.fileName, of: try Sample.package()) == name)
    }

    @Test(arguments: [
        "news-1.2.0.zip", "news-1.2.0-r17", "news-1.2.0-r017.zip", "news-1.2.0-r0.zip", "news-1.2.0-r-1.zip",
        "news--r17.zip", "news-r17.zip", "new-1-r17.zip", "news-1-r+17.zip", "news-a/b-r17.zip", "r17.zip", "news-.zip",
        "news-1-r99999999999999999999.zip", "", "news-1r17.zip",
    ])
    func `a file name of another form does not name a release`(text: String) throws {
        #expect(ReleaseArchiveName(fileName: text, of: try Sample.package()) == nil)
    }
}

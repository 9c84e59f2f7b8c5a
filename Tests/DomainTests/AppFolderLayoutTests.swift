import Domain
import Ground
import Testing

struct AppFolderLayoutTests {
    @Test func `K16, K18: files.json names every file, the descriptors, and the entry for the prefix itself`() throws {
        let version = try Sample.makeVersion()
        let expected = """
            {"/news":"/index.html","/news/":"/index.html","/news/app.config.json":"/app.config.json",\
            "/news/files.json":"/files.json","/news/index.html":"/index.html","/news/js/app.js":"/js/app.js"}
            """
        #expect(String(decoding: AppFolderLayout.fileMap(of: version), as: UTF8.self) == expected)
    }

    @Test func `without an entry the prefix leads nowhere`() throws {
        let map = AppFolderLayout.generatedMap(of: try Sample.makeVersion(entry: nil))
        #expect(map["/news"] == nil)
        #expect(map["/news/"] == nil)
        #expect(map.count == 4)
    }

    @Test func `neither prefix nor path is percent-encoded`() throws {
        let version = try Sample.makeVersion(
            tree: Sample.tree("a b/页?.html"), entry: "a b/页?.html", urlPrefix: "/新 闻/".replacingSpaces)
        let map = AppFolderLayout.generatedMap(of: version)
        #expect(map["/新_闻/a b/页?.html"] == "/a b/页?.html")
        #expect(map["/新_闻"] == "/a b/页?.html")
    }

    @Test func `under the root prefix, paths follow the slash`() throws {
        let map = AppFolderLayout.generatedMap(of: try Sample.makeVersion(urlPrefix: "/"))
        #expect(map["/js/app.js"] == "/js/app.js")
        #expect(map["/"] == "/index.html")
        #expect(map[""] == "/index.html")
    }

    @Test func `uploaded keys are added, and never replace a generated one`() throws {
        let uploaded = UploadedDescriptors(fileMap: [
            .init(key: "/old", target: "/index.html"), .init(key: "/news/js/app.js", target: "/index.html"),
        ])
        let map = try #require(JSON(parsing: AppFolderLayout.fileMap(of: try Sample.makeVersion(uploaded: uploaded))))
        #expect(map["/old"] == "/index.html")
        #expect(map["/news/js/app.js"] == "/js/app.js")
    }

    @Test func `K6: app.config.json names id and version as strings, then what was uploaded`() throws {
        let uploaded = UploadedDescriptors(appConfig: [.init("version", 7), .init("theme", "dark")])
        let bytes = AppFolderLayout.appConfig(of: try Sample.makeVersion(uploaded: uploaded))
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"appId":"news","version":"1.2.0","theme":"dark"}"#)
    }

    @Test func `K15: everything lies under the package's folder`() throws {
        let version = try Sample.makeVersion()
        let tree = AppFolderLayout.adding(
            appConfig: try Sample.content(7), fileMap: try Sample.content(8),
            to: try Layout.appFolder.placed(version.tree, of: version.package), of: version.package)
        #expect(tree.paths == ["news/app.config.json", "news/files.json", "news/index.html", "news/js/app.js"])
        #expect(try tree[TreePath("news/files.json")]?.content == Sample.content(8))
        #expect(
            AppFolderLayout.descriptorPaths(of: version.package).map(\.text).sorted()
                == ["news/app.config.json", "news/files.json"])
    }
}

extension String {
    fileprivate var replacingSpaces: String { split(separator: " ").joined(separator: "_") }
}

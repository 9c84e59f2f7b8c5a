import Domain
import Ground
import Testing

struct UploadArrangementTests {
    private let entry: TreePath? = .index

    @Test func `a tree whose entry lies at the root stays as it is`() throws {
        let tree = try Sample.tree("index.html", "js/app.js")
        #expect(try UploadArrangement(tree, entry: entry, unwrapping: .automatic).tree == tree)
    }

    @Test func `a single top folder with the entry in it is taken off`() throws {
        let tree = try Sample.tree("dist/index.html", "dist/js/app.js")
        let arranged = try UploadArrangement(tree, entry: entry, unwrapping: .automatic)
        #expect(arranged.tree == (try Sample.tree("index.html", "js/app.js")))
    }

    @Test func `a top folder beside a file at the root is not taken off`() throws {
        let tree = try Sample.tree("dist/index.html", "readme.txt")
        #expect(reason(tree, .automatic) == "entry-missing")
        #expect(reason(tree, .always) == "entry-missing")
    }

    @Test func `none of two top folders is taken off`() throws {
        #expect(reason(try Sample.tree("a/index.html", "b/index.html"), .automatic) == "entry-missing")
        #expect(reason(try Sample.tree("a/index.html", "b/index.html"), .always) == "entry-missing")
    }

    @Test func `automatic unwrapping keeps a top folder without the entry`() throws {
        let tree = try Sample.tree("common/lib.js")
        #expect(try UploadArrangement(tree, entry: nil, unwrapping: .automatic).tree == tree)
        #expect(reason(tree, .automatic) == "entry-missing")
    }

    @Test func `an entry that itself lies in the top folder keeps it`() throws {
        let tree = try Sample.tree("dist/index.html", "dist/dist/index.html")
        let entry = try TreePath("dist/index.html")
        #expect(try UploadArrangement(tree, entry: entry, unwrapping: .automatic).tree == tree)
        let unwrapped = try UploadArrangement(tree, entry: entry, unwrapping: .always).tree
        #expect(unwrapped.paths == ["dist/index.html", "index.html"])
    }

    @Test func `unwrap=1 takes off one folder in any case, and one only`() throws {
        let tree = try Sample.tree("common/lib/a.js")
        #expect(try UploadArrangement(tree, entry: nil, unwrapping: .always).tree.paths == ["lib/a.js"])
        let flat = try Sample.tree("a.js")
        #expect(try UploadArrangement(flat, entry: nil, unwrapping: .always).tree == flat)
    }

    @Test func `unwrap=0 forbids it`() throws {
        let tree = try Sample.tree("dist/index.html")
        #expect(try UploadArrangement(tree, entry: nil, unwrapping: .never).tree == tree)
        #expect(reason(tree, .never) == "entry-missing")
    }

    @Test func `a missing entry is named`() throws {
        let error = #expect(throws: PlatformError.self) {
            try UploadArrangement(Sample.tree("home.html"), entry: entry, unwrapping: .automatic)
        }
        #expect(error?.code == .badPackage)
        #expect(error?.entry == "index.html")
        #expect(error?.reason == "entry-missing")
    }

    @Test func `descriptors at the root are set apart, also in a folder that is taken off`() throws {
        for folder in ["", "dist/"] {
            let paths = ["app.config.json", "files.json", "index.html", "sub/files.json"].map { folder + $0 }
            let tree = Tree(
                try paths.enumerated().map { index, path in
                    TreeFile(path: try TreePath(path), content: try Sample.content(UInt8(index)))
                })
            let arranged = try UploadArrangement(tree, entry: entry, unwrapping: .automatic)
            #expect(arranged.tree.paths == ["index.html", "sub/files.json"])
            #expect(try arranged.appConfig == Sample.content(0))
            #expect(try arranged.fileMap == Sample.content(1))
        }
    }

    @Test func `a zip of descriptors alone is empty`() throws {
        let tree = try Sample.tree("app.config.json", "files.json")
        let error = #expect(throws: PlatformError.self) {
            try UploadArrangement(tree, entry: nil, unwrapping: .automatic)
        }
        #expect(error?.reason == "empty")
    }

    @Test(arguments: [["Files.json"], ["APP.config.json"], ["files.json/x"], ["App.Config.json/x/y"]])
    func `a file that would meet a descriptor on a device that ignores case is refused`(paths: [String]) throws {
        let files = paths + ["index.html"]
        let tree = Tree(try files.map { TreeFile(path: try TreePath($0), content: try Sample.content()) })
        #expect(reason(tree, .automatic) == "path-collision")
    }

    @Test func `a path that is none without its top folder is refused`() throws {
        #expect(reason(try Sample.tree("dist/C:/x.js", "dist/index.html"), .automatic) == "path-drive-letter")
        #expect(throws: Never.self) {
            try UploadArrangement(Sample.tree("dist/C:/x.js"), entry: nil, unwrapping: .never)
        }
    }

    @Test func `a path is as long as fits under the longest package's folder`() throws {
        let length = TreePath.maximumLength - 65
        let parts = Array(repeating: String(repeating: "x", count: 95), count: 9).joined(separator: "/")
        let longest = parts + "/" + String(repeating: "y", count: length - parts.utf8.count - 1)
        #expect(longest.utf8.count == length)
        #expect(try UploadArrangement(Sample.tree(longest), entry: nil, unwrapping: .never).tree.paths == [longest])
        let error = #expect(throws: PlatformError.self) {
            try UploadArrangement(Sample.tree(longest + "z"), entry: nil, unwrapping: .never)
        }
        #expect(error?.reason == "path-too-long")
    }

    @Test func `a path has as many parts as fit under the package's folder`() throws {
        let deepest = Array(repeating: "d", count: TreePath.maximumDepth - 1).joined(separator: "/")
        #expect(reason(try Sample.tree(deepest, "index.html"), .never) == nil)
        #expect(reason(try Sample.tree("e/" + deepest, "index.html"), .never) == "path-too-deep")
        // The removed top folder does not count.
        #expect(reason(try Sample.tree("top/" + deepest, "top/index.html"), .automatic) == nil)
    }

    private func reason(_ tree: Tree, _ unwrapping: UploadArrangement.Unwrapping) -> String? {
        do {
            _ = try UploadArrangement(tree, entry: entry, unwrapping: unwrapping)
            return nil
        } catch {
            return error.reason
        }
    }
}

struct UploadedDescriptorsTests {
    @Test func `own members are kept, the id and the version are not`() throws {
        let read = try read(appConfig: #"{"version":"9","b":{"x":[1,null]},"appId":"evil","a":true}"#)
        #expect(read.appConfig.map(\.key) == ["a", "b"])
        #expect(JSON.object(read.appConfig).text == #"{"a":true,"b":{"x":[1,null]}}"#)
    }

    @Test func `extra keys whose targets exist are kept, generated ones left out`() throws {
        let map = """
            {"/news/index.html":"/index.html","/old/home":"/index.html","/":"/js/app.js","/d":"/files.json",
            "/news/":"/js/app.js"}
            """
        let read = try read(fileMap: map)
        #expect(read.fileMap.map(\.key) == ["/", "/d", "/old/home"])
        #expect(read.fileMap.map(\.target) == ["/js/app.js", "/files.json", "/index.html"])
    }

    @Test(arguments: [#""/gone.html""#, #""index.html""#, #""//index.html""#, "7", "null", #"["/index.html"]"#, #""""#])
    func `a target that is not in the package is refused`(target: String) throws {
        let error = #expect(throws: PlatformError.self) { try read(fileMap: #"{"/x":\#(target)}"#) }
        #expect(error?.code == .badPackage)
        #expect(error?.reason == "file-map-target")
        #expect(error?.entry == "files.json")
        #expect(error?.message.contains("'/x'") ?? false)
    }

    @Test func `a target is normalised as paths are`() throws {
        let tree = try Sample.tree("caf\u{E9}.html")
        let map = Array("{\"/x\":\"/cafe\u{301}.html\"}".utf8)
        let read = try UploadedDescriptors(appConfig: nil, fileMap: map, tree: tree, entry: nil, urlPrefix: .root)
        #expect(read.fileMap.map { Array($0.target.utf8) } == [Array("/caf\u{E9}.html".utf8)])
    }

    @Test(arguments: ["", "[]", "7", "\"text\"", "null", "{", "{\"a\":1,}", "\u{FEFF}", "not json"])
    func `a descriptor that is not a JSON object is refused`(text: String) throws {
        for isMap in [false, true] {
            let error = #expect(throws: PlatformError.self) {
                try isMap ? read(fileMap: text) : read(appConfig: text)
            }
            #expect(error?.reason == "descriptor-not-an-object")
            #expect(error?.entry == (isMap ? "files.json" : "app.config.json"))
        }
    }

    @Test func `a missing or empty descriptor adds no member`() throws {
        #expect(try read() == UploadedDescriptors())
        #expect(try read(appConfig: "{}", fileMap: "{}") == UploadedDescriptors())
    }

    private func read(appConfig: String? = nil, fileMap: String? = nil) throws -> UploadedDescriptors {
        try UploadedDescriptors(
            appConfig: appConfig.map { Array($0.utf8) }, fileMap: fileMap.map { Array($0.utf8) },
            tree: Sample.tree("index.html", "js/app.js"), entry: .index, urlPrefix: Sample.prefix("/news"))
    }
}

import Domain
import Ground
import Testing

struct ResourceListTests {
    private func resources(
        _ files: [(String, UInt8)], _ settings: ResourceSettings = ResourceSettings(), entry: String? = "index.html",
        prefix: String = "/news/"
    ) throws -> [Resource] {
        let tree = Tree(try files.map { TreeFile(path: try TreePath($0.0), content: try Sample.content($0.1)) })
        return try VersionResources(
            of: tree, entry: try entry.map { try TreePath($0) }, urlPrefix: try Sample.prefix(prefix),
            settings: settings
        ).resources
    }

    private func part(
        _ files: [(String, UInt8, Int64)], at hour: Int64, _ settings: ResourceSettings = ResourceSettings()
    ) throws -> ResourceList.Part {
        let resources = try resources(files.map { ($0.0, $0.1) }, settings)
        var numbers: [ResourceID: Int64] = [:]
        for (resource, file) in zip(resources, files.sorted { $0.0 < $1.0 }) { numbers[resource.id] = file.2 }
        return ResourceList.Part(resources: resources, numbers: numbers, activeTime: Sample.instant(hour))
    }

    private func list(_ current: ResourceList.Part, _ coming: ResourceList.Part? = nil) throws -> ResourceList {
        ResourceList(
            version: ResourceConfigVersion(sequence: 17, version: try Sample.version("4.0.1")), isCached: true,
            current: current, coming: coming)
    }

    private func listed(_ list: ResourceList) -> [String] {
        list.items.map {
            "\($0.resource.id.fileName($0.number)) \($0.activeTime == Sample.instant(0) ? "now" : "later")"
        }
    }

    @Test func `a file without a rule has the properties of its path`() throws {
        let all = try resources([("css/a.css", 1), ("index.html", 2), ("js/a.js", 3), ("x", 4), ("larder.json", 5)])
        #expect(all.map(\.id.text) == ["css_a.css", "index.html", "js_a.js", "x"])
        #expect(all.map(\.kind) == [3, 1, 4, 0])
        #expect(all.map(\.mediaType) == ["text/css", "text/html", "text/javascript", "application/octet-stream"])
        #expect(all.allSatisfy { $0.isCached && $0.activeTime == nil && $0.size == 10 })
        #expect(all[1].matchURL.contains("/news(?:/?|/index\\.html)"))
    }

    @Test func `a rule overrides the properties of a file`() throws {
        let rule = ResourceRule(
            files: try #require(PathGlob("css/*")), isCached: false, kind: 30, mediaType: "text/x",
            matchURL: try URLPattern("x"),
            resourceID: ResourceID("style"), activeTime: Sample.instant(5))
        let resource = try #require(try resources([("css/a.css", 1)], ResourceSettings(rules: [rule])).first)
        #expect(
            resource.id.text == "style" && !resource.isCached && resource.kind == 30 && resource.mediaType == "text/x")
        #expect(resource.matchURL == "x" && resource.activeTime == Sample.instant(5))
    }

    @Test(arguments: ["resourceID", "matchUrl"])
    func `two files with the same id or pattern are refused`(what: String) throws {
        let rule = ResourceRule(
            files: try #require(PathGlob("css/*")), matchURL: what == "matchUrl" ? try URLPattern("x") : nil,
            resourceID: what == "resourceID" ? ResourceID("style") : nil)
        let settings = ResourceSettings(rules: [rule])
        let fault = #expect(throws: VersionResources.Fault.self) {
            try resources([("css/a.css", 1), ("css/b.css", 2)], settings)
        }
        #expect(fault?.message.contains("'css/a.css' and 'css/b.css'") == true)
        #expect(fault?.message.contains(what) == true)
        #expect(fault?.path?.text == "css/b.css")
    }

    @Test func `an id that a rule gives is not another file's in any case`() throws {
        let rule = ResourceRule(files: try #require(PathGlob("a")), resourceID: ResourceID("INDEX.html"))
        #expect(throws: VersionResources.Fault.self) {
            try resources([("a", 1), ("index.html", 2)], ResourceSettings(rules: [rule]))
        }
    }

    @Test func `5,000 files are accepted, and one more is not`() throws {
        let files = (0..<5000).map { ("f\($0)", UInt8(1)) }
        #expect(try resources(files).count == VersionResources.maximumCount)
        #expect(throws: VersionResources.Fault.self) { try resources(files + [("g", 1)]) }
        // The settings do not count.
        #expect(try resources(files + [("larder.json", 1)]).count == 5000)
    }

    @Test func `scheduled resources come first, then the current ones, and common ones are listed once`() throws {
        let list = try list(
            try part([("a", 1, 1), ("gone", 2, 1), ("same", 3, 4)], at: 0),
            try part([("a", 9, 2), ("fresh", 5, 1), ("same", 3, 4)], at: 2))
        #expect(listed(list) == ["a-2 later", "fresh-1 later", "a-1 now", "gone-1 now", "same-4 now"])
        #expect(list.activeTime == Sample.instant(0))
    }

    @Test func `a content with other properties is listed again`() throws {
        let rule = ResourceRule(files: try #require(PathGlob("a")), isCached: false)
        let list = try list(
            try part([("a", 1, 1)], at: 0), try part([("a", 1, 1)], at: 2, ResourceSettings(rules: [rule])))
        #expect(listed(list) == ["a-1 later", "a-1 now"])
    }

    @Test func `a rule's activeTime counts if it is later`() throws {
        func rules(_ hour: Int64) throws -> ResourceSettings {
            ResourceSettings(rules: [
                ResourceRule(files: try #require(PathGlob("a")), activeTime: Sample.instant(hour))
            ])
        }
        #expect(listed(try list(try part([("a", 1, 1)], at: 0, try rules(3)))) == ["a-1 later"])
        #expect(listed(try list(try part([("a", 1, 1)], at: 0, try rules(-3)))) == ["a-1 now"])
    }

    @Test func `resources have the article's member names, with either form of an instant`() throws {
        let list = try list(try part([("a.css", 1, 7)], at: 0))
        let patch = ResourcePatch(base: try Sample.digest(8), text: "@@")
        func json(_ format: ResourceSettings.TimeFormat) -> JSON {
            list.json(
                ResourceList.Wording(
                    timeFormat: format, isMandatory: true, url: { "u/\($0.resource.id.fileName($0.number))" },
                    patch: { _ in patch }))
        }
        let listed = json(.rfc3339)
        #expect(listed["version"] == "17.4.0.1" && listed["cached"] == true && listed["mandatory"] == true)
        #expect(listed["activeTime"] == "2026-01-01T00:00:00Z")
        let resource = try #require(listed["resourceList"]?.elements?.first)
        #expect(
            resource.members?.map(\.key) == [
                "downUrl", "resourceID", "activeTime", "type", "MIMEType", "version", "matchUrl", "cached", "sha256",
                "size",
                "diff", "diffFrom",
            ])
        #expect(resource["downUrl"] == "u/a.css-7" && resource["version"] == 7 && resource["type"] == 3)
        let base = try Sample.digest(8)
        #expect(resource["diff"] == "@@" && resource["diffFrom"]?.string == base.hex)
        #expect(json(.epochMilliseconds)["activeTime"] == "1767225600000")
        let plain = list.json(ResourceList.Wording(timeFormat: .rfc3339, url: { _ in "" }))
        #expect(plain["mandatory"] == nil && plain["resourceList"]?.elements?.first?["diff"] == nil)
    }
}

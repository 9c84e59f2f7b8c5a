import Dialects
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests each rule of seed 003's client (clients.md §1.3).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct InfoJSONTests {
    private static let info = "/packages/app/info.json"

    private func name(_ service: TestService, at base: String = "") async throws -> String {
        let response = try await service.get(base + Self.info)
        return try #require(try response.json["packageName"]?.string, "\(response.text)")
    }

    @Test func `H1: a package that is not on offer is 404, so that clients keep their last package name`() async throws
    {
        let service = try await TestService.withDialects([])
        func expectNothing(_ target: String = Self.info) async throws {
            let response = try await service.get(target)
            #expect(response.status == 404 && response["Content-Type"] == "application/problem+json")
            #expect(response["Cache-Control"] == "no-store" && response["Access-Control-Allow-Origin"] == "*")
        }
        try await expectNothing()
        try await expectNothing("/packages/none/info.json")
        try await expectNothing("/packages/..a../info.json")
        try await service.shipApp("1")
        try await expectNothing()
        try await service.putPackage("app", .init(dialects: [.infoJSON]))
        #expect(try await service.get(Self.info).status == 200)
        try await service.putPackage("app", .init(isEnabled: false))
        try await expectNothing()
        try await service.putPackage("later", .init(dialects: [.infoJSON]))
        try await service.publish("1", of: "later", ["index.html": "1"])
        try await service.release("1", of: "later", at: service.fromNow(1000))
        try await expectNothing("/packages/later/info.json")
    }

    @Test(arguments: ["1.2.0", "1.0+2", "1_a-b"])
    func `H2: packageName is the name of a file, and ends a URL as it is`(version: String) async throws {
        let service = try await TestService.withDialects([.infoJSON])
        let release = try await service.shipApp(version)
        let name = try await name(service)
        #expect(name == "app-\(version)-r\(release.id).zip" && !name.contains("/") && !name.contains(".."))
        #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"%?#\"<>\\^`{|}".utf8.contains($0) })
        let zip = try await service.get("/packages/app/\(name)")
        #expect(zip.status == 200 && zip["Content-Type"] == "application/zip")
    }

    @Test func `H3: every release has another name, also one of an earlier version`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        var names: [String] = []
        try await service.shipApp("1")
        names.append(try await name(service))
        try await service.shipApp("2")
        names.append(try await name(service))
        try await service.release("1", of: "app")
        names.append(try await name(service))
        #expect(Set(names).count == 3)
        let bodies = try await [names[0], names[1], names[2]].asyncMap {
            try await service.get("/packages/app/\($0)").body
        }
        #expect(bodies[0] == bodies[2] && bodies[0] != bodies[1])
        #expect(try service.unzip(bodies[2]) == ["index.html": "<p>1", "app.js": "'1'"])
    }

    @Test func `H4: info_json switches once the zip exists`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        try await service.shipApp("1")
        try await service.publishApp("2")
        let before = try await name(service)
        let archives = Counter()
        service.store.setBefore(.makeRelease) { () throws(PlatformError) in
            guard let package = PackageID("app"), let version = VersionString("2") else { return }
            let made = try await service.archives.archives(of: version, of: package, in: .default)
            archives.value = made.count { $0.artifact.layout == .baseNames }
            throw PlatformError(.storageFailed, "The store failed.")
        }
        await #expect(throws: PlatformError.self) { try await service.release("2", of: "app") }
        #expect(archives.value == 1)
        #expect(try await name(service) == before)
        service.store.setBefore(.makeRelease, nil)
        try await service.release("2", of: "app")
        #expect(try await service.get("/packages/app/\(try await name(service))").status == 200)
    }

    @Test func `H5: the archive has no folders, and colliding names are refused`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        try await service.publish("1", of: "app", ["index.html": "i", "js/app.js": "a", "css/deep/site.css": "s"])
        try await service.release("1", of: "app")
        let zip = try await service.get("/packages/app/\(try await name(service))")
        #expect(try service.unzip(zip.body) == ["index.html": "i", "app.js": "a", "site.css": "s"])
        let desk = try await Desk(service)
        let versions = "/api/v1/apps/default/packages/app/versions?version=2"
        for query in ["", "&dryRun=1"] {
            let two = StoredZip(["index.html": "i", "a/x.js": "1", "b/X.js": "2"]).bytes
            let refused = try await desk.send("POST", versions + query, two)
            #expect(try refused.status == 422 && refused.json["entry"] == "b/X.js")
            #expect(refused.detail.contains("'a/x.js'"))
        }
    }

    @Test(arguments: [
        ("index.html", "text/html; charset=utf-8", "i"), ("", "text/html; charset=utf-8", "i"),
        ("app.js", "text/javascript; charset=utf-8", "a"), ("js/app.js", "text/javascript; charset=utf-8", "a"),
        ("other/folder/app.js?v=1", "text/javascript; charset=utf-8", "a"), ("js/", "text/html; charset=utf-8", "i"),
        ("%C3%A9%201.svg", "image/svg+xml", "s"), ("data", "application/octet-stream", "d"),
    ])
    func `H5: the files lie beside info_json, by the last part of their paths and isolated`(
        path: String, type: String, content: String
    ) async throws {
        let service = try await TestService.withDialects([.infoJSON])
        try await service.publish(
            "1", of: "app", ["index.html": "i", "js/app.js": "a", "img/é 1.svg": "s", "x/data": "d", "info.json": "{}"])
        try await service.release("1", of: "app")
        for base in ["", "/apps/default/channels/production"] {
            for _ in 0..<2 {
                let response = try await service.get("\(base)/packages/app/\(path)")
                #expect(response.status == 200 && response.text == content && response["Content-Type"] == type)
                #expect(response["Content-Security-Policy"] == "sandbox allow-scripts allow-forms")
                #expect(response["X-Content-Type-Options"] == "nosniff" && response["Cache-Control"] == "no-cache")
                #expect(response["Cross-Origin-Resource-Policy"] == "cross-origin")
            }
        }
        let none = try await service.get("/packages/app/none.js")
        #expect(none.status == 404 && none["Content-Security-Policy"] == "sandbox allow-scripts allow-forms")
        #expect(try await service.get(Self.info).json["packageName"] != nil)
    }

    @Test func `H5: the files are those of the current version, and of no package without the dialect`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        func page() async throws -> String { try await service.get("/packages/app/index.html").text }
        for version in ["1", "2"] {
            try await service.shipApp(version)
            #expect(try await page() == "<p>\(version)")
        }
        try await service.release("1", of: "app")
        #expect(try await page() == "<p>1")
        // Devices with the package continue, and so do those without it.
        try await service.putPackage("app", .init(isEnabled: false))
        #expect(try await page() == "<p>1")
        try await service.putPackage("app", .init(dialects: [.newestPackage]))
        #expect(try await service.get("/packages/app/index.html").status == 404)
        #expect(try await service.get("/packages/app").status == 404)
    }

    @Test func `H5: uploaded pages on a separate host are shown only there`() async throws {
        let service = try await TestService.withDialects([.infoJSON], contentURL: "https://content.example")
        try await service.shipApp("1")
        for path in ["index.html", "", "js/app.js?v=1", "none", "app-1-r1.zip/index.html"] {
            let response = try await service.get("/packages/app/\(path)")
            #expect(response.status == 308 && response["Location"] == "https://content.example/packages/app/\(path)")
        }
        let page = try await service.send(TestRequest("GET", "/packages/app/index.html").at("content.example"))
        #expect(page.status == 200 && page.text == "<p>1" && page["Content-Security-Policy"] == nil)
        let zip = "/packages/app/\(try await name(service))"
        #expect(try await service.get(zip).status == 200)
        #expect(try await service.send(TestRequest("GET", zip).at("content.example")).status == 200)
        #expect(try await service.get(Self.info).status == 200)
        #expect(try await service.send(TestRequest("GET", Self.info).at("content.example")).status == 404)
    }

    @Test func `H6: fileList is the sorted list of names at the top of the archive, with index_html`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        try await service.publish("1", of: "app", ["z.js": "z", "index.html": "i", "b/é.js": "é", "A/b.js": "b"])
        try await service.release("1", of: "app")
        let info = try await service.get(Self.info).json
        #expect(info["fileList"] == .array(["b.js", "index.html", "z.js", "é.js"]))
        let zip = try await service.get("/packages/app/\(try await name(service))")
        let names = try service.unzip(zip.body).keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(info["fileList"]?.elements?.compactMap(\.string) == names)
    }

    @Test func `H7: the last announced archive stays available when no package is announced`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        try await service.shipApp("1")
        let old = "/packages/app/\(try await name(service))"
        let body = try await service.get(old).body
        try await service.shipApp("2")
        for change in [Catalogue.PackageSettings(), .init(isEnabled: false), .init(dialects: [])] {
            try await service.putPackage("app", change)
            for service in [service, try await service.restarted()] {
                // The second response comes from memory.
                for _ in 0..<2 {
                    let response = try await service.get(old)
                    #expect(
                        response.status == 200 && response.body == body
                            && response["Content-Disposition"] == "attachment")
                }
            }
        }
        // Only on the channel of the release.
        _ = try await service.catalogue.declareChannel(
            try #require(ChannelName("beta")), of: try service.app, by: .server)
        #expect(try await service.get("/apps/default/channels/beta\(old)").status == 404)
        #expect(try await service.get("/apps/default/channels/production\(old)").status == 200)
    }

    @Test func `H7: a failing store does not result in a page with 200`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        try await service.shipApp("1")
        for method in [HookedStore.Method.version, .archive, .file] {
            service.store.setBefore(method) { () throws(PlatformError) in
                throw PlatformError(.storageFailed, "The store failed.")
            }
        }
        #expect(try await service.get(Self.info).status == 500)
        #expect(try await service.get("/packages/app/app-1-r9.zip").status == 500)
        #expect(try await service.get("/packages/app/index.html").status == 500)
        for method in [HookedStore.Method.version, .archive, .file] { service.store.setBefore(method, nil) }
        #expect(try await service.get(Self.info).status == 200)
    }

    @Test func `H8: every launch sends a request: the response is prepared, and an unchanged one is 304`() async throws
    {
        let service = try await TestService.withDialects([.infoJSON])
        try await service.shipApp("1")
        let asked = Counter()
        service.store.setBefore(.version) { () throws(PlatformError) in asked.increment() }
        let responses = try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for _ in 0..<20 { group.addTask { try await service.get(Self.info) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(asked.value == 1 && Set(responses.map(\.text)).count == 1)
        let tag = try #require(responses.first?["ETag"])
        #expect(try await service.get(Self.info, ("If-None-Match", tag)).status == 304)
        #expect(asked.value == 1)
        service.store.setBefore(.version, nil)
        try await service.shipApp("2")
        let changed = try await service.get(Self.info, ("If-None-Match", tag))
        #expect(changed.status == 200 && changed["ETag"] != tag)
    }

    @Test func `H8: each base has its own`() async throws {
        let service = try await TestService.withDialects([.infoJSON])
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: try service.app, by: .server)
        try await service.shipApp("1")
        try await service.shipApp("2", on: beta)
        let key = try #require(try service.view().legacyKeys.first)
        for (base, version) in [
            ("", "1"), ("/apps/default", "1"), ("/apps/default/legacy/\(key)", "1"),
            ("/apps/default/channels/beta", "2"), ("/apps/default/legacy/\(key)/channels/beta", "2"),
        ] {
            let name = try await name(service, at: base)
            #expect(name.hasPrefix("app-\(version)-r"), "\(base)")
            #expect(try await service.get("\(base)/packages/app/\(name)").status == 200)
            #expect(try await service.get("\(base)/packages/app/index.html").text == "<p>\(version)")
        }
        #expect(try await service.get("/apps/default/channels/none\(Self.info)").status == 404)
        let preflight = try await service.send(TestRequest("OPTIONS", Self.info))
        #expect(preflight.status == 204 && preflight["Access-Control-Allow-Origin"] == "*")
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

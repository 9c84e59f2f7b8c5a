import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the route of `resources.json`, and the settings in an upload.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ResourcesRouteTests {
    private static let target = "/packages/app/resources.json"

    @Test func `a package that is not on offer, or lacks the dialect, is 404`() async throws {
        let service = try await TestService.withResources()
        for target in [
            Self.target, "/packages/none/resources.json", "/packages/..a../resources.json", "/resources.json",
        ] {
            let response = try await service.get(target)
            #expect(response.status == 404 && response["Access-Control-Allow-Origin"] == "*", "\(target)")
        }
        #expect(try await service.get("/apps/default/channels/none/resources.json").status == 404)
        try await service.shipText("1.0")
        #expect(try await service.get(Self.target).status == 200)
        try await service.putPackage("app", .init(dialects: []))
        #expect(try await service.get(Self.target).status == 404)
    }

    @Test func `without a package name the list is that of the only package with the dialect`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        for base in ["", "/apps/default", "/apps/default/channels/production"] {
            #expect(try await service.resources(at: base).json == (try await service.resources().json))
        }
        try await service.putPackage("other", .init(dialects: [.resourcesJSON]))
        let response = try await service.get("/resources.json")
        #expect(response.status == 404 && response.text.contains("2 packages"))
        #expect(try await service.get(Self.target).status == 200)
        try await service.putPackage("other", .init(dialects: []))
        #expect(try await service.get("/resources.json").status == 200)
    }

    @Test func `an upload's own settings hold for its version alone`() async throws {
        let service = try await TestService.withResources()
        try await service.publish(
            "1.0", of: "app",
            [
                "index.html": "<p>", "app.js": "1",
                "larder.json": #"{"resources":{"rules":[{"files":"*.js","resourceID":"id_main","type":40}]}}"#,
            ])
        try await service.release("1.0", of: "app")
        let resources = try await service.resources()
        #expect(resources.names == ["id_main-1", "index.html-1"])
        #expect(try resources.item("id_main").json["type"] == 40)
        try await service.publish("1.1", of: "app", ["index.html": "<p>", "app.js": "2"])
        try await service.release("1.1", of: "app")
        #expect(try await service.resources().names == ["app.js-1", "index.html-1"])
        let restarted = try await service.restarted()
        try await restarted.release("1.0", of: "app")
        #expect(try await restarted.resources().names == ["id_main-1", "index.html-1"])
    }

    @Test(arguments: [
        "[]", "x", #"{"resource":{}}"#, #"{"resources":{"rules":1}}"#,
        #"{"resources":{"rules":[{"files":"a","matchUrl":"("}]}}"#,
    ])
    func `invalid settings of an upload are refused`(text: String) async throws {
        let service = try await TestService.withResources()
        let error = await #expect(throws: PlatformError.self) {
            try await service.publish(
                "1.0", of: "app", zip: StoredZip([("index.html", [1]), ("larder.json", Array(text.utf8))]).bytes)
        }
        #expect(error?.code == .badPackage && error?.entry == "larder.json" && error?.reason == "settings-invalid")
    }

    @Test func `two resources of one id are refused, at publishing and when settings change`() async throws {
        let service = try await TestService.withResources()
        let rules = #"{"resources":{"rules":[{"files":"*.js","resourceID":"same"}]}}"#
        let error = await #expect(throws: PlatformError.self) {
            try await service.publish(
                "1.0", of: "app", ["index.html": "x", "a.js": "1", "b.js": "2", "larder.json": rules])
        }
        #expect(error?.code == .badPackage && error?.message.contains("'a.js' and 'b.js'") == true)
        try await service.publish("1.0", of: "app", ["index.html": "x", "a.js": "1", "b.js": "2"])
        try await service.release("1.0", of: "app")
        let before = try await service.resources()
        let rule = ResourceRule(files: try #require(PathGlob("*.js")), resourceID: ResourceID("same"))
        let late = await #expect(throws: PlatformError.self) {
            try await service.putPackage("app", .init(resources: ResourceSettings(rules: [rule])))
        }
        #expect(late?.code == .conflict)
        #expect(try await service.resources().json == before.json)
    }

    @Test func `a release that was prepared with other settings is not made`() async throws {
        let service = try await TestService.withResources()
        try await service.publish("1.0", of: "app", ["index.html": "x", "a.js": "1"])
        try await service.publish("1.1", of: "app", ["index.html": "x", "a.js": "1", "b.js": "2"])
        try await service.publish("1.2", of: "app", ["index.html": "x", "a.js": "3"])
        try await service.release("1.0", of: "app")
        let rule = ResourceRule(files: try #require(PathGlob("*.js")), resourceID: ResourceID("same"))
        let (app, id) = (try service.app, try #require(PackageID("app")))
        service.store.setBefore(.version) { [service] () throws(PlatformError) in
            service.store.setBefore(.version, nil)
            _ = try await service.catalogue.putPackage(
                id, .init(resources: ResourceSettings(rules: [rule])), of: app, by: .server)
        }
        let error = await #expect(throws: PlatformError.self) { try await service.release("1.1", of: "app") }
        #expect(error?.code == .conflict)
        #expect(try await service.resources().names == ["same-1", "index.html-1"])
    }

    @Test func `changed settings take effect at once, under a higher list version`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        let before = try await service.resources()
        let rule = ResourceRule(files: try #require(PathGlob("**")), isCached: false)
        try await service.putPackage("app", .init(resources: ResourceSettings(rules: [rule])))
        let after = try await service.resources()
        #expect(after.items.allSatisfy { $0.json["cached"] == false } && after.names == before.names)
        #expect(try #require(DottedVersion(before.version)) < #require(DottedVersion(after.version)))
        // A publisher alone cannot change devices.
        let desk = try await Desk(service)
        let path = "/api/v1/apps/default/packages/app"
        let body: JSON = .object(["resources": .object(["diffLimit": 7])])
        #expect(try await desk.call("PUT", path, body, as: .publisher).status == 403)
        #expect(try await desk.call("PUT", path, body, as: .releaser).status == 200)
    }

    @Test func `channels count together, and one content has one number`() async throws {
        let service = try await TestService.withResources()
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: service.app, by: .server)
        try await service.shipText("1.0")
        try await service.shipText("1.1")
        try await service.release("1.1", of: "app", on: beta)
        #expect(try await service.resources().names == ["index.html-1", "js_app.js-2"])
        let resources = try await service.resources(at: "/apps/default/channels/beta/packages/app")
        #expect(resources.names == ["index.html-1", "js_app.js-2"])
        try await service.release("1.0", of: "app", on: beta)
        #expect(
            try await service.resources(at: "/apps/default/channels/beta/packages/app").names
                == ["index.html-1", "js_app.js-3"])
        #expect(try await service.resources().names == ["index.html-1", "js_app.js-2"])
    }

    @Test func `the files that a list names stay when everything else is removed`() async throws {
        let service = try await TestService.withResources()
        try await service.shipText("1.0")
        try await service.shipText("1.1")
        try await service.shipText("2.0", at: service.fromNow(1_000_000_000_000))
        for _ in 0..<3 {
            service.clock.advance(milliseconds: 40 * 86_400_000)
            _ = try await service.pruner.prune(by: .server)
        }
        let resources = try await service.resources()
        #expect(resources.items.count == 3)
        for item in resources.items { _ = try await service.download(item) }
    }

    @Test func `the files of a preset are those of the list`() async throws {
        let desk = try await Desk(try await TestService.withResources())
        let service = desk.service
        try await service.shipText("1.0")
        try await service.shipText("1.1", at: service.fromNow(60_000))
        let resources = try await service.resources()
        let presets = "/api/v1/apps/default/presets"
        let body: JSON = .object(["appVersion": "8.3.0", "packages": .object(["app": "1.0"])])
        #expect(try await desk.call("POST", presets, body).status == 201)
        let zip = try await desk.call("GET", presets + "/8.3.0/archive?format=resources")
        #expect(zip.status == 200)
        let files = try service.unzip(zip.body)
        let current = resources.items.dropFirst()
        #expect(Set(files.keys) == Set(current.map(\.name) + ["\(resources.version).json"]))
        for item in current {
            #expect(try await service.download(item) == Array(try #require(files[item.name]).utf8))
        }
        let text = try #require(files["\(resources.version).json"])
        let list = try #require(JSON(parsing: Array(text.utf8)))
        #expect(list["resourceList"]?.elements == Array((resources.json["resourceList"]?.elements ?? []).dropFirst()))
        for key in ["version", "activeTime", "cached"] { #expect(list[key] == resources.json[key]) }
        #expect(ResourcesResponse(json: list).patched.isEmpty)
        // Once another version is current, the build's list is older, and the server has patches from it.
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        let later = try service.unzip(try await desk.call("GET", presets + "/8.3.0/archive?format=resources").body)
        let name = try #require(later.keys.first { $0.hasSuffix(".json") })
        let version = String(name.dropLast(5))
        let newer = try await service.resources().version
        #expect(try #require(DottedVersion(version)) < #require(DottedVersion(newer)))
        #expect(Set(later.keys).subtracting([name]) == Set(current.map(\.name)))
        #expect(try await service.resources(version).patched == ["js_app.js-2"])
    }

    @Test func `a preset of an unannounced version or a missing package is refused`() async throws {
        let desk = try await Desk(try await TestService.withResources())
        let service = desk.service
        try await service.publish("1.0", of: "app", ["index.html": "x"])
        try await service.publishSample("1.0")
        let presets = "/api/v1/apps/default/presets"
        let body: JSON = .object(["appVersion": "8", "packages": .object(["app": "1.0", "news": "1.0"])])
        _ = try await desk.call("POST", presets, body)
        let archive = presets + "/8/archive?format=resources"
        let unannounced = try await desk.call("GET", archive)
        #expect(unannounced.status == 409 && unannounced.text.contains("Release it there first"), "\(unannounced.text)")
        try await service.release("1.0", of: "app")
        #expect(try await desk.call("GET", archive).status == 200)
        #expect(try await desk.call("GET", archive + "&packages=app").status == 200)
        #expect(try await desk.call("GET", archive + "&packages=news").status == 400)
        #expect(try await desk.call("GET", archive + "&packages=app,news").status == 400)
        #expect(try await desk.call("GET", archive + "&channel=none").status == 404)
        #expect(try await desk.call("GET", archive + "&channel=A%20b").status == 404)
    }
}

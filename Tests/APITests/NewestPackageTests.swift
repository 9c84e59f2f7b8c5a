import Dialects
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests each rule of seed 002's client (clients.md §1.2).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct NewestPackageTests {
    @Test(arguments: [
        ("text/plain", #"{"packageId":"app"}"#), ("", #" {"other": [1], "packageId" : "app"} "#),
        ("application/json; charset=utf-8", #"{"packageId":"app","version":"1"}"#),
    ])
    func `O1: the response does not depend on the user agent or further members`(
        type: String, body: String
    ) async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("1.2.0")
        #expect(try await service.askNewest(body, type: type).status == 200)
    }

    @Test func `O2: the version is a string, and any change of it is an update, also a lower one`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("3")
        #expect(try await service.askNewest().json["version"] == .string("3"))
        try await service.shipApp("1.0")
        #expect(try await service.askNewest().json["version"] == .string("1.0"))
        try await service.publishApp("9")
        #expect(try await service.askNewest().json["version"] == .string("1.0"))
    }

    @Test func `O2: a version is announced from its activeTime on`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("1")
        try await service.shipApp("2", at: service.fromNow(1000))
        #expect(try await service.askNewest().json["version"] == "1")
        service.clock.advance(milliseconds: 1000)
        try await service.live.activate(service.app)
        #expect(try await service.askNewest().json["version"] == "2")
    }

    @Test(arguments: ["1/2", "..", "1..2", ".", "a\\b"])
    func `O3: a version or id that would lead out of a folder is refused`(version: String) async throws {
        let desk = try await Desk(TestService.withDialects([.newestPackage]))
        let target = "/api/v1/apps/default/packages/app/versions?version=\(version)"
        let zip = StoredZip(["index.html": "1"]).bytes
        #expect(try await desk.send("POST", target, zip).status == 400)
        let put = try await desk.call("PUT", "/api/v1/apps/default/packages/\(version)", .object(["name": "n"]))
        #expect([400, 404].contains(put.status))
    }

    @Test func `O4: a file name never repeats, also when a release is halted and resumed`() async throws {
        let service = try await TestService.withDialects([.newestPackage, .infoJSON])
        let package = try await service.putPackage("app")
        try await service.shipApp("1")
        let second = try await service.shipApp("2")
        var paths: [String] = []
        var names: [String] = []
        for action: ReleaseAction? in [nil, .halt, .resume, .halt] {
            if let action {
                try await service.apply(action, to: second.id, of: package.id.text)
            }
            let response = try await service.askNewest()
            paths.append(String(try service.target(ofPathIn: response).split(separator: "/").last ?? ""))
            let info = try await service.get("/packages/app/info.json").json
            let name = try #require(info["packageName"]?.string)
            #expect(try await service.get("/packages/app/\(name)").status == 200)
            names.append(name)
        }
        #expect(paths == ["app-2-r2.zip", "app-1-r1.1.zip", "app-2-r2.2.zip", "app-1-r1.3.zip"])
        #expect(names == paths)
    }

    @Test func `O4: a file name never repeats, also after a rollback`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        var names: [Substring] = []
        func note() async throws {
            let target = try service.target(ofPathIn: try await service.askNewest())
            names.append(Substring(lastPartOf: target))
            #expect(try await service.get(target).status == 200)
        }
        let first = try await service.shipApp("1.2.0")
        try await note()
        try await service.shipApp("1.3.0")
        try await note()
        try await service.release("1.2.0", of: "app")
        #expect(try await service.askNewest().json["version"] == "1.2.0")
        try await note()
        try await service.release("1.2.0", of: "app")
        try await note()
        #expect(names.first == "app-1.2.0-r\(first.id).zip")
        #expect(Set(names).count == 4)
    }

    @Test func `O4: the name stays as long as no release is made`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("1")
        let before = try await service.askNewest().text
        try await service.putPackage("app", .init(name: "Other", priority: 2))
        #expect(try await service.restarted().askNewest().text == before)
    }

    @Test func `O5: the path is an absolute URL for clients that were mended`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("1.0+2")
        let path = try #require(try await service.askNewest().json["path"]?.string)
        #expect(path.hasPrefix(TestService.publicURL + "/blobs/") && path.hasSuffix("/app-1.0%2B2-r1.zip"))
        #expect(path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test func `O5: the published client requests '@', which serves the newest zip of one package`() async throws {
        let service = try await TestService.withDialects([.newestPackage], newestPackageAt: "app")
        #expect(try await service.get("/@").status == 404)
        for (version, isNew) in [("1", true), ("2", true), ("1", false)] {
            if isNew { try await service.publishApp(version) }
            try await service.release(version, of: "app")
            let newest = try await service.get("/@")
            let named = try await service.get(try service.target(ofPathIn: try await service.askNewest()))
            #expect(newest.status == 200 && newest.body == named.body)
            #expect(try service.unzip(newest.body)["index.html"] == "<p>\(version)")
        }
        try await service.putPackage("app", .init(isEnabled: false))
        #expect(try await service.get("/@").status == 404)
    }

    @Test func `O5: '@' is 404 without the setting`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("1")
        let response = try await service.get("/@")
        #expect(response.status == 404 && response.detail.contains("--newest-package-at"))
        let other = try await TestService(newestPackageAt: "none")
        #expect(try await other.get("/@").status == 404)
    }

    @Test func `O7: the zip is flat`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("1")
        let zip = try await service.get(try service.target(ofPathIn: try await service.askNewest()))
        #expect(try service.unzip(zip.body) == ["index.html": "<p>1", "js/app.js": "'1'"])
    }

    @Test(arguments: ["App", "my.app", "a.b.c", "aPp"])
    func `O8: an id that is invalid in a host name cannot have the dialect`(id: String) async throws {
        let desk = try await Desk()
        let body: JSON = .object(["dialects": .array(["newest-package"])])
        let response = try await desk.call("PUT", "/api/v1/apps/default/packages/\(id)", body)
        #expect(
            response.status == 409 && response.code == "conflict" && response.detail.contains("'https://\(id).package'")
        )
        #expect(try await desk.call("PUT", "/api/v1/apps/default/packages/my-app", body).status == 201)
    }

    @Test func `O9: index_html is at the root of every version that has the dialect`() async throws {
        let desk = try await Desk()
        let package = "/api/v1/apps/default/packages/app"
        let on: JSON = .object(["dialects": .array(["newest-package"])])
        _ = try await desk.call("PUT", package, .object(["entry": .null]))
        let nested = StoredZip(["a/index.html": "1", "b.js": "2"]).bytes
        let page = StoredZip(["index.html": "1"]).bytes
        #expect(try await desk.send("POST", package + "/versions?version=1", nested).status == 201)
        #expect(try await desk.call("POST", package + "/releases", .object(["version": "1"])).status == 201)
        let refused = try await desk.call("PUT", package, on)
        #expect(refused.status == 409 && refused.detail.contains("1 of 'app'"))
        #expect(try refused.json["entry"] == "index.html" && refused.json["reason"] == "dialect")

        #expect(try await desk.send("POST", package + "/versions?version=2", page).status == 201)
        #expect(try await desk.call("POST", package + "/releases", .object(["version": "2"])).status == 201)
        let put = try await desk.call("PUT", package, on)
        #expect(try put.status == 200 && put.json["dialects"] == .array(["newest-package"]))
        #expect(try await desk.call("GET", package).json["dialects"] == .array(["newest-package"]))
        for query in ["version=3", "version=3&dryRun=1"] {
            let published = try await desk.send("POST", package + "/versions?\(query)", nested)
            #expect(try published.status == 422 && published.json["entry"] == "index.html")
        }
        let released = try await desk.call("POST", package + "/releases", .object(["version": "1"]))
        #expect(released.status == 409 && released.detail.contains("1 of 'app'"))
        #expect(try await desk.service.askNewest().json["version"] == "2")
    }

    @Test func `O10: a package that is not on offer is 404 in JSON, never 200`() async throws {
        let service = try await TestService.withDialects([])
        func expectNothing(_ body: String = #"{"packageId":"app"}"#) async throws {
            let response = try await service.askNewest(body)
            #expect(response.status == 404 && response.code == "not-found" && response["Cache-Control"] == "no-store")
            #expect(try response.json["path"] == nil && response["Access-Control-Allow-Origin"] == "*")
        }
        try await expectNothing(#"{"packageId":"none"}"#)
        try await expectNothing(#"{"packageId":"no/id\n"}"#)
        try await expectNothing()
        try await service.shipApp("1")
        // The dialect is off.
        try await expectNothing()
        try await service.putPackage("app", .init(dialects: [.infoJSON]))
        try await expectNothing()
        try await service.putPackage("app", .init(dialects: [.newestPackage]))
        #expect(try await service.askNewest().status == 200)
        try await service.putPackage("app", .init(isEnabled: false))
        try await expectNothing()
        try await service.putPackage("later", .init(dialects: [.newestPackage]))
        try await service.publish("1", of: "later", ["index.html": "1"])
        try await service.release("1", of: "later", at: service.fromNow(1000))
        try await expectNothing(#"{"packageId":"later"}"#)
    }

    @Test(arguments: ["", "x", "[]", #"{"packageId":1}"#, #"{"packageID":"app"}"#, "\u{FF}"])
    func `O10: a request that names no package is refused`(body: String) async throws {
        let service = try await TestService.withDialects([.newestPackage])
        try await service.shipApp("1")
        #expect(try await service.askNewest(body).status == 400)
    }

    @Test func `each base has its own list of packages, and an unknown base is 404`() async throws {
        let service = try await TestService.withDialects([.newestPackage])
        let beta = try #require(ChannelName("beta"))
        _ = try await service.catalogue.declareChannel(beta, of: try service.app, by: .server)
        try await service.shipApp("1")
        try await service.shipApp("2", on: beta)
        let key = try #require(try service.view().legacyKeys.first)
        for base in ["", "/apps/default", "/apps/default/channels/production", "/apps/default/legacy/\(key)"] {
            #expect(try await service.askNewest(at: base).json["version"] == "1", "\(base)")
        }
        for base in ["/apps/default/channels/beta", "/apps/default/legacy/\(key)/channels/beta"] {
            #expect(try await service.askNewest(at: base).json["version"] == "2", "\(base)")
        }
        for base in ["/apps/none", "/apps/default/channels/none", "/apps/default/legacy/0000000000000000"] {
            #expect(try await service.askNewest(at: base).status == 404, "\(base)")
        }
        let preflight = try await service.send(TestRequest("OPTIONS", "/getNewestPackage"))
        #expect(preflight.status == 204 && preflight["Access-Control-Allow-Methods"] == "POST, OPTIONS")
        #expect(try await service.get("/getNewestPackage").status == 405)
    }
}

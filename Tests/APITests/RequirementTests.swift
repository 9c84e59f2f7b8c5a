import Domain
import Ground
import ServiceKit
import TestKit
import Testing

/// Tests the requirements of versions for the host app and other packages.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RequirementTests {
    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        return desk
    }

    private func ship(_ desk: Desk, _ version: String, _ query: String) async throws {
        let response = try await desk.upload(version, ["index.html": "<p>\(version)"], query: query)
        #expect(response.status == 201, "\(response.text)")
        try await desk.service.release(version)
    }

    private func version(_ desk: Desk, _ query: String) async throws -> String? {
        try await desk.service.get("/config" + query).json["news"]?["version"]?.string
    }

    @Test func `a version is offered to the host apps that it can live in`() async throws {
        let desk = try await ready()
        try await ship(desk, "2.0.0", "&minAppVersion=8.3&maxAppVersion=9")
        for (app, expected) in [
            ("8.2.9", "1.0.0"), ("8.3", "2.0.0"), ("8.3.0.0.1", "2.0.0"), ("9.9.9", "2.0.0"), ("10", "1.0.0"),
            ("new", "1.0.0"),
        ] {
            #expect(try await version(desk, "?appVersion=\(app)") == expected, "\(app)")
        }
        #expect(try await version(desk, "") == "1.0.0")
        let entry = try await desk.service.get("/config?appVersion=8.3").json["news"]
        #expect(entry?["minAppVersion"] == "8.3" && entry?["maxAppVersion"] == "9")
    }

    @Test func `a version that needs native APIs is offered to builds that have them all`() async throws {
        let desk = try await ready()
        let builds = Desk.api + "/apps/default/builds"
        try await ship(desk, "2.0.0", "&apis=camera,share%2Fwechat")
        #expect(try await version(desk, "?appVersion=8.3.0") == "1.0.0")
        let put = try await desk.call("PUT", builds + "/8.3.0", .object(["apis": .array(["camera"])]))
        #expect(put.status == 201)
        #expect(try await version(desk, "?appVersion=8.3.0") == "1.0.0")
        let more = try await desk.call(
            "PUT", builds + "/8.3.0", .object(["apis": .array(["share/wechat", "camera", "nfc"])]))
        #expect(more.status == 200)
        #expect(try await version(desk, "?appVersion=8.3.0") == "2.0.0")
        #expect(try await version(desk, "?appVersion=8.3") == "1.0.0")
        let explained = try await desk.call("GET", Desk.api + "/apps/default/explain?appVersion=8.3")
        #expect(explained.text.contains("no build 8.3 was registered"))
        let wrong = try await desk.call("PUT", builds + "/8.4", .object(["apis": .array(["no blanks"])]))
        #expect(wrong.status == 400)
        #expect(try await desk.call("GET", builds).json["builds"]?.elements?.count == 1)
    }

    @Test func `a version that needs another package waits until the device can have that`() async throws {
        let desk = try await ready()
        try await desk.service.ship("6", of: "common")
        try await ship(desk, "2.0.0", "&needs=common%20%3E%3D7")
        #expect(try await version(desk, "") == "1.0.0")
        try await desk.service.publishSample("7.1", of: "common")
        try await desk.service.release("7.1", of: "common", rollout: Rollout(percent: .none))
        #expect(try await version(desk, "") == "1.0.0")
        try await desk.service.release("7.1", of: "common")
        #expect(try await version(desk, "") == "2.0.0")
        #expect(try await desk.service.get("/config").json["news"]?["dependencies"]?["common"] == ">=7")
    }

    @Test func `the requirements of a version are part of its content`() async throws {
        let desk = try await ready()
        let files: KeyValuePairs = ["index.html": "<p>x"]
        #expect(try await desk.upload("3", files, query: "&minAppVersion=8").status == 201)
        #expect(try await desk.upload("3", files, query: "&minAppVersion=8").status == 200)
        for query in ["", "&minAppVersion=8.1", "&minAppVersion=8&apis=a", "&minAppVersion=8&maxAppVersion=9"] {
            #expect(try await desk.upload("3", files, query: query).code == "version-exists")
        }
        let shown = try await desk.call("GET", Desk.news + "/versions/3").json
        #expect(shown["minAppVersion"] == "8" && shown["maxAppVersion"] == nil && shown["needs"] == nil)
    }

    @Test(arguments: [
        "minAppVersion=new", "maxAppVersion=9.x", "minAppVersion=9.1&maxAppVersion=9.0.5", "apis=a%20b",
        "needs=common", "needs=common%20new", "needs=%3E%3D7", "needs=common%20%3E1;common%20%3E2",
    ])
    func `requirements that cannot be compared are refused before the zip is read`(query: String) async throws {
        let desk = try await ready()
        let response = try await desk.upload("3", ["index.html": "x"], query: "&" + query)
        #expect(response.status == 400 && response.code == "invalid-request", "\(response.text)")
    }

    @Test(arguments: ["nobody", "news"])
    func `a version needs only other packages that there are`(name: String) async throws {
        let response = try await ready().upload("3", ["index.html": "x"], query: "&needs=\(name)%20%3E%3D1")
        #expect(response.status == 404 && response.code == "package-not-found" && response.detail.contains(name))
    }
}

import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests versions of `news` and `common` that devices get only together.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReleaseSetRouteTests {
    private static let sets = Desk.api + "/apps/default/release-sets"
    private static let both: JSON = .object(["common": "2.0.0", "news": "2.0.0"])

    /// Releases both packages at 1.0.0 and publishes 2.0.0, whose requirements for `news` are in the query.
    private func ready(_ query: String = "") async throws -> Desk {
        let desk = try await Desk()
        for package in ["common", "news"] { try await desk.service.ship("1.0.0", of: package) }
        try await desk.service.publishSample("2.0.0", of: "common")
        let response = try await desk.upload("2.0.0", ["index.html": "<p>2"], query: query)
        #expect(response.status == 201, "\(response.text)")
        return desk
    }

    /// Creates a set and returns its path.
    private func make(_ desk: Desk, _ members: KeyValuePairs<String, JSON?> = [:]) async throws -> String {
        var body: [JSON.Member] = [.init("versions", Self.both)]
        for (key, value) in members { if let value { body.append(.init(key, value)) } }
        let response = try await desk.call("POST", Self.sets, .object(body))
        #expect(response.status == 201, "\(response.text)")
        return "\(Self.sets)/\(try #require(try response.json["id"]?.integer))"
    }

    /// Returns the versions of `common` and `news` for a device.
    private func versions(_ desk: Desk, _ query: String = "") async throws -> [String?] {
        let config = try await desk.service.get("/config" + query).json
        return ["common", "news"].map { config[$0]?["version"]?.string }
    }

    @Test func `versions that depend on each other come together, and are announced as next`() async throws {
        let desk = try await ready("&needs=common%20%3E%3D2")
        let service = desk.service
        let moment = service.fromNow(60_000)
        let set = try await make(desk, ["activeTime": .string(moment.rfc3339), "mandatory": true])
        #expect(try await versions(desk) == ["1.0.0", "1.0.0"])
        let ahead = try await service.get("/config").json
        #expect(["common", "news"].map { ahead[$0]?["next"]?["version"] } == ["2.0.0", "2.0.0"])
        service.clock.advance(milliseconds: 60_000)
        try await service.live.activate(service.app)
        #expect(try await versions(desk) == ["2.0.0", "2.0.0"])
        let shown = try await desk.call("GET", set)
        #expect(try shown["ETag"] == "\"1\"" && shown.json["state"] == "active")
        let releases = try #require(try shown.json["releases"]?.elements)
        #expect(releases.map { $0["package"] } == ["common", "news"])
        #expect(releases.allSatisfy { $0["mandatory"] == true && $0["allowed"] == .array([]) })
        #expect(try releases.map { $0["releaseSet"] } == [shown.json["id"], shown.json["id"]])
        #expect(try await desk.call("GET", Self.sets).json["releaseSets"]?.elements?.count == 1)
    }

    @Test func `a device that one member refuses gets none of the set, and explain names the member`() async throws {
        let desk = try await ready("&minAppVersion=8.3")
        let set = try await make(desk)
        #expect(try await versions(desk, "?appVersion=8.3") == ["2.0.0", "2.0.0"])
        #expect(try await versions(desk, "?appVersion=8.2") == ["1.0.0", "1.0.0"])
        #expect(try await versions(desk) == ["1.0.0", "1.0.0"])
        let explained = try await desk.call("GET", Desk.api + "/apps/default/explain?appVersion=8.2&only=common")
        let id = set.split(separator: "/").last ?? ""
        let reason = try explained.json["packages"]?.elements?.first?["releases"]?.elements?.first?["reason"]?.string
        #expect(
            reason
                == "release set \(id) comes whole or not at all, and the device does not get news 2.0.0: the version "
                + "needs appVersion >=8.3: the device has '8.2'", "\(explained.text)")
    }

    @Test func `a package that is turned off keeps the whole set, and gives it back`() async throws {
        let desk = try await ready()
        _ = try await make(desk)
        #expect(try await versions(desk) == ["2.0.0", "2.0.0"])
        #expect(try await desk.call("PUT", Desk.news, .object(["enable": false])).status == 200)
        #expect(try await versions(desk).first == "1.0.0")
        #expect(try await versions(desk, "?have=news@2.0.0").first == "2.0.0")
        #expect(try await desk.call("PUT", Desk.news, .object(["enable": true])).status == 200)
        #expect(try await versions(desk) == ["2.0.0", "2.0.0"])
    }

    @Test func `an action on a set applies to all its releases, and has one entry in the audit log`() async throws {
        let desk = try await ready()
        let set = try await make(desk, ["percent": 0])
        let sequence = try desk.service.app.log.sequence
        func act(_ method: String, _ path: String, _ body: JSON? = nil, _ state: JSON, _ got: String) async throws {
            let response = try await desk.call(method, set + path, body)
            #expect(try response.status == 200 && response.json["state"] == state, "\(path): \(response.text)")
            #expect(try await versions(desk) == [got, got], "\(path)")
        }
        #expect(try await versions(desk) == ["1.0.0", "1.0.0"])
        try await act("PATCH", "", .object(["percent": 50]), "active", "1.0.0")
        try await act("POST", "/pause", nil, "paused", "1.0.0")
        try await act("POST", "/complete", nil, "completed", "2.0.0")
        try await act("POST", "/halt", nil, "halted", "1.0.0")
        #expect(try await versions(desk, "?have=news@2.0.0,common@2.0.0") == ["2.0.0", "2.0.0"])
        #expect(try await versions(desk, "?have=news@2.0.0,common@1.0.0") == ["1.0.0", "1.0.0"])
        try await act("POST", "/resume", nil, "active", "2.0.0")
        // One event per package for each of five changes.
        #expect(try desk.service.app.log.sequence == sequence + 10)
        let audit = try await desk.call("GET", Desk.api + "/audit").json["entries"]?.elements ?? []
        #expect(
            audit.prefix(6).map { $0["action"] } == [
                "release-set.resume", "release-set.halt", "release-set.complete", "release-set.pause",
                "release-set.widen", "release-set.make",
            ])
        let refused = try await desk.call("POST", set + "/resume")
        #expect(refused.status == 409 && refused.detail.contains("Release set") && refused.detail.contains("'pause'"))
    }

    @Test func `the activation time of a set is moved for all its releases, with their rank`() async throws {
        let desk = try await ready()
        let service = desk.service
        let set = try await make(desk, ["activeTime": .string(service.fromNow(60_000).rfc3339)])
        let later = service.fromNow(120_000)
        let moved = try await desk.call("PATCH", set, .object(["activeTime": .string(later.rfc3339)]))
        #expect(moved.status == 200)
        let releases = try moved.json["releases"]?.elements ?? []
        #expect(releases.map { $0["rank"]?.integer } == [later.milliseconds * 1000, later.milliseconds * 1000])
        for (step, got) in [(60_000, "1.0.0"), (60_000, "2.0.0")] {
            service.clock.advance(milliseconds: Int64(step))
            try await service.live.activate(service.app)
            #expect(try await versions(desk) == [got, got])
        }
    }

    @Test func `the second of two concurrent changes of a set is refused`() async throws {
        let desk = try await ready()
        let set = try await make(desk, ["percent": 10])
        func widen(_ percent: JSON) async throws -> TestResponse {
            let request = TestRequest("PATCH", set, body: JSON.object(["percent": percent]).bytes())
            return try await desk.service.send(request.by(desk.token(.releaser)).with("If-Match", "\"1\""))
        }
        #expect(try await widen(20).status == 200)
        let second = try await widen(30)
        #expect(second.status == 412 && second.detail.contains("Release set") && second.detail.contains("revision 2"))
        #expect(try await desk.call("GET", set).json["percent"] == 20)
    }

    @Test func `a release of a set is not changed by itself`() async throws {
        let desk = try await ready()
        let set = try await make(desk)
        let release = try #require(
            try await desk.call("GET", set).json["releases"]?.elements?.last?["id"]?.integer)
        let path = "\(Desk.releases)/\(release)"
        for (method, action, body) in [
            ("POST", "/halt", nil), ("POST", "/rollback", nil), ("PATCH", "", JSON.object(["percent": 50])),
        ] {
            let response = try await desk.call(method, path + action, body)
            #expect(response.status == 409 && response.detail.contains("\(method) \(set)\(action)"), "\(response.text)")
        }
        #expect(try await versions(desk) == ["2.0.0", "2.0.0"])
    }

    @Test func `the rollback of a set begins a set of the earlier versions, after a dry run`() async throws {
        let desk = try await ready("&needs=common%20%3E%3D2")
        let set = try await make(desk)
        let dry = try await desk.call("POST", set + "/rollback", .object(["dryRun": true]))
        #expect(dry.status == 200)
        let parts = try #require(try dry.json["packages"]?.elements)
        #expect(parts.map { $0["package"] } == ["common", "news"])
        #expect(parts.map { $0["begun"]?["version"] } == ["1.0.0", "1.0.0"])
        #expect(try await versions(desk) == ["2.0.0", "2.0.0"])
        let done = try await desk.call("POST", set + "/rollback")
        #expect(done.status == 201)
        #expect(try await versions(desk) == ["1.0.0", "1.0.0"])
        #expect(try await desk.call("GET", set).json["state"] == "rolled-back")
        let begun = try #require(try done.json["begun"]?.integer)
        let shown = try await desk.call("GET", "\(Self.sets)/\(begun)")
        #expect(try shown.json["releases"]?.elements?.map { $0["version"] } == ["1.0.0", "1.0.0"])
        let audit = try await desk.call("GET", Desk.api + "/audit").json["entries"]?.elements?.first
        #expect(audit?["action"] == "release-set.rollback" && audit?["subject"] == "common@1.0.0,news@1.0.0")
        #expect(try await desk.call("POST", set + "/rollback").status == 409)
    }

    @Test func `if one package has no earlier release, the response names it and asks for versions`() async throws {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0", of: "common")
        for version in ["1.0.0", "2.0.0"] { try await desk.service.publishSample(version) }
        try await desk.service.publishSample("2.0.0", of: "common")
        let set = try await make(desk)
        let refused = try await desk.call("POST", set + "/rollback")
        #expect(refused.status == 409 && refused.detail.contains("'news'") && refused.detail.contains("'to'"))
        let stranger = try await desk.call(
            "POST", set + "/rollback", .object(["to": .object(["shop": "1.0.0"])]))
        #expect(stranger.status == 400 && stranger.detail.contains("'shop'"))
        #expect(try await versions(desk) == ["2.0.0", "2.0.0"])
        let done = try await desk.call("POST", set + "/rollback", .object(["to": .object(["news": "1.0.0"])]))
        #expect(done.status == 201)
        #expect(try await versions(desk) == ["1.0.0", "1.0.0"])
    }

    @Test func `a set is superseded if all of its releases are, and a hotfix does not split it`() async throws {
        let desk = try await ready()
        let set = try await make(desk)
        try await desk.service.ship("3.0.0", of: "common")
        #expect(try await versions(desk) == ["3.0.0", "2.0.0"])
        #expect(try await desk.call("GET", set).json["state"] == "active")
        try await desk.service.ship("3.0.0", of: "news")
        let over = try await desk.call("GET", set).json
        #expect(over["state"] == "superseded" && over["allowed"] == .array(["halt", "rollback"]))
        #expect(try await desk.call("POST", set + "/complete").status == 409)
        #expect(try await desk.call("POST", set + "/halt").status == 200)
        #expect(try await versions(desk) == ["3.0.0", "3.0.0"])
    }

    @Test func `a set that is rolled back before its activation time ends without a successor`() async throws {
        let desk = try await ready()
        let set = try await make(desk, ["activeTime": .string(desk.service.fromNow(60_000).rfc3339)])
        let done = try await desk.call("POST", set + "/rollback")
        #expect(try done.status == 201 && done.json["begun"] == .null)
        desk.service.clock.advance(milliseconds: 60_000)
        try await desk.service.live.activate(desk.service.app)
        #expect(try await versions(desk) == ["1.0.0", "1.0.0"])
    }

    @Test func `packages that need each other cannot form a set`() async throws {
        let desk = try await ready("&needs=common%20%3E%3D2")
        let path = Desk.api + "/apps/default/packages/common/versions?version=3.0.0&needs=news%20%3E%3D2"
        let zip = StoredZip(["index.html": "<p>3"]).bytes
        #expect(try await desk.send("POST", path, zip).status == 201)
        let body: JSON = .object(["versions": .object(["common": "3.0.0", "news": "2.0.0"])])
        let refused = try await desk.call("POST", Self.sets, body)
        #expect(refused.status == 409 && refused.detail.contains("this cycle"), "\(refused.text)")
        #expect(try await desk.call("GET", Self.sets).json["releaseSets"] == .array([]))
    }

    @Test func `an invalid set is refused, and no release of it is made`() async throws {
        let desk = try await ready()
        let many = JSON.object((0...32).map { .init("p\($0)", "1") })
        let floor: JSON = .object(["version": "1", "reason": "r", "withoutHave": "offer"])
        for (versions, more, status, why) in [
            (nil, nil, 400, "'versions'"), (.object(["news": "2.0.0"]), nil, 400, "2 to 32"),
            (many, nil, 400, "at most 32 packages"),
            (.object(["news": "2.0.0", "common": "9"]), nil, 404, "no version 9"),
            (.object(["news": "2.0.0", "shop": "1"]), nil, 404, "shop"), (Self.both, floor, 400, "'floor'"),
            (.object(["news": 2, "common": "9"]), nil, 400, "the version of each package"),
        ] as [(JSON?, JSON?, Int, String)] {
            let response = try await desk.call("POST", Self.sets, .object(["versions": versions, "floor": more]))
            #expect(response.status == status && response.detail.contains(why), "\(response.text)")
        }
        #expect(try await desk.call("GET", Self.sets).json["releaseSets"] == .array([]))
        #expect(try await versions(desk) == ["1.0.0", "1.0.0"])
        for path in ["/99", "/x", "/0"] {
            let response = try await desk.call("GET", Self.sets + path)
            #expect(response.status == 404 && response.code == "release-not-found")
        }
    }

    @Test func `a set of 32 packages can be made`() async throws {
        let desk = try await Desk()
        let names = (0..<32).map { "p\($0)" }
        for name in names { try await desk.service.publish("1", of: name, ["index.html": "<p>\(name)"]) }
        let versions = JSON.object(names.map { .init($0, "1") })
        let response = try await desk.call("POST", Self.sets, .object(["versions": versions]))
        #expect(try response.status == 201 && response.json["releases"]?.elements?.count == 32, "\(response.text)")
    }

    @Test func `patches of every package are there before the set is`() async throws {
        let desk = try await Desk()
        for package in ["common", "news"] {
            try await desk.service.ship("1.0.0", of: package)
            try await desk.service.publishSample("2.0.0", of: package)
        }
        let response = try await desk.call("POST", Self.sets, .object(["versions": Self.both]))
        #expect(try response.json["releases"]?.elements?.map { $0["patchesReady"] } == [true, true])
        let config = try await desk.service.get("/config").json
        for package in ["common", "news"] {
            #expect(config[package]?["incrementalPackages"]?["1.0.0"] != nil, "\(package)")
        }
    }
}

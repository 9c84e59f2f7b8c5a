import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct VersionRouteTests {
    private let page: KeyValuePairs = ["index.html": "<html>", "a.js": "1"]
    private let one = Desk.news + "/versions/1.0.0"

    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.putPackage()
        return desk
    }

    private func paths(_ json: JSON?) -> [String?]? { json?.elements?.map { $0["path"]?.string } }

    @Test func `notes, commit and author are in the responses for publishing, the list and the version`() async throws {
        let desk = try await ready()
        let query = "&notes=New%3A%0A-%20%E6%97%A5&commit=739e1b9&author=Zo%C3%AB%20%3Cz@x%3E"
        let response = try await desk.upload("1.0.0", page, query: query)
        #expect(response.status == 201)
        let list = try await desk.call("GET", Desk.news + "/versions").json["versions"]?.elements?.first
        for json in [try response.json, list, try await desk.call("GET", one).json] {
            #expect(json?["notes"] == "New:\n- 日" && json?["commit"] == "739e1b9" && json?["author"] == "Zoë <z@x>")
        }
        // The variables of a pipeline are empty.
        let plain = try await desk.upload("1.1.0", page, query: "&notes=&commit=&author=").json
        #expect(plain["status"] == "published" && plain["notes"] == nil && plain["commit"] == nil)
    }

    @Test(arguments: [
        ("notes=%00", "'notes'"), ("notes=\(String(repeating: "n", count: 2001))", "'notes'"),
        ("commit=a%0Ab", "'commit'"), ("commit=\(String(repeating: "c", count: 129))", "'commit'"),
        ("author=%1B", "'author'"), ("author=\(String(repeating: "a", count: 201))", "'author'"),
        ("ifExists=yes", "'ifExists'"), ("ifExists=", "'ifExists'"), ("dryRun=yes", "'dryRun'"),
    ])
    func `an invalid parameter is named, and no byte is read`(query: String, name: String) async throws {
        let desk = try await ready()
        let response = try await desk.upload("1.0.0", page, query: "&" + query)
        #expect(response.status == 400 && response.detail.hasPrefix(name), "\(response.detail)")
        #expect(response.isBodyUntouched)
    }

    @Test func `the longest texts fit into a request`() async throws {
        let desk = try await ready()
        func encoded(_ count: Int) -> String { String(repeating: "%E6%97%A5", count: count / 3) }
        let query = "&notes=\(encoded(2000))&commit=\(encoded(128))&author=\(encoded(200))"
        let response = try await desk.upload("1.0.0", page, query: query + "&unwrap=0&ifExists=ok&dryRun=0")
        #expect(response.status == 201)
        #expect(try response.json["notes"]?.string?.utf8.count == 1998)
    }

    @Test func `an existing version is accepted with ifExists=ok, and the response compares the content`() async throws
    {
        let desk = try await ready()
        let first = try await desk.upload("1.0.0", page, query: "&ifExists=ok&notes=first")
        #expect(first.status == 201)
        for (files, isSame) in [(page, true), (["index.html": "2"], false)] as [(KeyValuePairs<String, String>, Bool)] {
            let response = try await desk.upload("1.0.0", files, query: "&ifExists=ok&notes=second")
            #expect(response.status == 200 && response["Location"] == first["Location"])
            let json = try response.json
            #expect(json["status"] == "exists" && json["sameContent"] == .bool(isSame))
            #expect(try json["notes"] == "first" && json["tree"] == first.json["tree"])
        }
    }

    @Test func `a dry run responds with the version that would be made, and makes none`() async throws {
        let desk = try await ready()
        let response = try await desk.upload("1.0.0", ["index.html": "<img src=a.png>"], query: "&dryRun=1")
        #expect(response.status == 200 && response["Location"] == nil)
        let json = try response.json
        #expect(json["status"] == "would-publish" && json["files"] == 1 && json["bytes"] == 15)
        #expect(json["archiveBytes"]?.integer ?? 0 > 0 && json["tree"]?.string?.count == 64)
        #expect(json["createdAt"] == nil)
        #expect(json["warnings"]?.elements?.map { $0["code"]?.string } == ["reference-missing"])
        #expect(try await desk.call("GET", one).status == 404)
        let real = try await desk.upload("1.0.0", ["index.html": "<img src=a.png>"]).json
        for key in ["tree", "archiveBytes", "bytes", "files"] { #expect(real[key] == json[key]) }
        let again = try await desk.upload("1.0.0", ["index.html": "<img src=a.png>"], query: "&dryRun=1")
        #expect(try again.json["status"] == "unchanged")
    }

    @Test func `warnings are kept with the version`() async throws {
        let desk = try await ready()
        let published = try await desk.upload("1.0.0", ["index.html": "<img src=a.png>"]).json
        let version = try await desk.call("GET", one).json
        #expect(version["warnings"]?.elements?.count == 1 && version["warnings"] == published["warnings"])
        #expect(version["waived"] == .array([]) && version["archiveBytes"] == published["archiveBytes"])
    }

    @Test func `the manifest names each file with its size, digest and type`() async throws {
        let desk = try await ready()
        _ = try await desk.upload("1.0.0", ["index.html": "<html>", "js/a.mjs": "1", "data.xyz": "", "LICENSE": ""])
        let json = try await desk.call("GET", one + "/files").json
        #expect(json["version"] == "1.0.0")
        let files = try #require(json["files"]?.elements)
        #expect(files.map { $0["path"]?.string } == ["LICENSE", "data.xyz", "index.html", "js/a.mjs"])
        let unknown = "application/octet-stream"
        #expect(files.map { $0["type"]?.string } == [unknown, unknown, "text/html", "text/javascript"])
        #expect(files[3]["size"] == 1)
        #expect(files[3]["sha256"]?.string == desk.service.cryptography.sha256([0x31]).hex)
        for version in ["2.0.0", "a..b"] {
            #expect(try await desk.call("GET", Desk.news + "/versions/\(version)/files").code == "version-not-found")
        }
    }

    @Test func `a diff lists what differs, and what each way there costs`() async throws {
        let desk = try await ready()
        _ = try await desk.upload("1.0.0", ["index.html": "1", "gone.js": "22", "old.js": "333", "same.js": "x"])
        _ = try await desk.upload(
            "1.1.0", ["index.html": "4444", "new.js": "55555", "moved.js": "333", "same.js": "x"])
        let target = one + "/diff/1.1.0"
        let json = try await desk.call("GET", target).json
        #expect(json["from"] == "1.0.0" && json["to"] == "1.1.0")
        #expect(json["added"] == .array([.object(["path": "new.js", "size": 5])]))
        #expect(json["changed"] == .array([.object(["path": "index.html", "size": 4, "sizeBefore": 1])]))
        #expect(json["removed"] == .array([.object(["path": "gone.js", "size": 2])]))
        #expect(json["moved"] == .array([.object(["from": "old.js", "path": "moved.js", "size": 3])]))
        #expect(json["bytes"] == .object(["added": 5, "changed": 4, "moved": 3, "removed": 2]))
        let archive = try await desk.call("GET", Desk.news + "/versions/1.1.0").json["archiveBytes"]
        #expect(json["download"] == .object(["delta": .null, "files": .null, "full": archive]))
        for version in ["1.0.0", "1.1.0"] { try await desk.service.release(version) }
        let download = try #require(try await desk.call("GET", target).json["download"])
        #expect(download["full"] == archive && download["files"]?.integer ?? 0 > 0)
        // There is none in the other direction.
        let back = try await desk.call("GET", Desk.news + "/versions/1.1.0/diff/1.0.0").json
        #expect(back["download"]?["files"] == .null && paths(back["removed"]) == ["new.js"])
        #expect(try await desk.call("GET", one + "/diff/2.0.0").code == "version-not-found")
        #expect(try await desk.call("GET", Desk.news + "/versions/2.0.0/diff/1.0.0").code == "version-not-found")
    }

    @Test func `notes can be changed, to a text or null only`() async throws {
        let desk = try await ready()
        _ = try await desk.upload("1.0.0", page, query: "&notes=first&commit=c")
        for notes: JSON in ["second\nline", .null] {
            let response = try await desk.call("PUT", one + "/notes", .object(["notes": notes]))
            #expect(response.status == 200)
            let json = try await desk.call("GET", one).json
            #expect(json["notes"] == (notes == .null ? nil : notes) && json["commit"] == "c")
        }
        for body in [
            JSON.object([JSON.Member]()), .object(["notes": 1]), .object(["notes": ""]), .object(["notes": "\r"]),
            .object(["notes": "x", "commit": "d"]),
        ] {
            #expect(try await desk.call("PUT", one + "/notes", body).status == 400)
        }
        let unknown = try await desk.call("PUT", Desk.news + "/versions/2/notes", .object(["notes": "x"]))
        #expect(unknown.code == "version-not-found")
    }

    @Test func `a retired version is marked wherever it is named, and publishing it again says so`() async throws {
        let desk = try await ready()
        _ = try await desk.upload("1.0.0", page)
        let reason = JSON.object(["reason": "crashes on start"])
        let response = try await desk.call("POST", one + "/retire", reason, as: .releaser)
        #expect(response.status == 200)
        let retired = try #require(try response.json["retired"])
        #expect(retired["reason"] == "crashes on start")
        #expect(retired["by"]?.string?.hasPrefix("test releaser (#") == true)
        #expect(retired["at"]?.string == desk.service.clock.now().rfc3339)
        let list = try await desk.call("GET", Desk.news + "/versions").json["versions"]?.elements?.first
        let again = try await desk.upload("1.0.0", page)
        #expect(again.status == 200)
        for json in [try await desk.call("GET", one).json, try #require(list), try again.json] {
            #expect(json["retired"] == retired)
        }
        let release = try await desk.call("POST", Desk.news + "/releases", .object(["version": "1.0.0"]))
        #expect(release.status == 409 && release.code == "version-retired")
        let back = try await desk.call("POST", one + "/unretire", as: .releaser)
        #expect(back.status == 200)
        #expect(try back.json["retired"] == nil)
        #expect(try await desk.call("POST", Desk.news + "/releases", .object(["version": "1.0.0"])).status == 201)
        let offered = try await desk.call("POST", one + "/retire", reason)
        #expect(offered.status == 409 && offered.code == "version-offered")
    }

    @Test(
        arguments: [
            .object([JSON.Member]()), .object(["reason": ""]), .object(["reason": .null]), .object(["reason": "a\nb"]),
            .object(["reason": .string(String(repeating: "x", count: 501))]), .object(["reason": "x", "by": "me"]),
        ] as [JSON])
    func `retiring needs a reason`(body: JSON) async throws {
        let desk = try await ready()
        _ = try await desk.upload("1.0.0", page)
        #expect(try await desk.call("POST", one + "/retire", body).status == 400)
        #expect(try await desk.call("GET", one).json["retired"] == nil)
    }
}

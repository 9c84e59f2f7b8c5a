import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct UploadTests {
    private func ready(_ limits: PackageLimits = PackageLimits()) async throws -> Desk {
        let desk = try await Desk(try await TestService(limits: limits))
        try await desk.service.putPackage()
        return desk
    }

    private let page: KeyValuePairs = ["index.html": "<html>", "a.js": "1"]

    @Test func `a version is published, and shown with its manifest`() async throws {
        let desk = try await ready()
        let response = try await desk.upload("1.0.0+5", page)
        #expect(response.status == 201)
        #expect(response["Location"] == "\(TestService.publicURL)\(Desk.news)/versions/1.0.0+5")
        let json = try response.json
        #expect(json["status"] == "published" && json["version"] == "1.0.0+5")
        #expect(json["warnings"] == .array([]))
        #expect(json["files"] == 2 && json["bytes"] == 7)
        let again = try await desk.upload("1.0.0+5", page)
        #expect(again.status == 200)
        #expect(try again.json["status"] == "unchanged")
        #expect(try again.json["tree"] == json["tree"])
        #expect(again["Location"] == response["Location"])

        let manifest = try await desk.call("GET", Desk.news + "/versions/1.0.0+5").json
        #expect(manifest["tree"] == json["tree"] && manifest["entry"] == "index.html")
        let files = try #require(manifest["files"]?.elements)
        #expect(files.map { $0["path"]?.string } == ["a.js", "index.html"])
        #expect(files[0]["sha256"]?.string == desk.service.cryptography.sha256([0x31]).hex && files[0]["size"] == 1)
        let list = try await desk.call("GET", Desk.news + "/versions").json["versions"]?.elements
        #expect(list?.count == 1 && list?.first?["status"] == nil && list?.first?["tree"] == json["tree"])
    }

    @Test func `other content under a version that is there is 409`() async throws {
        let desk = try await ready()
        _ = try await desk.upload("1.0.0", page)
        let response = try await desk.upload("1.0.0", ["index.html": "other"])
        #expect(response.status == 409 && response.code == "version-exists")
        #expect(response.detail.contains("1.0.0"))
    }

    @Test(arguments: ["", "?version=", "?version=a..b", "?version=-1", "?versions=1", "?notes=1", "?version=%E4%B8%AD"])
    func `a version string is needed, and no byte is read without one`(query: String) async throws {
        let desk = try await ready()
        let response = try await desk.send("POST", Desk.news + "/versions" + query, StoredZip(page).bytes)
        #expect(response.status == 400 && response.detail.contains("version"))
        #expect(response.isBodyUntouched)
    }

    @Test(
        arguments: [
            ("no zip", "not-a-zip", nil), ("", "not-a-zip", nil), ("PK", "not-a-zip", nil),
        ] as [(String, String, String?)])
    func `an upload that is not a zip is 422`(text: String, reason: String, entry: String?) async throws {
        let desk = try await ready()
        let response = try await desk.send("POST", Desk.news + "/versions?version=1", Array(text.utf8))
        #expect(response.status == 422 && response.code == "bad-package")
        #expect(response["Content-Type"] == "application/problem+json")
        #expect(try response.json["reason"]?.string == reason)
    }

    @Test(arguments: [
        ("../evil.js", "path-traversal"), ("/etc/passwd", "path-absolute"), ("a\\b", "path-backslash"),
        ("C:/x", "path-drive-letter"), ("INDEX.html", "path-collision"), ("Files.json", "path-collision"),
    ])
    func `an entry that is refused is named with the reason`(path: String, reason: String) async throws {
        let desk = try await ready()
        let zip = StoredZip([(path: "index.html", content: [1]), (path: path, content: [2])])
        let response = try await desk.send("POST", Desk.news + "/versions?version=1", zip.bytes)
        #expect(response.status == 422)
        #expect(try response.json["reason"]?.string == reason)
        let entry = try #require(try response.json["entry"]?.string)
        #expect(entry == path || entry == "index.html")
    }

    @Test func `a missing entry page and broken descriptors are 422 as well`() async throws {
        let desk = try await ready()
        for (files, entry, reason) in [
            (["home.html": "1"], "index.html", "entry-missing"),
            (["index.html": "1", "files.json": "[]"], "files.json", "descriptor-not-an-object"),
            (["index.html": "1", "files.json": #"{"/x":"/gone"}"#], "files.json", "file-map-target"),
            (["index.html": "1", "app.config.json": "x"], "app.config.json", "descriptor-not-an-object"),
        ] as [(KeyValuePairs<String, String>, String, String)] {
            let response = try await desk.upload("1", files)
            #expect(response.status == 422)
            #expect(try response.json["entry"]?.string == entry && response.json["reason"]?.string == reason)
        }
    }

    @Test func `the zip may be as large as the server's limit`() async throws {
        let zip = StoredZip(page).bytes
        var limits = PackageLimits()
        limits.uploadBytes = zip.count
        let desk = try await ready(limits)
        #expect(try await desk.send("POST", Desk.news + "/versions?version=1", zip).status == 201)
        let larger = try await desk.send("POST", Desk.news + "/versions?version=2", zip + [0])
        #expect(larger.status == 413 && larger.code == "body-too-large")
        // Beyond the overhead of a form, the body is rejected before any of it is read.
        let huge = zip + [UInt8](repeating: 0, count: 70_000)
        #expect(try await desk.send("POST", Desk.news + "/versions?version=3", huge).status == 413)
    }

    @Test(arguments: [
        "application/zip", "application/octet-stream", "application/x-zip-compressed", "Application/ZIP; x=y",
    ])
    func `a zip may have several media types`(type: String) async throws {
        let desk = try await ready()
        let response = try await desk.send("POST", Desk.news + "/versions?version=1", type: type, StoredZip(page).bytes)
        #expect(response.status == 201)
    }

    @Test(arguments: ["application/json", "text/plain", "multipart/mixed; boundary=x", "x"])
    func `another type is 415`(type: String) async throws {
        let desk = try await ready()
        let response = try await desk.send("POST", Desk.news + "/versions?version=1", type: type, StoredZip(page).bytes)
        #expect(response.status == 415 && response.code == "unsupported-media-type")
        #expect(response.isBodyUntouched)
    }

    @Test func `'unwrap' removes or keeps a top folder`() async throws {
        let desk = try await ready()
        let wrapped: KeyValuePairs = ["dist/index.html": "1"]
        #expect(try await desk.upload("1", wrapped).status == 201)
        #expect(try await desk.upload("2", wrapped, query: "&unwrap=0").status == 422)
        #expect(try await desk.upload("3", wrapped, query: "&unwrap=1").status == 201)
        #expect(try await desk.upload("4", wrapped, query: "&unwrap=yes").detail.contains("'unwrap'"))
        _ = try await desk.call("PUT", Desk.news, .object(["entry": .null]))
        #expect(try await desk.upload("5", wrapped).status == 201)
        #expect(try await desk.upload("6", wrapped, query: "&unwrap=1").status == 201)
        for (version, path) in [
            ("1", "index.html"), ("3", "index.html"), ("5", "dist/index.html"), ("6", "index.html"),
        ] {
            let files = try await desk.call("GET", Desk.news + "/versions/\(version)").json["files"]?.elements
            #expect(files?.first?["path"]?.string == path, "\(version)")
        }
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct FormUploadTests {
    private let zip = StoredZip(["index.html": "<html>"]).bytes
    private let type = "multipart/form-data; boundary=\"a boundary\""

    private enum Part {
        case field(String, String)
        case file(String, [UInt8])
    }

    private func form(_ parts: [Part], isWhole: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += "--a boundary\r\n".utf8
            switch part {
            case .field(let name, let value):
                bytes += "Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)".utf8
            case .file(let name, let content):
                let head = "Content-Disposition: form-data; name=\"\(name)\"; filename=\"p.zip\"\r\n"
                bytes += (head + "Content-Type: application/zip\r\n\r\n").utf8 + content
            }
            bytes += "\r\n".utf8
        }
        return isWhole ? bytes + "--a boundary--\r\n".utf8 : bytes
    }

    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.putPackage()
        return desk
    }

    private func send(
        _ desk: Desk, _ body: [UInt8], query: String = "", cutInto size: Int = 60_000
    ) async throws -> TestResponse {
        try await desk.send("POST", Desk.news + "/versions" + query, type: type, body, cutInto: size)
    }

    @Test(arguments: [1, 2, 7, 64, 60_000])
    func `a form is read however it is cut`(size: Int) async throws {
        let desk = try await ready()
        let body = form([.field("note", "x"), .field("version", "1.0.0"), .field("unwrap", "0"), .file("zip", zip)])
        let response = try await send(desk, body, cutInto: size)
        #expect(response.status == 201, "\(response.text)")
        #expect(try response.json["version"] == "1.0.0")
    }

    @Test func `the query wins over the form's fields`() async throws {
        let desk = try await ready()
        let body = form([.field("version", "2.0.0"), .field("version", "3.0.0"), .file("zip", zip)])
        #expect(try await send(desk, body, query: "?version=1.0.0").json["version"] == "1.0.0")
        #expect(try await send(desk, body).json["version"] == "2.0.0")
    }

    @Test func `parts after the file are ignored`() async throws {
        let desk = try await ready()
        let body = form([.field("version", "1.0.0"), .file("zip", zip), .file("other", [1]), .field("comment", "9")])
        for size in [5, 60_000] {
            let response = try await send(desk, body, cutInto: size)
            #expect((200...201).contains(response.status))
            #expect(try response.json["version"] == "1.0.0")
        }
    }

    @Test(arguments: [10, 1 << 20]) func `a field behind the file is refused, however the form is cut`(
        size: Int
    ) async throws {
        let desk = try await ready()
        for field in [Part.field("version", "2.0.0"), .field("dryRun", "1"), .field("dry-run", "1")] {
            let body = form([.field("version", "1.0.0"), .file("zip", zip), field])
            let response = try await send(desk, body, cutInto: size)
            #expect(response.status == 400 && response.code == "invalid-request")
        }
        let other = try await send(
            desk, form([.field("version", "1.0.0"), .file("zip", zip), .field("comment", "x")]), cutInto: size)
        #expect(other.status == 201)
    }

    @Test(arguments: ["dryrun=1", "dry-run=1", "DryRun=1", "if_exists=ok", "Version=1"])
    func `a misspelt parameter is refused, since it would be ignored`(query: String) async throws {
        let desk = try await ready()
        let target = Desk.news + "/versions?version=1.0.0&" + query
        let request = try TestRequest("POST", target, body: zip).with("Content-Type", "application/zip")
            .by(desk.token(.publisher))
        let response = try await desk.service.send(request)
        #expect(response.status == 400 && response.detail.contains("is not a parameter"))
        #expect(try await desk.call("GET", Desk.news + "/versions").json["versions"] == .array([]))
    }

    @Test(arguments: [3, 60_000])
    func `a form without a file, or without its end, is refused`(size: Int) async throws {
        let desk = try await ready()
        for body in [
            form([.field("version", "1.0.0")]), form([]), form([.field("version", "1")], isWhole: false),
            form([.field("version", "1"), .file("zip", zip)], isWhole: false), Array("no form".utf8), [],
            Array(form([.file("zip", zip)]).prefix(40)),
        ] {
            let response = try await send(desk, body, query: "?version=7", cutInto: size)
            #expect(
                response.status == 400 && response.code == "invalid-request", "\(String(decoding: body, as: UTF8.self))"
            )
        }
        #expect(try await desk.service.store.versions(of: desk.service.putPackage().id, in: .default) == [])
    }

    @Test(arguments: [1, 60_000])
    func `an empty file is refused as not a zip`(size: Int) async throws {
        let desk = try await ready()
        let response = try await send(desk, form([.field("version", "1"), .file("zip", [])]), cutInto: size)
        #expect(response.status == 422)
        #expect(try response.json["reason"] == "not-a-zip")
    }

    @Test func `a form without a boundary is refused`() async throws {
        let desk = try await ready()
        for type in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\""] {
            let response = try await desk.send("POST", Desk.news + "/versions?version=1", type: type, form([]))
            #expect(response.status == 400, "\(type)")
        }
    }

    @Test(arguments: [3, 60_000])
    func `the details of a version may come in form fields`(size: Int) async throws {
        let desk = try await ready()
        let notes = String(repeating: "n", count: 2000)
        let fields: [Part] = [
            .field("version", "1"), .field("notes", notes), .field("commit", "c"), .field("author", "a"),
            .field("ifExists", "ok"), .field("dryRun", "0"),
        ]
        let response = try await send(desk, form(fields + [.file("zip", zip)]), cutInto: size)
        #expect(response.status == 201)
        #expect(try response.json["notes"]?.string == notes)
        #expect(try response.json["commit"] == "c" && response.json["author"] == "a")
        let again = try await send(desk, form(fields + [.file("zip", zip)]), cutInto: size)
        #expect(try again.json["status"] == "exists")
        let dry = form([.field("version", "2"), .field("dryRun", "1"), .file("zip", zip)])
        #expect(try await send(desk, dry, cutInto: size).json["status"] == "would-publish")
        let longer = form([.field("version", "3"), .field("notes", notes + "n"), .file("zip", zip)])
        #expect(try await send(desk, longer, cutInto: size).detail.hasPrefix("'notes'"))
    }

    @Test func `a long value of a known field is refused, not truncated`() async throws {
        let desk = try await ready()
        let long = String(repeating: "1", count: 100_000)
        let response = try await send(desk, form([.field("version", long), .file("zip", zip)]), cutInto: 1000)
        #expect(response.status == 400)
        let other = form([.field("note", long), .field("version", "1"), .file("zip", zip)])
        #expect(try await send(desk, other, cutInto: 1000).status == 201)
    }
}

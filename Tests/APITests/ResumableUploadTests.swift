import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ResumableUploadTests {
    private static let uploads = "/api/v1/uploads"
    private static let partType = "application/offset+octet-stream"
    private let zip = StoredZip(["index.html": "<html>", "a.js": "1"]).bytes

    private func ready(_ limits: PackageLimits = PackageLimits()) async throws -> Desk {
        let desk = try await Desk(try await TestService(limits: limits))
        try await desk.service.putPackage()
        return desk
    }

    private func send(
        _ method: String, _ target: String, _ fields: [String: String] = [:], _ body: [UInt8]? = nil, to desk: Desk,
        as role: Role = .publisher
    ) async throws -> TestResponse {
        var request = try TestRequest(method, target, body: body).by(desk.token(role))
        for (name, value) in ["Tus-Resumable": "1.0.0"].merging(fields, uniquingKeysWith: { $1 }) where !value.isEmpty {
            request = request.with(name, value)
        }
        let response = try await desk.service.send(request)
        #expect(response["Tus-Resumable"] == "1.0.0" && response["Cache-Control"] == "no-store")
        return response
    }

    /// Creates an upload and returns its path.
    private func make(_ length: Int, at desk: Desk, _ fields: [String: String] = [:]) async throws -> String {
        let response = try await send(
            "POST", Self.uploads, ["Upload-Length": "\(length)"].merging(fields) { $1 }, to: desk)
        try #require(response.status == 201, "\(response.text)")
        let location = try #require(response["Location"])
        try #require(location.hasPrefix(TestService.publicURL + Self.uploads + "/"))
        return String(location.dropFirst(TestService.publicURL.count))
    }

    private func patch(
        _ target: String, at offset: Int, _ bytes: [UInt8], to desk: Desk, _ fields: [String: String] = [:]
    ) async throws -> TestResponse {
        let own = ["Content-Type": Self.partType, "Upload-Offset": "\(offset)"]
        return try await send("PATCH", target, own.merging(fields) { $1 }, bytes, to: desk)
    }

    private func publish(_ target: String, _ version: String, at desk: Desk) async throws -> TestResponse {
        let id = target.split(separator: "/").last ?? ""
        return try await desk.call("POST", "\(Desk.news)/versions?version=\(version)&upload=\(id)", as: .publisher)
    }

    // MARK: The protocol

    @Test(arguments: [("", "POST, OPTIONS"), ("/x", "HEAD, PATCH, DELETE, POST, OPTIONS")])
    func `the server names its protocol version and extensions`(path: String, methods: String) async throws {
        var limits = PackageLimits()
        limits.uploadBytes = 12_345
        let service = try await TestService(limits: limits)
        let response = try await service.send(TestRequest("OPTIONS", Self.uploads + path))
        #expect(response.status == 204 && response["Allow"] == methods)
        #expect(response["Tus-Resumable"] == "1.0.0" && response["Tus-Version"] == "1.0.0")
        #expect(response["Tus-Extension"] == "creation,checksum,expiration,termination")
        #expect(response["Tus-Checksum-Algorithm"] == "sha256,sha1")
        #expect(response["Tus-Max-Size"] == "12345")
    }

    @Test(arguments: ["", "1.0", "0.2.2", "1.0.0, 2.0.0"])
    func `another protocol version is 412, and the response names the supported one`(version: String) async throws {
        let desk = try await ready()
        let path = try await make(3, at: desk)
        for (method, target) in [
            ("POST", Self.uploads), ("HEAD", path), ("PATCH", path), ("DELETE", path), ("POST", path),
        ] {
            let fields = ["Tus-Resumable": version, "Upload-Length": "3", "Upload-Offset": "0"]
            let response = try await send(method, target, fields, to: desk)
            #expect(response.status == 412, "\(method)")
            #expect(response["Tus-Version"] == "1.0.0")
        }
        #expect(try await send("HEAD", path, to: desk)["Upload-Offset"] == "0")
    }

    @Test func `an upload is made, queried, filled and published`() async throws {
        let desk = try await ready()
        let metadata = "filename cC56aXA=,empty"
        let made = try await send(
            "POST", Self.uploads, ["Upload-Length": "\(zip.count)", "Upload-Metadata": metadata], to: desk)
        #expect(made.status == 201 && made["Upload-Expires"] == "Fri, 02 Jan 2026 00:00:00 GMT")
        let path = try #require(made["Location"]).dropFirst(TestService.publicURL.count)

        desk.service.clock.advance(milliseconds: 1000)
        let first = try await patch(String(path), at: 0, Array(zip[..<50]), to: desk)
        #expect(first.status == 204 && first["Upload-Offset"] == "50")
        #expect(first["Upload-Expires"] == "Fri, 02 Jan 2026 00:00:01 GMT")
        let head = try await send("HEAD", String(path), to: desk)
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head["Upload-Offset"] == "50" && head["Upload-Length"] == "\(zip.count)")
        #expect(head["Upload-Metadata"] == metadata && head["Upload-Expires"] == first["Upload-Expires"])

        #expect(try await publish(String(path), "1.0.0", at: desk).code == "conflict")
        let last = try await patch(String(path), at: 50, Array(zip[50...]), to: desk)
        #expect(last.status == 204 && last["Upload-Offset"] == "\(zip.count)")
        let published = try await publish(String(path), "1.0.0", at: desk)
        #expect(published.status == 201)
        #expect(published["Location"] == "\(TestService.publicURL)\(Desk.news)/versions/1.0.0")
        let body = try await desk.send("POST", "\(Desk.news)/versions?version=1.0.0", zip)
        #expect(try body.json["status"] == "unchanged" && body.json["tree"] == published.json["tree"])
        #expect(try await send("HEAD", String(path), to: desk).status == 410)
        #expect(try await publish(String(path), "1.0.0", at: desk).status == 410)
    }

    @Test(arguments: [
        ["Upload-Length": ""], ["Upload-Length": "-1"], ["Upload-Length": "+1"], ["Upload-Length": "1e3"],
        ["Upload-Length": "99999999999999999999"], ["Upload-Length": "", "Upload-Defer-Length": "1"],
        ["Upload-Metadata": "a b c"], ["Upload-Metadata": "a !"], ["Upload-Metadata": "a YQ==,a YQ=="],
        ["Upload-Metadata": "a YQ==,,b YQ=="], ["Upload-Metadata": "é YQ=="],
        ["Upload-Metadata": String(repeating: "a", count: 4097)],
    ])
    func `an upload that cannot be created is refused with the reason`(fields: [String: String]) async throws {
        let desk = try await ready()
        let response = try await send("POST", Self.uploads, ["Upload-Length": "9"].merging(fields) { $1 }, to: desk)
        #expect(response.status == 400 && response.code == "invalid-request")
        #expect(response.detail.contains(fields.keys.contains("Upload-Metadata") ? "Upload-Metadata" : "Upload-Length"))
    }

    @Test func `metadata may have so many bytes, and be empty`() async throws {
        let desk = try await ready()
        let path = try await make(1, at: desk, ["Upload-Metadata": String(repeating: "a", count: 4096)])
        #expect(try await send("HEAD", path, to: desk)["Upload-Metadata"]?.count == 4096)
        let other = try await make(1, at: desk)
        #expect(try await send("HEAD", other, to: desk)["Upload-Metadata"] == nil)
    }

    @Test func `an upload may be as large as a zip, and no larger`() async throws {
        var limits = PackageLimits()
        limits.uploadBytes = zip.count
        let desk = try await ready(limits)
        let response = try await send("POST", Self.uploads, ["Upload-Length": "\(zip.count + 1)"], to: desk)
        #expect(response.status == 413 && response.code == "body-too-large")
        let path = try await make(zip.count, at: desk)
        #expect(try await patch(path, at: 0, zip, to: desk).status == 204)
        #expect(try await publish(path, "1", at: desk).status == 201)
    }

    @Test func `an upload past the limit is 429 with a remedy, also if it comes as a body`() async throws {
        let desk = try await ready()
        for _ in 0..<UploadLimits().openOfToken { _ = try await make(1, at: desk) }
        let response = try await send("POST", Self.uploads, ["Upload-Length": "1"], to: desk)
        #expect(response.status == 429 && response.code == "too-many-uploads")
        #expect(response["Retry-After"] == nil && response.detail.contains("15 minutes"))
        let direct = try await desk.send("POST", Desk.news + "/versions?version=1", zip, as: .publisher)
        #expect(direct.status == 429 && direct.code == "too-many-uploads")
        desk.service.clock.advance(milliseconds: UploadLimits().untouched)
        #expect(try await desk.send("POST", Desk.news + "/versions?version=1", zip, as: .publisher).status == 201)
    }

    @Test func `the response to a refused part says why, and its bytes do not count`() async throws {
        let desk = try await ready()
        let path = try await make(4, at: desk)
        for (fields, status) in [
            (["Content-Type": ""], 415), (["Content-Type": "application/octet-stream"], 415),
            (["Upload-Offset": ""], 400), (["Upload-Offset": "-0"], 400), (["Upload-Offset": "x"], 400),
            (["Upload-Offset": "1"], 409),
            (["Upload-Checksum": "md5 kAFQmDzST7DWlj99KOF/cg=="], 400), (["Upload-Checksum": "sha256"], 400),
            (["Upload-Checksum": "sha1 YQ=="], 400), (["Upload-Checksum": "sha1 !"], 400),
            (["Upload-Checksum": "sha1 cDeAcZjCKn0rCAc3HXY3eahP388= x"], 400),
            // The checksum of the bytes 1, 2, 3.
            (["Upload-Checksum": "sha1 cDeAcZjCKn0rCAc3HXY3eahP388="], 460),
        ] as [([String: String], Int)] {
            let response = try await patch(path, at: 0, [1, 2, 4], to: desk, fields)
            #expect(response.status == status, "\(fields)")
            #expect(!response.detail.isEmpty)
        }
        #expect(try await patch(path, at: 0, [1, 2, 3, 4, 5], to: desk).status == 413)
        #expect(try await send("HEAD", path, to: desk)["Upload-Offset"] == "0")
        let right = try await patch(
            path, at: 0, [1, 2, 3], to: desk, ["Upload-Checksum": "sha1 cDeAcZjCKn0rCAc3HXY3eahP388="])
        #expect(right.status == 204)
        let sha256 = "sha256 5S9LEyTVmOV1Aba2uUfkAmFUsm3hUxYEYX0cX+VzREo="
        #expect(try await patch(path, at: 3, [9], to: desk, ["Upload-Checksum": sha256]).status == 460)
    }

    @Test func `the rest of a refused part is not read`() async throws {
        let desk = try await ready()
        let path = try await make(4, at: desk)
        for fields in [["Upload-Offset": "1"], ["Tus-Resumable": "2"], ["Content-Type": "text/plain"]] {
            #expect(try await patch(path, at: 0, [1, 2], to: desk, fields).isBodyUntouched)
        }
        #expect(try await patch(path, at: 0, [1, 2, 3, 4, 5], to: desk).isBodyUntouched)
    }

    @Test func `a client that cannot send PATCH or DELETE uses the override field`() async throws {
        let desk = try await ready()
        let path = try await make(2, at: desk)
        let part = ["Content-Type": Self.partType, "Upload-Offset": "0"]
        let override = "X-HTTP-Method-Override"
        for wrong in ["", "PUT"] {
            let response = try await send("POST", path, part.merging([override: wrong]) { $1 }, [1], to: desk)
            #expect(response.status == 400 && response.detail.contains(override))
        }
        let patched = try await send("POST", path, part.merging([override: "PATCH"]) { $1 }, [1], to: desk)
        #expect(patched.status == 204 && patched["Upload-Offset"] == "1")
        #expect(try await send("POST", path, [override: "DELETE"], to: desk).status == 204)
        #expect(try await send("HEAD", path, to: desk).status == 410)
    }

    @Test func `an upload that is deleted is gone`() async throws {
        let desk = try await ready()
        let path = try await make(2, at: desk)
        #expect(try await send("DELETE", path, to: desk).status == 204)
        for method in ["DELETE", "HEAD"] { #expect(try await send(method, path, to: desk).status == 410) }
        #expect(try await patch(path, at: 0, [1], to: desk).code == "upload-gone")
    }

    @Test func `the uploads of other tokens are 404`() async throws {
        let desk = try await ready()
        let path = try await make(zip.count, at: desk)
        for other in [path, Self.uploads + "/" + String(repeating: "0", count: 32), Self.uploads + "/x"] {
            for method in ["HEAD", "PATCH", "DELETE"] {
                let fields = ["Content-Type": Self.partType, "Upload-Offset": "0"]
                let response = try await send(method, other, fields, to: desk, as: .admin)
                #expect(response.status == 404)
                #expect(method == "HEAD" || response.code == "upload-not-found")
            }
        }
        #expect(try await patch(path, at: 0, zip, to: desk).status == 204)
        let id = path.split(separator: "/").last ?? ""
        let stolen = try await desk.call("POST", "\(Desk.news)/versions?version=1&upload=\(id)", as: .admin)
        #expect(stolen.status == 404 && stolen.code == "upload-not-found")
    }

    @Test func `after its time an upload is 410`() async throws {
        let desk = try await ready()
        let path = try await make(2, at: desk)
        desk.service.clock.advance(milliseconds: 86_399_999)
        #expect(try await send("HEAD", path, to: desk).status == 200)
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await send("HEAD", path, to: desk).status == 410)
        #expect(try await patch(path, at: 0, [1], to: desk).status == 410)
    }

    // MARK: Publishing

    @Test func `a zip published from an upload may be refused like one in a body`() async throws {
        let desk = try await ready()
        let path = try await make(5, at: desk)
        #expect(try await patch(path, at: 0, Array("no zi".utf8), to: desk).status == 204)
        let response = try await publish(path, "1", at: desk)
        #expect(response.status == 422)
        #expect(try response.json["reason"] == "not-a-zip")
        #expect(try await send("HEAD", path, to: desk).status == 200)

        let empty = try await make(0, at: desk)
        #expect(try await publish(empty, "1", at: desk).json["reason"] == "not-a-zip")
    }

    @Test func `a publishing request with an invalid parameter leaves the upload`() async throws {
        let desk = try await ready()
        let path = try await make(zip.count, at: desk)
        #expect(try await patch(path, at: 0, zip, to: desk).status == 204)
        let id = path.split(separator: "/").last ?? ""
        for (query, status) in [
            ("news/versions?upload=\(id)", 400), ("news/versions?version=1&unwrap=x&upload=\(id)", 400),
            ("none/versions?version=1&upload=\(id)", 404), ("news/versions?version=1&upload=x", 404),
            ("news/versions?version=1&upload=", 404),
        ] {
            let target = "/api/v1/apps/default/packages/\(query)"
            #expect(try await desk.call("POST", target, as: .publisher).status == status, "\(query)")
        }
        let both = try await desk.send(
            "POST", "\(Desk.news)/versions?version=1&upload=\(id)", zip, as: .publisher)
        #expect(both.status == 400 && both.detail.contains("not both") && both.isBodyUntouched)
        // Some clients send a type without a body.
        let dry = try await desk.send(
            "POST", "\(Desk.news)/versions?version=1&upload=\(id)&dryRun=1&notes=n", type: "application/json", [],
            as: .publisher)
        #expect(try dry.json["status"] == "would-publish" && dry.json["notes"] == "n")
        // The bytes are not sent again.
        #expect(try await publish(path, "1", at: desk).json["status"] == "published")
        #expect(try await send("HEAD", path, to: desk).status == 410)
    }

    @Test(arguments: ["", "&ifExists=ok"])
    func `a dry run keeps an upload whose content is published already`(query: String) async throws {
        let desk = try await ready()
        let paths = [try await make(zip.count, at: desk), try await make(zip.count, at: desk)]
        for path in paths { #expect(try await patch(path, at: 0, zip, to: desk).status == 204) }
        #expect(try await publish(paths[0], "1", at: desk).json["status"] == "published")
        let dry = try await publish(paths[1], "1\(query)&dryRun=1", at: desk)
        #expect(dry.status == 200, "\(dry.text)")
        #expect(try await send("HEAD", paths[1], to: desk).status == 200)
        // The request without a dry run consumes the upload.
        #expect(try await publish(paths[1], "1\(query)", at: desk).status == 200)
        #expect(try await send("HEAD", paths[1], to: desk).status == 410)
    }

    @Test(arguments: ["dryrun=1", "dry-run=1", "if_exists=ok"])
    func `a parameter that is misspelt publishes no upload`(parameter: String) async throws {
        let desk = try await ready()
        let path = try await make(zip.count, at: desk)
        #expect(try await patch(path, at: 0, zip, to: desk).status == 204)
        let id = path.split(separator: "/").last ?? ""
        let response = try await desk.call(
            "POST", "\(Desk.news)/versions?version=1&upload=\(id)&\(parameter)", as: .publisher)
        #expect(response.status == 400 && response.detail.contains("is not a parameter"))
        #expect(try await send("HEAD", path, to: desk).status == 200)
    }

    @Test func `the uploads of a token go when it is revoked`() async throws {
        let desk = try await ready()
        let made = try await desk.call("POST", "/api/v1/tokens", .object(["name": "ci", "role": "publisher"]))
        let (id, secret) = (try #require(made.json["id"]?.integer), try #require(made.json["token"]?.string))
        let author = try #require(try await desk.service.tokens.authenticate(secret))
        let upload = try await desk.service.uploads.create(length: 1, metadata: nil, by: author).upload.id
        #expect(try await desk.call("DELETE", "/api/v1/tokens/\(id)").status == 200)
        #expect(throws: PlatformError.self) { try desk.service.uploads.status(of: upload, for: author) }
    }

    @Test func `the uploads of a token go when it expires`() async throws {
        let desk = try await ready()
        let end = desk.service.fromNow(60_000)
        let (_, secret) = try await desk.service.tokens.create(
            name: "job", role: .publisher, expiresAt: end, by: .server)
        let author = try #require(try await desk.service.tokens.authenticate(secret))
        let upload = try await desk.service.uploads.create(length: 1, metadata: nil, by: author).upload.id
        #expect(try await desk.service.uploads.sweep() == 0)
        desk.service.clock.advance(milliseconds: 60_000)
        #expect(try await desk.service.uploads.sweep() == 1)
        #expect(throws: PlatformError.self) { try desk.service.uploads.status(of: upload, for: author) }
    }
}

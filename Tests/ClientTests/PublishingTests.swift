import Client
import Domain
import Ground
import HTTP
import TestKit
import Testing
import Transport

@Suite(.scratchDirectory, .ownThread)
struct PublishingTests {
    private func uploader(_ server: TinyServer) throws -> PackageUploader {
        PackageUploader(OperatorsClient(server: try HTTPURL(server.base), token: "secret"))
    }

    private func upload(
        version: String = "1.0+a", unwrapping: UploadArrangement.Unwrapping = .automatic
    ) throws
        -> PackageUploader.Upload
    {
        PackageUploader.Upload(
            app: .default, package: try #require(PackageID("news")), version: try #require(VersionString(version)),
            unwrapping: unwrapping)
    }

    private func folder() -> String {
        let folder = ScratchDirectory.path + "/site"
        Files.write("hello", to: folder + "/index.html")
        return folder
    }

    @Test func `a folder is published as a zip, with the token`() throws {
        let server = TinyServer { _ in .response(201, [:], Array(#"{"version":"1.0+a"}"#.utf8)) }
        defer { server.stop() }
        let outcome = try uploader(server).upload(folder(), as: upload())
        #expect(outcome == .published(version: .object(["version": "1.0+a"])))
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/api/v1/apps/default/packages/news/versions")
        #expect(request.query == "version=1.0%2Ba")
        #expect(request.fields["authorization"] == "Bearer secret")
        #expect(request.fields["content-type"] == "application/zip")
        #expect(request.body.starts(with: [0x50, 0x4B, 3, 4]))
    }

    @Test(arguments: [(UploadArrangement.Unwrapping.always, "1"), (.never, "0")])
    func `unwrapping is passed on`(unwrapping: UploadArrangement.Unwrapping, value: String) throws {
        let server = TinyServer { _ in .response(200, [:], Array("{}".utf8)) }
        defer { server.stop() }
        let outcome = try uploader(server).upload(folder(), as: upload(unwrapping: unwrapping))
        #expect(outcome == .unchanged(version: .object([JSON.Member]())))
        #expect(server.requests.first?.query.hasSuffix("&unwrap=\(value)") == true)
    }

    @Test func `details and options of a version are sent with it`() throws {
        let server = TinyServer { _ in .response(201, [:], Array("{}".utf8)) }
        defer { server.stop() }
        var upload = try upload()
        upload.details = try VersionDetails(notes: "a&b=c\n日", commit: "739e1b9", author: "Z <z@x>")
        upload.acceptsExisting = true
        upload.isDryRun = true
        _ = try uploader(server).upload(folder(), as: upload)
        #expect(
            server.requests.first?.query
                == "version=1.0%2Ba&notes=a%26b%3Dc%0A%E6%97%A5&commit=739e1b9&author=Z%20%3Cz%40x%3E&ifExists=ok&dryRun=1"
        )
    }

    @Test func `an existing version and a dry run have different outcomes`() throws {
        let status = Shared("exists")
        let server = TinyServer { _ in .response(200, [:], Array(#"{"status":"\#(status.value)"}"#.utf8)) }
        defer { server.stop() }
        #expect(try uploader(server).upload(folder(), as: upload()) == .exists(version: .object(["status": "exists"])))
        status.change { $0 = "would-publish" }
        #expect(
            try uploader(server).upload(folder(), as: upload())
                == .possible(version: .object(["status": "would-publish"])))
    }

    @Test func `a zip is sent as it is`() throws {
        let server = TinyServer { _ in .response(201, [:], Array("{}".utf8)) }
        defer { server.stop() }
        let zip = ScratchDirectory.path + "/x.zip"
        Files.write([1, 2, 3], to: zip)
        var progress: (Int, Int)?
        _ = try uploader(server).upload(zip, as: upload()) { progress = ($0, $1) }
        #expect(server.requests.first?.body == [1, 2, 3])
        #expect(progress ?? (0, 0) == (3, 3))
    }

    @Test func `a refusal contains the server's message`() throws {
        let problem = #"{"status":422,"code":"bad-package","detail":"No.","entry":"a/../b","reason":"path-traversal"}"#
        let server = TinyServer { _ in .response(422, [:], Array(problem.utf8)) }
        defer { server.stop() }
        guard case .refused(let refusal) = try uploader(server).upload(folder(), as: upload()) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.status == 422)
        #expect(refusal.code == "bad-package")
        #expect(refusal.detail == "No.")
        #expect(refusal.entry == "a/../b")
        #expect(refusal.reason == "path-traversal")
    }

    /// Returns a server that responds 429 so many times, and then 201.
    private func busyServer(_ refusals: Int, retryAfter: String) -> TinyServer {
        let count = Counter()
        return TinyServer { _ in
            count.increment() <= refusals
                ? .response(
                    429, ["Retry-After": retryAfter], Array(#"{"code":"rate-limited","detail":"Slowly."}"#.utf8))
                : .response(201, [:], Array("{}".utf8))
        }
    }

    private func upload(to server: TinyServer, recording waits: Shared<[Duration]>) throws -> PackageUploader.Outcome {
        let client = OperatorsClient(
            server: try HTTPURL(server.base), token: "secret", clock: ManualClientClock()
        ) { wait in waits.change { $0.append(wait) } }
        return try PackageUploader(client).upload(folder(), as: upload())
    }

    @Test func `a request to an overloaded server is retried at the stated time, and the wait is reported`() throws {
        let server = busyServer(4, retryAfter: "60")
        defer { server.stop() }
        let waits = Shared<[Duration]>([])
        #expect(try upload(to: server, recording: waits) == .published(version: .object([JSON.Member]())))
        #expect(waits.value == [Duration](repeating: .seconds(60), count: 4))
        #expect(Set(server.requests.map(\.body)).count == 1)
    }

    @Test(arguments: [(5, "1", 5), (1, "61", 1), (1, "soon", 1)])
    func `retries are limited in number and in delay`(refusals: Int, retryAfter: String, requests: Int) throws {
        let server = busyServer(refusals, retryAfter: retryAfter)
        defer { server.stop() }
        guard case .refused(let refusal) = try upload(to: server, recording: Shared([])) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.status == 429)
        #expect(server.requests.count == requests)
    }

    @Test func `a refusal of a large upload before its body is read`() throws {
        let server = TinyServer(continuation: .refused) { request in
            switch (request.method, request.path) {
            case ("GET", _): .response(200, [:], Array("{}".utf8))
            case (_, "/api/v1/uploads"): .response(404)
            default: .response(401, [:], Array(#"{"code":"unauthorized","detail":"Who?"}"#.utf8))
            }
        }
        defer { server.stop() }
        let zip = ScratchDirectory.path + "/x.zip"
        Files.write([UInt8](repeating: 1, count: 30 << 20), to: zip)
        guard case .refused(let refusal) = try uploader(server).upload(zip, as: upload()) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == "unauthorized")
    }

    @Test func `an unreachable server and a missing path are reported`() throws {
        let server = TinyServer { _ in .silence }
        let uploader = try uploader(server)
        server.stop()
        guard case .failed = try uploader.upload(folder(), as: upload()) else {
            Issue.record("not failed")
            return
        }
        guard case .unusable = try uploader.upload(ScratchDirectory.path + "/nothing", as: upload()) else {
            Issue.record("not failed for the file")
            return
        }
    }

    @Test func `an empty folder is refused before a request is sent`() throws {
        let server = TinyServer { _ in .response(201, [:], Array("{}".utf8)) }
        defer { server.stop() }
        let folder = ScratchDirectory.path + "/empty"
        Files.write("", to: folder + "/.DS_Store")
        guard case .unusable = try uploader(server).upload(folder, as: upload()) else {
            Issue.record("not refused")
            return
        }
        #expect(server.requests.isEmpty)
    }

    private func client(_ server: TinyServer) throws -> OperatorsClient {
        OperatorsClient(server: try HTTPURL(server.base), token: "secret", clock: ManualClientClock())
    }

    @Test func `a change whose response is lost is sent again with the same key`() throws {
        let calls = Counter()
        let server = TinyServer { _ in
            calls.increment() < 3 ? .raw([]) : .response(201, [:], Array("{}".utf8))
        }
        defer { server.stop() }
        #expect(try client(server).call(.post, "/apps/default/packages/news/releases", .object([])).status == 201)
        let keys = server.requests.map { $0.fields["idempotency-key"] }
        #expect(keys.count == 3 && Set(keys).count == 1 && keys[0]?.count == 32, "\(keys)")
    }

    @Test func `a change is given up after four lost responses, and a refused one at once`() throws {
        let silent = TinyServer { _ in .raw([]) }
        defer { silent.stop() }
        #expect(throws: OperatorsError.self) { try client(silent).call(.post, "/apps", .object([])) }
        #expect(silent.requests.count == OperatorsClient.lostAttempts)
        let refusing = TinyServer { _ in .response(409, [:], Array("{}".utf8)) }
        defer { refusing.stop() }
        #expect(throws: OperatorsError.self) { try client(refusing).call(.post, "/apps", .object([])) }
        #expect(refusing.requests.count == 1)
    }

    @Test func `the pages of a list become one, and each is requested from the same server`() throws {
        let server = TinyServer { request in
            switch request.query {
            case "":
                .response(
                    200, ["Link": #"<https://elsewhere.example/x/api/v1/apps?after=a,b>; rel="next""#],
                    Array(#"{"apps":[{"id":"a"}],"head":1}"#.utf8))
            default: .response(200, [:], Array(#"{"apps":[{"id":"b"}]}"#.utf8))
            }
        }
        defer { server.stop() }
        let list = try client(server).pages("/apps", of: "apps").body
        #expect(list.text == #"{"apps":[{"id":"a"},{"id":"b"}],"head":1}"#)
        #expect(server.requests.map(\.query) == ["", "after=a,b"])
        #expect(server.requests.allSatisfy { $0.path == "/api/v1/apps" })
    }

    @Test(arguments: [(2, 1, true), (3, 2, true), (4, 2, false), (5, 2, false)])
    func `a limit requests no further page than needed, and tells whether there is more`(
        limit: Int, requests: Int, hasMore: Bool
    ) throws {
        let server = TinyServer { request in
            let isFirst = !request.query.contains("after")
            return .response(
                200, isFirst ? ["Link": #"</api/v1/apps?after=b>; rel="next""#] : [:],
                Array((isFirst ? #"{"apps":["a","b"]}"# : #"{"apps":["c","d"]}"#).utf8))
        }
        defer { server.stop() }
        let pages = try client(server).pages("/apps", of: "apps", upTo: limit)
        #expect(pages.body["apps"]?.elements?.count == min(limit, 4) && pages.hasMore == hasMore)
        #expect(server.requests.count == requests && server.requests[0].query == "limit=\(limit)")
    }

    @Test func `a list without an end is given up`() throws {
        let server = TinyServer { _ in
            .response(200, ["Link": #"</api/v1/apps>; rel="next""#], Array(#"{"apps":[]}"#.utf8))
        }
        defer { server.stop() }
        #expect(throws: OperatorsError.self) { try client(server).pages("/apps", of: "apps").body }
        #expect(server.requests.count == OperatorsClient.maximumPages)
    }
}

import Client
import Domain
import Ground
import HTTP
import TestKit
import Testing
import Transport

@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct ResumableUploadTests {
    private static let part = 4 << 20
    private static let size = 9 << 20

    /// Creates a file whose parts all differ; its contents do not matter to these servers.
    private func zip(_ size: Int = size) -> (path: String, bytes: [UInt8]) {
        let path = ScratchDirectory.path + "/package.zip"
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            for index in 0..<size { buffer[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 16) }
            count = size
        }
        Files.write(bytes, to: path)
        return (path, bytes)
    }

    private func upload(
        _ path: String, to base: String, clock: ManualClientClock = ManualClientClock(),
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> PackageUploader.Outcome {
        let client = OperatorsClient(server: try HTTPURL(base), token: "secret", clock: clock)
        let upload = PackageUploader.Upload(
            app: .default, package: try #require(PackageID("news")), version: try #require(VersionString("1")))
        return PackageUploader(client).upload(path, as: upload, progress: progress)
    }

    @Test func `a later run continues the upload of an earlier one, and a finished one is forgotten`() throws {
        let server = TusServer(mishaps: [.cut(keeping: 100)] + Array(repeating: .cut(keeping: 0), count: 9))
        defer { server.stop() }
        let folder = ScratchDirectory.path + "/uploads"
        func run() throws -> PackageUploader.Outcome {
            let client = OperatorsClient(server: try HTTPURL(server.base), token: "secret", clock: ManualClientClock())
            let upload = PackageUploader.Upload(
                app: .default, package: try #require(PackageID("news")), version: try #require(VersionString("1")))
            return PackageUploader(client, remembering: UploadMemory(folder: folder)).upload(zip().path, as: upload)
        }
        guard case .failed = try run() else {
            Issue.record("the first run must fail")
            return
        }
        #expect(LocalFile.names(in: folder).count == 1)
        let count = server.calls.count
        #expect(try run() == done)
        #expect(server.calls.dropFirst(count).prefix(2) == ["GET /apps/default/packages/news", "HEAD /uploads/ID"])
        #expect(!server.calls.dropFirst(count).contains("POST /uploads"))
        #expect(server.uploaded == zip().bytes)
        #expect(LocalFile.names(in: folder).isEmpty)
    }

    private let done = PackageUploader.Outcome.published(version: .object([JSON.Member]()))
    private let versions = "POST /apps/default/packages/news/versions"
    private let first = ["GET /apps/default/packages/news", "POST /uploads"]

    @Test func `a large zip goes in parts with their checksums, and is published by its name`() throws {
        let server = TusServer()
        defer { server.stop() }
        let zip = zip()
        var steps: [Int] = []
        let outcome = try upload(zip.path, to: server.base) { done, all in
            #expect(all == zip.bytes.count)
            steps.append(done)
        }
        #expect(outcome == done)
        #expect(server.uploaded == zip.bytes)
        #expect(server.calls == first + Array(repeating: "PATCH /uploads/ID", count: 3) + [versions])
        #expect(server.requests[1].fields["upload-length"] == "\(Self.size)")
        let publishing = try #require(server.requests.last)
        #expect(publishing.query == "version=1&upload=\(TusServer.id)" && publishing.body.isEmpty)
        #expect(server.requests.allSatisfy { $0.fields["authorization"] == "Bearer secret" })
        #expect(steps == steps.sorted() && steps.last == Self.size && steps.count > 10)
    }

    @Test(arguments: [(8 << 20, false), (8 << 20 + 1, true)])
    func `a zip up to eight megabytes goes at once`(size: Int, isInParts: Bool) throws {
        let server = TusServer()
        defer { server.stop() }
        let zip = zip(size)
        #expect(try upload(zip.path, to: server.base) == done)
        #expect(server.calls.contains("POST /uploads") == isInParts)
        #expect(server.calls.count { $0 == versions } == 1)
        #expect(isInParts || server.requests.first?.body == zip.bytes)
    }

    @Test func `after a broken connection the upload continues with the received bytes`() throws {
        let server = TusServer(mishaps: [.cut(keeping: 1_000_000), .cut(keeping: 0), .cut(keeping: Self.part)])
        defer { server.stop() }
        let (zip, clock) = (zip(), ManualClientClock())
        #expect(try upload(zip.path, to: server.base, clock: clock) == done)
        #expect(server.uploaded == zip.bytes)
        let patches = server.requests.filter { $0.method == "PATCH" }.map { $0.fields["upload-offset"] }
        #expect(patches == ["0", "1000000", "1000000", "5194304", "9388608"])
        #expect(server.calls.count { $0 == "HEAD /uploads/ID" } == 3)
        // The backoff restarts if bytes arrived meanwhile.
        #expect(clock.monotonic() >= .milliseconds(2000) && clock.monotonic() <= .milliseconds(4000))
    }

    @Test(arguments: [409, 423, 460, 500, 502, 503, 504, 408])
    func `a part that the server refuses for now is sent again`(status: Int) throws {
        let server = TusServer(mishaps: [.refused(status: status)])
        defer { server.stop() }
        let zip = zip()
        #expect(try upload(zip.path, to: server.base) == done)
        #expect(server.uploaded == zip.bytes)
        #expect(server.calls.count { $0 == "PATCH /uploads/ID" } == 4)
    }

    @Test func `the upload ends after a limited number of attempts`() throws {
        let server = TusServer(mishaps: Array(repeating: .cut(keeping: 0), count: 100))
        defer { server.stop() }
        let clock = ManualClientClock()
        guard case .failed(.connectionEnded) = try upload(zip().path, to: server.base, clock: clock) else {
            Issue.record("not failed")
            return
        }
        #expect(server.calls.count { $0 == "PATCH /uploads/ID" } == 9)
        // Longer than a server waits for a dead connection.
        #expect(clock.monotonic() > .seconds(60) && clock.monotonic() < .seconds(200))
    }

    @Test(arguments: [507, 413, 403])
    func `a permanent refusal is reported at once, and no upload is left on the server`(status: Int) throws {
        let server = TusServer(mishaps: [.refused(status: status)])
        defer { server.stop() }
        guard case .refused(let problem) = try upload(zip().path, to: server.base) else {
            Issue.record("not refused")
            return
        }
        #expect(problem.status == status)
        #expect(server.calls == first + ["PATCH /uploads/ID", "DELETE /uploads/ID"])
    }

    @Test(
        arguments: [
            (404, "{}"), (404, #"{"code":"not-found"}"#), (405, "{}"), (412, "{}"), (501, "{}"),
            (429, #"{"code":"too-many-uploads"}"#),
        ])
    func `a server that accepts no parts, or no more of them, gets the zip at once`(status: Int, text: String) throws {
        let server = TusServer(making: .response(status, [:], Array(text.utf8)))
        defer { server.stop() }
        let zip = zip()
        #expect(try upload(zip.path, to: server.base) == done)
        #expect(server.calls == first + [versions])
        #expect(server.requests.last?.body == zip.bytes)
        #expect(server.requests.last?.query == "version=1")
    }

    @Test(arguments: [405, 410, 501])
    func `a server that stops accepting parts gets the zip at once`(status: Int) throws {
        let server = TusServer(mishaps: [.refused(status: status)])
        defer { server.stop() }
        let zip = zip()
        #expect(try upload(zip.path, to: server.base) == done)
        #expect(server.requests.last?.body == zip.bytes)
    }

    @Test func `a publishing request whose response is lost is sent again`() throws {
        let server = TusServer(publishing: [.raw([]), .response(423)])
        defer { server.stop() }
        #expect(try upload(zip().path, to: server.base) == done)
        #expect(server.calls.suffix(3) == [versions, versions, versions])
    }

    @Test func `if the result of a publishing is unknown, the zip is sent at once to get it`() throws {
        let gone = TinyServer.Reply.response(410, [:], Array(#"{"code":"upload-gone"}"#.utf8))
        let server = TusServer(publishing: [.raw([]), gone, .response(200, [:], Array("{}".utf8))])
        defer { server.stop() }
        let zip = zip()
        #expect(try upload(zip.path, to: server.base) == .unchanged(version: .object([JSON.Member]())))
        #expect(server.requests.last?.body == zip.bytes)
    }

    @Test func `a connection that stalls longer than the server waits does not end the upload`() throws {
        let server = TusServer(mishaps: [.refused(status: 400, code: "body-incomplete")])
        defer { server.stop() }
        let zip = zip()
        #expect(try upload(zip.path, to: server.base) == done)
        #expect(server.uploaded == zip.bytes)
    }

    @Test func `a dry run leaves no upload on the server`() throws {
        let server = TusServer(publishing: [.response(200, [:], Array(#"{"status":"would-publish"}"#.utf8))])
        defer { server.stop() }
        guard case .possible = try upload(zip().path, to: server.base) else {
            Issue.record("not possible")
            return
        }
        #expect(server.calls.last == "DELETE /uploads/ID")
    }

    @Test func `a refusal of the zip's content is reported as such`() throws {
        let refusal = TinyServer.Reply.response(409, [:], Array(#"{"code":"version-exists","detail":"No."}"#.utf8))
        let server = TusServer(publishing: [refusal])
        defer { server.stop() }
        guard case .refused(let problem) = try upload(zip().path, to: server.base) else {
            Issue.record("not refused")
            return
        }
        #expect(problem.code == "version-exists")
        #expect(server.calls.count { $0 == versions } == 1)
    }

    @Test func `a missing package is reported before a byte is sent`() throws {
        let server = TinyServer { _ in .response(404, [:], Array(#"{"code":"package-not-found"}"#.utf8)) }
        defer { server.stop() }
        guard case .refused(let problem) = try upload(zip().path, to: server.base) else {
            Issue.record("not refused")
            return
        }
        #expect(problem.code == "package-not-found")
        #expect(server.requests.map(\.method) == ["GET"])
    }
}

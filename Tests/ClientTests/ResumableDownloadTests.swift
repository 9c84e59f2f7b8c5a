import Client
import Ground
import Synchronization
import TestKit
import Testing
import Transport

@Suite(.scratchDirectory, .ownThread)
struct ResumableDownloadTests {
    private static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private var path: String { ScratchDirectory.path + "/file.part" }

    private func download(_ server: TinyServer, size: Int = content.count) throws -> Int {
        try ResumableDownload(try HTTPURL(server.base), to: path, size: size)
            .run(by: HTTPClient(), clock: ManualClientClock())
    }

    /// Returns a server of the content that truncates the first `cuts` responses by half.
    private func server(cuts: Int = 0, etag: String? = "\"a\"") -> TinyServer {
        let left = Mutex(cuts)
        return TinyServer { request in
            var start = 0
            if let range = request.fields["range"], request.fields["if-range"] == etag {
                start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
            }
            let part = Array(Self.content[start...])
            let isCut = left.withLock { left in
                left -= 1
                return left >= 0
            }
            let total = Self.content.count
            var head = "HTTP/1.1 \(start > 0 ? 206 : 200) OK\r\nContent-Length: \(part.count)\r\n"
            if let etag { head += "ETag: \(etag)\r\n" }
            if start > 0 { head += "Content-Range: bytes \(start)-\(total - 1)/\(total)\r\n" }
            return .raw(Array((head + "\r\n").utf8) + (isCut ? part.prefix(part.count / 2) : part[...]))
        }
    }

    @Test func `a download that is cut continues where it ended`() throws {
        let server = server(cuts: 2)
        defer { server.stop() }
        #expect(try download(server) == Self.content.count)
        #expect(Files.read(path) == Self.content)
        #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=100000-", "bytes=150000-"])
        #expect(server.requests.last?.fields["if-range"] == "\"a\"")
    }

    @Test func `a redirect to another server is followed, also by an attempt that resumes`() throws {
        let bucket = server(cuts: 1)
        let front = TinyServer { _ in .response(302, ["Location": bucket.base + "/object?signature=x"]) }
        defer {
            bucket.stop()
            front.stop()
        }
        #expect(try download(front) == Self.content.count)
        #expect(Files.read(path) == Self.content)
        #expect(bucket.requests.map { $0.fields["range"] } == [nil, "bytes=100000-"])
        #expect(bucket.requests.allSatisfy { $0.path == "/object" && $0.query == "signature=x" })
    }

    @Test(arguments: ["/elsewhere", "ftp://127.0.0.1/x", "", "endless"])
    func `a redirect that leads nowhere, or one too many, is an error that names it`(location: String) throws {
        let server = TinyServer { request in
            .response(302, ["Location": location == "endless" ? "http://\(request.fields["host"] ?? "")/" : location])
        }
        defer { server.stop() }
        #expect { try download(server) } throws: {
            guard case ResumableDownload.Failure.redirected(let target) = $0 else { return false }
            return location == "endless" || target == location
        }
        #expect(server.requests.count == (location == "endless" ? ResumableDownload.maximumRedirects + 1 : 1))
    }

    @Test func `a later run continues where an earlier one stopped`() throws {
        let first = server(cuts: .max)
        #expect(throws: ResumableDownload.Failure.self) { try download(first) }
        #expect(first.requests.count == ResumableDownload.maximumAttempts)
        first.stop()
        let second = server()
        defer { second.stop() }
        let received = try download(second)
        #expect(received > 0 && received < Self.content.count / 2)
        #expect(Files.read(path) == Self.content)
    }

    @Test func `a file that changed on the server is downloaded from the beginning`() throws {
        Files.write([UInt8](repeating: 9, count: 1000), to: path)
        Files.write("\"old\"", to: path + ".etag")
        let server = server()
        defer { server.stop() }
        #expect(try download(server) == Self.content.count)
        #expect(server.requests.first?.fields["if-range"] == "\"old\"")
        #expect(Files.read(path) == Self.content)
    }

    @Test(arguments: [nil, "W/\"weak\""])
    func `a download without a strong ETag is not resumed`(etag: String?) throws {
        let server = server(cuts: 1, etag: etag)
        defer { server.stop() }
        #expect(try download(server) == Self.content.count + Self.content.count / 2)
        #expect(server.requests.map { $0.fields["range"] } == [nil, nil])
        #expect(Files.read(path) == Self.content)
    }

    @Test func `a range that the server refuses is not requested again`() throws {
        Files.write([UInt8](repeating: 9, count: 1000), to: path)
        Files.write("\"a\"", to: path + ".etag")
        let server = TinyServer { request in
            request.fields["range"] == nil ? .response(200, ["ETag": "\"b\""], Self.content) : .response(416)
        }
        defer { server.stop() }
        #expect(try download(server) == Self.content.count)
        #expect(Files.read(path) == Self.content)
    }

    @Test func `a response with a range other than the requested one is refused`() throws {
        Files.write([UInt8](repeating: 9, count: 1000), to: path)
        Files.write("\"a\"", to: path + ".etag")
        let server = TinyServer { _ in
            .response(206, ["Content-Range": "bytes 5-9/200000"], Array(Self.content.dropFirst(1000)))
        }
        defer { server.stop() }
        #expect(throws: ResumableDownload.Failure.self) { try download(server) }
        #expect(Files.read(path)?.count == 1000)
    }

    @Test func `a file that is complete is not requested`() throws {
        Files.write(Self.content, to: path)
        let server = server()
        defer { server.stop() }
        #expect(try download(server) == 0)
        #expect(server.requests.isEmpty)
    }

    @Test func `a file that is larger than announced is refused`() throws {
        let server = server()
        defer { server.stop() }
        let size = Self.content.count - 1
        #expect(throws: ResumableDownload.Failure.transport(.responseTooLarge(limit: size))) {
            try download(server, size: size)
        }
    }

    @Test func `a request that the server rejects is not retried`() throws {
        let server = TinyServer { _ in .response(404) }
        defer { server.stop() }
        #expect(throws: ResumableDownload.Failure.refused(status: 404)) { try download(server) }
        #expect(server.requests.count == 1)
        #expect(!Files.exists(path) || Files.read(path)?.isEmpty == true)
    }

    @Test func `a request to a busy server is retried`() throws {
        let isFirst = Mutex(true)
        let server = TinyServer { _ in
            let busy = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            return busy ? .response(503) : .response(200, ["ETag": "\"a\""], Self.content)
        }
        defer { server.stop() }
        #expect(try download(server) == Self.content.count)
        #expect(server.requests.count == 2)
    }
}

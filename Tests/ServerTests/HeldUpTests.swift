import HTTP
import Server
import Synchronization
import TestKit
import Testing

private let blobSize = 16 << 20

private func request(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
}

/// A poll that ends only at its deadline.
private final class LonePoll: Waiting {
    func begin(_ ticket: WaitTicket) -> Response? { nil }
    func expire() -> Response { Response(.noContent) }
    func didEnd() {}
}

/// A counter of open files and of their maximum.
private final class OpenFiles: Sendable {
    final class File: Sendable {
        let files: OpenFiles

        init(_ files: OpenFiles) {
            self.files = files
            files.change(by: 1)
        }

        deinit { files.change(by: -1) }
    }

    private let file: PatternFile
    private let size: Int
    private let counts = Mutex((open: 0, most: 0))

    init(size: Int) {
        file = PatternFile(zeroes: size)
        self.size = size
    }

    var open: Int { counts.withLock { $0.open } }
    var most: Int { counts.withLock { $0.most } }

    func region() -> FileRegion {
        FileRegion(descriptor: file.number, owner: File(self), offset: 0, count: size)
    }

    private func change(by difference: Int) {
        counts.withLock { counts in
            counts.open += difference
            counts.most = max(counts.most, counts.open)
        }
    }
}

/// Tests the deadlines of connections whose output was pending before.
struct HeldUpTests {
    /// Runs a server whose `/blob` exceeds the bytes that the kernel takes at once.
    private func run(
        _ change: (inout Deadlines) -> Void, maxConnections: Int = 1_000, while body: (TestServer) async throws -> Void
    ) async throws {
        var deadlines = Deadlines()
        change(&deadlines)
        let file = PatternFile(zeroes: blobSize)
        try await TestServer.run(
            deadlines: deadlines, maxConnections: maxConnections,
            { head in
                switch head.path {
                case "/blob": .respond(Response(.ok, body: .file(file.region(blobSize))))
                case "/wait": .wait(LonePoll(), upTo: .milliseconds(50))
                default: .prepared(PreparedResponse(.ok, fields: [:], body: Array("hello".utf8)))
                }
            }, while: body)
    }

    @Test func `a head that does not end behind a slow response gets 408`() async throws {
        try await run({ $0.head = .milliseconds(50) }) { server in
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send(request("/blob") + "GET /x HT")
            #expect(try client.receive().body.count == blobSize)
            #expect(try client.receive().status == 408)
            #expect(client.isEnded())
        }
    }

    @Test func `a wait behind a slow response ends with its time`() async throws {
        try await run({ _ in }) { server in
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send(request("/blob") + request("/wait") + request("/"))
            #expect(try client.receive().body.count == blobSize)
            #expect(try client.receive().status == 204)
            #expect(try client.receive().text == "hello")
        }
    }

    @Test func `a connection is idle once a slow response is sent, and not before`() async throws {
        try await run({ $0.keepAlive = .milliseconds(50) }) { server in
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send(request("/blob"))
            _ = try client.receiveHead()
            #expect(!client.hasEnded(within: 300))
            #expect(try client.take(blobSize).count == blobSize)
            #expect(client.isEnded())
        }
    }

    @Test func `an unread body times out behind a slow response`() async throws {
        try await run({ $0.bodyIdle = .milliseconds(50) }) { server in
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send(request("/blob", "Content-Length: 10\r\n") + "abc")
            #expect(try client.receive().body.count == blobSize)
            #expect(client.isEnded())
        }
    }

    @Test func `a peer that does not close after a slow last response is closed`() async throws {
        try await run({ $0.linger = .milliseconds(50) }, maxConnections: 1) { server in
            let lingering = try server.connect(receiveBuffer: 8 << 10)
            #expect(try lingering.get("/blob", "Connection: close\r\n").body.count == blobSize)
            #expect(try server.connect().get("/").status == 200)
        }
    }

    @Test func `a file that its reader does not take is cut off, whatever followed its request`() async throws {
        for behind in ["", "GET /x HT", request("/wait"), request("/")] {
            try await run({ $0.stalledWrite = .milliseconds(50) }, maxConnections: 1) { server in
                let stalled = try server.connect(receiveBuffer: 8 << 10)
                try stalled.send(request("/blob") + behind)
                #expect(try server.connect().get("/").status == 200)
            }
        }
    }

    @Test func `files are opened one after another as the peer takes them`() async throws {
        let count = 500
        let size = 64 << 10
        let files = OpenFiles(size: size)
        try await TestServer.run({ _ in .respond(Response(.ok, body: .file(files.region()))) }) { server in
            let client = try server.connect(receiveBuffer: 8 << 10)
            try client.send(String(repeating: request("/"), count: count))
            for _ in 0..<count { #expect(try client.receive().body.count == size) }
        }
        #expect(files.most == 1)
        #expect(files.open == 0)
    }
}

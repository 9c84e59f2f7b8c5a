import Glibc
import HTTP
import TestKit
import Testing

@testable import Server

private func hello(_ head: RequestHead) -> Disposition {
    .respond(Response(.ok, body: .bytes(Array("\(head.client)".utf8))))
}

struct EndpointTests {
    @Test(arguments: [
        ("127.0.0.1:80", "http://127.0.0.1:80"), ("https://[::1]:443", "https://[::1]:443"),
        ("unix:/run/l.sock", "http://unix:/run/l.sock"), ("https://unix:/l", "https://unix:/l"),
        ("systemd", "http://systemd"), ("https://systemd:tls", "https://systemd:tls"),
    ])
    func `an endpoint is read, with its scheme`(text: String, expected: String) throws {
        #expect(try Endpoint(parsing: text, isEncrypted: false).description == expected)
    }

    @Test(arguments: [
        "unix:", "unix:l.sock", "unix:/a\0b", "systemd:", "http://", "https://unix:x", "http://http://:80",
    ])
    func `any other text is not an endpoint`(text: String) {
        #expect(throws: ServerError.self) { try Endpoint(parsing: text, isEncrypted: false) }
    }

    @Test func `an endpoint without a scheme has the server's default`() throws {
        #expect(try Endpoint(parsing: "unix:/l", isEncrypted: true).isEncrypted)
        #expect(try !Endpoint(parsing: "http://unix:/l", isEncrypted: true).isEncrypted)
    }

    @Test(arguments: [
        ("https://127.0.0.1:1", KernelTLS.present, Sealing.kernel), ("https://127.0.0.1:1", .absent, .openssl),
        ("http://127.0.0.1:1", .present, .none), ("https://unix:/l", .present, .openssl),
    ])
    func `the kernel encrypts only for addresses with TLS, if it can`(
        text: String, kernelTLS: KernelTLS, sealing: Sealing
    ) throws {
        #expect(try kernelTLS.sealing(at: Endpoint(parsing: text, isEncrypted: false)) == sealing)
    }

    @Test func `the path of a Unix socket has at most 107 bytes`() throws {
        let longest = "unix:/" + String(repeating: "a", count: 106)
        #expect(throws: Never.self) { try Endpoint(parsing: longest, isEncrypted: false) }
        #expect(throws: ServerError.self) { try Endpoint(parsing: longest + "a", isEncrypted: false) }
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct UnixSocketTests {
    private var path: String { "\(ScratchDirectory.path)/l.sock" }
    private var endpoint: Endpoint { Endpoint(.unix(path: path)) }

    private var mode: mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    private func makeServer() -> HTTPServer { HTTPServer(endpoints: [endpoint], report: { _ in }) }

    private var isInUse: ServerError { .system(call: "bind", subject: "unix:\(path)", code: EADDRINUSE) }

    @Test func `a unix socket is served, to its owner and group, and goes with the server`() async throws {
        try await TestServer.run(at: [endpoint], hello) { (_) async throws in
            #expect(try RawClient(unixPath: path).get("/").text == "unix")
            #expect(mode == S_IFSOCK | 0o660)
        }
        #expect(mode == nil)
    }

    @Test func `a longest path is served`() async throws {
        let folder = ScratchDirectory.path + "/"
        let path = folder + String(repeating: "a", count: 107 - folder.utf8.count)
        try await TestServer.run(at: [Endpoint(.unix(path: path))], hello) { (_) async throws in
            #expect(try RawClient(unixPath: path).get("/").status == 200)
        }
    }

    @Test func `a socket left by an ended process is replaced`() async throws {
        do { _ = ListeningSocket(unixPath: path) }
        #expect(mode != nil)
        try await TestServer.run(at: [endpoint], hello) { (_) async throws in
            #expect(try RawClient(unixPath: path).get("/").status == 200)
        }
    }

    @Test func `a socket with a listener is in use, and stays`() throws {
        let other = ListeningSocket(unixPath: path)
        #expect(throws: isInUse) { try makeServer().bind() }
        #expect(throws: Never.self) { try RawClient(unixPath: path) }
        withExtendedLifetime(other) {}
    }

    @Test func `a bound socket that does not listen yet is in use, and stays`() throws {
        let other = ListeningSocket(boundTo: path)
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        #expect(throws: isInUse) {
            try UnixSocketFile(binding: number, to: path, pause: { listen(other.number, 1) })
        }
        #expect(throws: Never.self) { try RawClient(unixPath: path) }
        // A socket that another process creates there meanwhile is not replaced either.
        unlink(path)
        let left = ListeningSocket(boundTo: path)
        #expect(throws: isInUse) {
            try UnixSocketFile(binding: number, to: path) {
                unlink(path)
                withExtendedLifetime(ListeningSocket(boundTo: path)) {}
            }
        }
        #expect(mode != nil)
        withExtendedLifetime((other, left)) {}
    }

    @Test func `a file that is not a socket is not replaced`() throws {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        close(file)
        #expect(throws: isInUse) { try makeServer().bind() }
        #expect(mode == S_IFREG | 0o600)
    }

    @Test func `a socket that another process put at the path is left`() throws {
        var server: HTTPServer? = makeServer()
        _ = try server?.bind()
        unlink(path)
        let other = ListeningSocket(unixPath: path)
        server = nil
        #expect(mode != nil)
        withExtendedLifetime(other) {}
    }
}

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct HandedSocketsTests {
    /// Passes copies on, because the starting process keeps its own sockets.
    private func hand(_ sockets: (name: String, number: Int32)...) -> HandedSockets {
        HandedSockets(sockets.map { HandedSockets.Entry(number: dup($0.number), name: $0.name) })
    }

    private func bind(_ texts: String..., handedOver: HandedSockets) throws -> [Endpoint] {
        let endpoints = try texts.map { try Endpoint(parsing: $0, isEncrypted: false) }
        return try HTTPServer(endpoints: endpoints, handedOver: handedOver, report: { _ in }).bind()
    }

    @Test func `a socket that was handed over is served, with the connections that waited before`() async throws {
        let socket = ListeningSocket()
        let early = try RawClient(port: socket.port)
        try early.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        let handed = hand(("web", socket.number))
        try await TestServer.run(at: [Endpoint(.handedOver(name: "web"))], handedOver: handed, hello) {
            (server) async throws in
            #expect(server.port == socket.port)
            #expect(try early.receive().text == "127.0.0.1")
            #expect(try server.connect().get("/").status == 200)
        }
        // The test's own socket still listens.
        #expect(throws: Never.self) { try RawClient(port: socket.port) }
    }

    @Test func `the file of a unix socket that was handed over stays`() async throws {
        let path = "\(ScratchDirectory.path)/l.sock"
        let socket = ListeningSocket(unixPath: path)
        let handed = hand(("web", socket.number))
        try await TestServer.run(at: [Endpoint(.handedOver(name: nil))], handedOver: handed, hello) {
            (_) async throws in
            #expect(try RawClient(unixPath: path).get("/").text == "unix")
        }
        #expect(access(path, F_OK) == 0)
    }

    @Test func `names select sockets, and every socket must be selected`() throws {
        let (one, two) = (ListeningSocket(), ListeningSocket())
        let sockets = { hand(("a", one.number), ("b", two.number)) }
        let ports = try bind("systemd:b", "systemd:a", handedOver: sockets()).map { $0.address?.port }
        #expect(ports == [two.port, one.port])
        #expect(try bind("systemd", handedOver: sockets()).count == 2)
        #expect(throws: ServerError.handedOver("--listen does not name 'b'")) {
            try bind("systemd:a", handedOver: sockets())
        }
        #expect(throws: ServerError.handedOver("--listen does not name 'a'")) {
            try bind("127.0.0.1:0", handedOver: sockets())
        }
        #expect(throws: ServerError.handedOver("there is no unused socket named 'c'")) {
            try bind("systemd:c", handedOver: sockets())
        }
        #expect(throws: ServerError.handedOver("there is no unused socket")) {
            try bind("systemd", "systemd", handedOver: sockets())
        }
    }

    @Test func `a socket that is not a listening stream socket is refused`() throws {
        let datagram = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let unbound = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(datagram)
            close(unbound)
        }
        for number in [datagram, unbound] {
            #expect(throws: ServerError.handedOver("'x' is not a listening stream socket")) {
                try bind("systemd", handedOver: hand(("x", number)))
            }
        }
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(throws: ServerError.system(call: "getsockopt", subject: "socket x", code: ENOTSOCK)) {
            try bind("systemd", handedOver: hand(("x", file)))
        }
    }

    @Test(arguments: [
        ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"], ["LISTEN_PID": "\(getpid())"],
        ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"], ["LISTEN_PID": "+\(getpid())", "LISTEN_FDS": "1"],
    ])
    func `sockets for another process are ignored`(environment: [String: String]) throws {
        let sockets = try HandedSockets(environment: environment)
        #expect(throws: ServerError.self) { try bind("systemd", handedOver: sockets) }
        #expect(throws: Never.self) { try bind("127.0.0.1:0", handedOver: sockets) }
    }

    @Test(arguments: [("x", nil), ("-1", nil), ("1001", nil), ("2", "a"), ("1", "a:b")] as [(String, String?)])
    func `an invalid count, or one that differs from the number of names, is an error`(count: String, names: String?) {
        var environment = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": count]
        environment["LISTEN_FDNAMES"] = names
        #expect(throws: ServerError.self) { try HandedSockets(environment: environment) }
    }
}

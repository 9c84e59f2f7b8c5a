import FoundationEssentials
import Glibc
import HTTP
import TLS
import TestKit
import Testing

@testable import Server

/// A test that has to pass with and without TLS.
struct Behavior: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable () async throws -> Void

    init(_ description: String, _ run: @escaping @Sendable () async throws -> Void) {
        testDescription = description
        self.run = run
    }
}

private func hello(_ head: RequestHead) -> Disposition {
    .prepared(PreparedResponse(.ok, fields: [:], body: Array("hello".utf8)))
}

@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(2)))
struct EncryptedTests {
    static let behaviours = [
        Behavior("large files") {
            try await SendingTests().`a large file arrives intact, also to several slow readers`()
        },
        Behavior("ranges") { try await SendingTests().`ranges of a file are served on one connection`() },
        Behavior("streams") {
            try await SendingTests().`a streamed response is chunked, or has its length, or ends with the connection`()
        },
        Behavior("back-pressure") {
            try await SendingTests().`a streamed response does not run ahead of its reader`()
        },
        Behavior("open responses") {
            try await FeedTests().`an open response sends each piece at once, and its connection continues`()
        },
        Behavior("long polls") {
            try await WaitingTests().`a parked request gets one response, and its connection continues`()
        },
    ]

    @Test(arguments: behaviours) func `behaviour without TLS is the same with TLS`(behaviour: Behavior) async throws {
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await behaviour.run()
        }
    }

    /// The kernel of the test machine may not support TLS, which shows only after the handshake.
    @Test(arguments: behaviours)
    func `behaviour with OpenSSL sealing is the same with kernel TLS requested`(behaviour: Behavior) async throws {
        try await TestServer.$kernelTLS.withValue(.present) {
            try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
                try await behaviour.run()
            }
        }
    }

    @Test func `kernel TLS is used if the kernel reports it`() {
        let found = KernelTLS.probe()
        let listed = (try? String(contentsOfFile: "/proc/sys/net/ipv4/tcp_available_ulp", encoding: .utf8)) ?? ""
        #expect((found == .present) == listed.split(whereSeparator: \.isWhitespace).contains("tls"))
    }

    @Test(arguments: [KernelTLS.absent, .present])
    func `a session is resumed, with OpenSSL or the kernel sealing`(kernelTLS: KernelTLS) async throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        try await TestServer.$kernelTLS.withValue(kernelTLS) {
            try await TestServer.run(certificates: try TLSCertificates([files]), hello) { server in
                for (version, resumed) in [("tls1_2", 1), ("tls1_3", 2)] {
                    let session = "\(ScratchDirectory.path)/session-\(version)"
                    for option in ["-sess_out", "-sess_in"] {
                        let command =
                            "printf 'GET / HTTP/1.1\\r\\nHost: h\\r\\nConnection: close\\r\\n\\r\\n' | openssl s_client -ign_eof "
                            + "-connect 127.0.0.1:\(server.port) -\(version) \(option) '\(session)' 2>/dev/null | grep -q hello"
                        #expect(system(command) == 0, "\(version) \(option)")
                    }
                    #expect(await server.server.traffic().resumptions == UInt64(resumed))
                }
            }
        }
    }

    @Test func `clients may use X25519, P-256 and P-384 and no finite-field group`() async throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        try await TestServer.run(certificates: try TLSCertificates([files]), hello) { server in
            let connect = "openssl s_client -connect 127.0.0.1:\(server.port) -tls1_3 </dev/null >/dev/null 2>&1"
            for group in ["X25519", "P-256", "P-384"] {
                #expect(system("\(connect) -groups \(group)") == 0, "\(group)")
            }
            let accepted = await server.server.traffic().handshakes
            #expect(accepted == 3)
            for group in ["ffdhe2048", "ffdhe8192"] {
                #expect(system("\(connect) -groups \(group)") != 0, "\(group)")
            }
            #expect(await server.server.traffic().handshakes == accepted)
        }
    }

    @Test(arguments: [
        (["AES128-GCM-SHA256", "AES256-GCM-SHA384"], "AES256-GCM-SHA384"),
        (["AES256-GCM-SHA384", "CHACHA20-POLY1305"], "AES256-GCM-SHA384"),
        (["CHACHA20-POLY1305", "AES256-GCM-SHA384"], "CHACHA20-POLY1305"),
    ])
    func `the server chooses the cipher, unless the client puts ChaCha20 first`(
        offered: [String], chosen: String
    ) async throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        try await TestServer.run(certificates: try TLSCertificates([files]), hello) { server in
            let ciphers = offered.map { "ECDHE-ECDSA-\($0)" }.joined(separator: ":")
            let command =
                "openssl s_client -connect 127.0.0.1:\(server.port) -tls1_2 -cipher '\(ciphers)' </dev/null 2>/dev/null "
                + "| grep -q 'Cipher is ECDHE-ECDSA-\(chosen)'"
            #expect(system(command) == 0)
        }
    }

    @Test func `responses over TLS, and only those, carry Strict-Transport-Security`() async throws {
        func expectField() async throws {
            try await TestServer.run({ head in
                head.path == "/made" ? .respond(Response(.ok, body: .bytes(Array("made".utf8)))) : hello(head)
            }) { server in
                let isSecure = TestServer.certificate != nil
                let expected = isSecure ? "max-age=31536000" : nil
                for path in ["/", "/made"] {
                    let client = try server.connect()
                    for option in ["", "Connection: close\r\n"] {
                        try client.send(
                            "GET \(path) HTTP/1.1\r\nHost: h\r\nX-Forwarded-Proto: https\r\n\(option)\r\n")
                        let field = try client.receive().fields["strict-transport-security"]
                        #expect(field == expected, "\(path) \(option)")
                    }
                }
                let broken = try server.connect()
                try broken.send("nonsense\r\n\r\n")
                #expect(try broken.receive().fields["strict-transport-security"] == expected)
            }
        }
        try await expectField()
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await expectField()
        }
    }

    @Test func `an end that the kernel has no room for waits until it has`() throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        let still = try StillLoop(certificates: try TLSCertificates([files]), hello)
        let go = {
            still.awaitInput()
            still.go()
        }
        try still.client.startTLS(TLSTrust(authorities: files.certificate), proceed: go)
        let filled = still.connection.fillSocket()
        #expect(filled > 0)
        still.connection.finishSending()
        #expect(still.connection.phase == .closing)
        let taken = still.client.takeWhatIsThere()
        still.go()
        #expect(still.connection.phase == .lingering)
        // An alert record: a head of five bytes, two bytes of content and the overhead of encryption.
        #expect(taken + still.client.takeWhatIsThere() > filled)
    }

    @Test func `requests sent ahead are answered in order, and a long body is echoed`() async throws {
        let body = PatternFile.bytes(0..<3_000_000)
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await TestServer.run({ _ in
                .handle(bodyLimit: 4 << 20) { request in
                    let body = try? await request.body.collect(upTo: 4 << 20)
                    return Response(.ok, body: .bytes(body ?? []))
                }
            }) { server in
                let client = try server.connect()
                try client.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nabGET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.receive().text == "ab")
                #expect(try client.receive().text.isEmpty)
                try client.send(Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n".utf8) + body)
                // Outside of the macro, which would search for the smallest difference of megabytes.
                let isWhole = try client.receive().body == body
                #expect(isWhole)
            }
        }
    }

    @Test func `a handshake that does not come to its end ends the connection, however it dribbles`() async throws {
        var deadlines = Deadlines()
        deadlines.handshake = .milliseconds(600)
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        try await TestServer.run(deadlines: deadlines, certificates: try TLSCertificates([files]), hello) { server in
            let silent = try RawClient(port: server.port)
            let dribbling = try RawClient(port: server.port)
            // A handshake record of 16 KiB, one byte per pause: all pauses exceed the deadline many times.
            let record: [UInt8] = [0x16, 0x03, 0x01, 0x40, 0x00] + [UInt8](repeating: 0x01, count: 100)
            var sent = 0
            while sent < record.count, !dribbling.hasInput(within: 60) {
                try dribbling.send(record[sent...sent])
                sent += 1
            }
            #expect(sent > 1 && sent < record.count)
            #expect(dribbling.isEnded())
            #expect(silent.isEnded())
        }
    }

    @Test func `a peer without TLS gets no response, and affects no other connection`() async throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        try await TestServer.$certificate.withValue(files) {
            try await TestServer.run(hello) { server in
                let client = try server.connect()
                let plain = try RawClient(port: server.port)
                try plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(!(String(decoding: try plain.takeAll(), as: UTF8.self).contains("HTTP/1.1")))
                #expect(try client.get("/").text == "hello")
                let traffic = await server.server.traffic()
                #expect(traffic.handshakes == 1)
                #expect(traffic.failedHandshakes == 1)
            }
        }
    }

    @Test func `bytes that were changed on their way end the connection`() async throws {
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await TestServer.run(hello) { server in
                let client = try server.connect()
                #expect(try client.get("/").status == 200)
                // A record that was not encrypted.
                try client.sendPlain([0x17, 0x03, 0x03, 0x00, 0x20] + [UInt8](repeating: 7, count: 32))
                let failure = #expect(throws: RawClient.Failure.self) { try client.receive() }
                #expect(failure != .timedOut)
            }
        }
    }

    @Test func `a handshake with endless empty messages ends`() async throws {
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await TestServer.run(hello) { server in
                let client = try RawClient(port: server.port)
                // Empty compatibility records, which TLS 1.3 ignores in a handshake.
                let nothing: [UInt8] = [0x14, 0x03, 0x03, 0x00, 0x01, 0x01]
                #expect(client.sendWhatIsTaken(of: nothing, 8 << 20) < 8 << 20)
                let next = try server.connect()
                #expect(try next.get("/").status == 200)
            }
        }
    }

    @Test func `a connection ends with a close notification, whichever side ends it`() async throws {
        let ended = RawClient.Failure.ended
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await TestServer.run(hello) { server in
                let served = try server.connect()
                #expect(try served.get("/", "Connection: close\r\n").status == 200)
                #expect(throws: ended) { try served.receive() }
                let finished = try server.connect()
                try finished.finishSecurely()
                #expect(throws: ended) { try finished.receive() }
                let halfClosed = try server.connect()
                try halfClosed.finishSecurely(after: "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try halfClosed.receive().text == "hello")
                #expect(throws: ended) { try halfClosed.receive() }
                let idle = try server.connect()
                #expect(try idle.get("/").status == 200)
                server.server.drain()
                #expect(throws: ended) { try idle.receive() }
            }
            var deadlines = Deadlines()
            deadlines.keepAlive = .milliseconds(50)
            try await TestServer.run(deadlines: deadlines, hello) { server in
                let idle = try server.connect()
                #expect(throws: ended) { try idle.receive() }
            }
        }
    }

    @Test func `a response that breaks off ends without a close notification`() async throws {
        let file = PatternFile(size: 100)
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await TestServer.run({ _ in .respond(Response(.ok, body: .file(file.region(200)))) }) { server in
                let client = try server.connect()
                #expect(throws: RawClient.Failure.cut) { try client.get("/") }
            }
        }
    }

    @Test(arguments: [false, true])
    func `bytes that make no request do not put off the end of an idle connection`(isDraining: Bool) async throws {
        var deadlines = Deadlines()
        deadlines.keepAlive = isDraining ? .seconds(600) : .milliseconds(150)
        deadlines.drainGreeting = .milliseconds(150)
        deadlines.drain = .seconds(600)
        try await TestServer.$certificate.withValue(TestCertificate.make(names: ["IP:127.0.0.1"])) {
            try await TestServer.run(deadlines: deadlines, hello) { server in
                let client = try server.connect()
                if isDraining { server.server.drain() }
                // A record of 16 KiB, one byte per pause: all pauses exceed the deadline many times.
                let record: [UInt8] = [0x17, 0x03, 0x03, 0x40, 0x00] + [UInt8](repeating: 0x01, count: 100)
                var sent = 0
                while sent < record.count, !client.hasEnded(within: 60) {
                    try client.sendPlain([record[sent]])
                    sent += 1
                }
                #expect(sent < record.count)
            }
        }
    }

    @Test func `replaced certificates apply to new connections, and existing ones continue`() async throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        let certificates = try TLSCertificates([files])
        try await TestServer.run(certificates: certificates, hello) { server in
            let old = try RawClient(port: server.port)
            try old.startTLS(TLSTrust(authorities: files.certificate))
            let before = try TLSTrust(authorities: files.certificate)
            try TestCertificate.replace(files, with: TestCertificate.make(names: ["IP:127.0.0.1"]))
            try certificates.reload()
            #expect(try old.get("/").text == "hello")
            #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port).startTLS(before) }
            let new = try RawClient(port: server.port)
            try new.startTLS(TLSTrust(authorities: files.certificate))
            #expect(try new.get("/").text == "hello")
        }
    }
}

extension Connection {
    /// Sends arbitrary bytes until the kernel takes no more; returns their number.
    fileprivate func fillSocket() -> Int {
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        var total = 0
        while case .moved(let count) = piece.withUnsafeBytes({ socket.send($0, more: false) }) { total += count }
        return total
    }
}

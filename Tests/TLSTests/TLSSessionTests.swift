import FoundationEssentials
import Glibc
import TLS
import TestKit
import Testing

/// The two ends of a session without a socket between them.
private struct Ends {
    let server: TLSSession
    let client: TLSSession
    let serverPipe = TLSPipe()
    let clientPipe = TLSPipe()

    init(_ certificates: TLSCertificates, _ trust: TLSTrust, host: String) throws {
        server = try certificates.begin(through: serverPipe)
        client = try trust.begin(with: host, through: clientPipe)
    }

    /// Passes encrypted bytes in both directions in pieces until both ends are done, or one fails.
    func shakeHands(in size: Int = TLSSession.sealedBytes) -> TLSSession.Opened {
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        var toClient: [UInt8] = []
        while true {
            for start in stride(from: 0, to: max(toClient.count, 1), by: size) {
                let opened = Self.open(
                    toClient[min(start, toClient.count)..<min(start + size, toClient.count)], with: client, &plain)
                guard case .bytes = opened else { return opened }
            }
            toClient = []
            let toServer = clientPipe.take()
            guard !toServer.isEmpty else { return .bytes(0) }
            for start in stride(from: 0, to: toServer.count, by: size) {
                let opened = Self.open(toServer[start..<min(start + size, toServer.count)], with: server, &plain)
                toClient += serverPipe.take()
                guard case .bytes = opened else { return opened }
            }
        }
    }

    static func open(
        _ sealed: ArraySlice<UInt8>, with session: TLSSession, _ plain: inout [UInt8]
    ) -> TLSSession.Opened {
        sealed.withUnsafeBytes { sealed in plain.withUnsafeMutableBytes { session.open(sealed, into: $0) } }
    }
}

extension TLSPipe {
    fileprivate func take() -> [UInt8] {
        defer { clear() }
        return Array(outgoing)
    }
}

@Suite(.scratchDirectory, .ownThread)
struct TLSSessionTests {
    @Test func `the end of the certificate that ends first is known`() throws {
        let files = try TestCertificate.make(names: ["DNS:app.example"])
        let certificates = try TLSCertificates([files, TestCertificate.make(names: ["DNS:other.example"])])
        // The certificates are valid for two days.
        let seconds = try #require(certificates.end) - Int64(time(nil))
        #expect(abs(seconds - 2 * 86_400) < 600)
    }

    @Test(arguments: [1, 7, 16_384, TLSSession.sealedBytes])
    func `a handshake comes to an end however its bytes are cut`(size: Int) throws {
        let files = try TestCertificate.make(names: ["DNS:app.example"])
        let ends = try Ends(
            TLSCertificates([files]), TLSTrust(authorities: files.certificate), host: "app.example")
        #expect(ends.shakeHands(in: size) == .bytes(0))
        #expect(ends.server.isEstablished && ends.client.isEstablished)
    }

    @Test func `bytes sealed at one end are opened at the other, up to a whole pipe`() throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        let ends = try Ends(TLSCertificates([files]), TLSTrust(authorities: files.certificate), host: "127.0.0.1")
        #expect(ends.shakeHands() == .bytes(0))
        let text = (0..<TLSPipe.sealableBytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(text.withUnsafeBytes { ends.server.seal($0) })
        let sealed = ends.serverPipe.take()
        #expect(sealed.count > text.count)
        var opened: [UInt8] = []
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        for start in stride(from: 0, to: sealed.count, by: TLSSession.sealedBytes) {
            let piece = sealed[start..<min(start + TLSSession.sealedBytes, sealed.count)]
            guard case .bytes(let count) = Ends.open(piece, with: ends.client, &plain) else {
                Issue.record("the piece at \(start) does not open")
                return
            }
            opened += plain[..<count]
        }
        #expect(opened == text)
    }

    @Test func `the indicated name chooses the certificate, and the first is for all others`() throws {
        let first = try TestCertificate.make(names: ["DNS:one.example", "IP:127.0.0.1"])
        let second = try TestCertificate.make(names: ["DNS:*.two.example"])
        let certificates = try TLSCertificates([first, second])
        for (host, files) in [("one.example", first), ("a.two.example", second), ("127.0.0.1", first)] {
            let ends = try Ends(certificates, TLSTrust(authorities: files.certificate), host: host)
            #expect(ends.shakeHands() == .bytes(0), "\(host)")
        }
        let stranger = try Ends(certificates, TLSTrust(authorities: second.certificate), host: "b.example")
        #expect(stranger.shakeHands() == .failed(reason: "certificate verify failed"))
    }

    @Test func `replaced files are used from the next session on, and unusable ones are not`() throws {
        let files = try TestCertificate.make(names: ["DNS:app.example"])
        let certificates = try TLSCertificates([files])
        #expect(try !certificates.reloadIfDue())
        let old = try Ends(certificates, TLSTrust(authorities: files.certificate), host: "app.example")

        let other = try TestCertificate.make(names: ["DNS:app.example"])
        try TestCertificate.replace(files, with: other)
        #expect(try certificates.reloadIfDue())
        #expect(old.shakeHands() == .bytes(0))
        let new = try Ends(certificates, TLSTrust(authorities: other.certificate), host: "app.example")
        #expect(new.shakeHands() == .bytes(0))

        try "nonsense".write(toFile: files.certificate, atomically: true, encoding: .utf8)
        #expect(throws: TLSError.self) { try certificates.reloadIfDue() }
        let still = try Ends(certificates, TLSTrust(authorities: other.certificate), host: "app.example")
        #expect(still.shakeHands() == .bytes(0))
    }

    @Test func `the keys of tickets change after a lifetime`() throws {
        let certificates = try TLSCertificates([TestCertificate.make(names: ["DNS:app.example"])])
        let now = ContinuousClock.now
        #expect(try !certificates.reloadIfDue(at: now + TLSCertificates.lifetime - .seconds(60)))
        #expect(try certificates.reloadIfDue(at: now + TLSCertificates.lifetime + .seconds(60)))
    }

    @Test func `a key that is not the certificate's is named`() throws {
        let files = try TestCertificate.make(names: ["DNS:a.example"])
        let other = try TestCertificate.make(names: ["DNS:a.example"])
        #expect(throws: TLSError.mismatch(certificate: files.certificate, key: other.key)) {
            try TLSCertificates([TLSCertificateFiles(certificate: files.certificate, key: other.key)])
        }
        #expect(throws: TLSError.self) {
            try TLSCertificates([TLSCertificateFiles(certificate: files.certificate, key: files.certificate)])
        }
        #expect(throws: TLSError.self) {
            try TLSCertificates([TLSCertificateFiles(certificate: "\(ScratchDirectory.path)/none", key: files.key)])
        }
    }

    @Test func `an encrypted key is refused without a prompt for its pass phrase`() throws {
        let files = try TestCertificate.make(names: ["DNS:a.example"])
        let encrypted = "\(ScratchDirectory.path)/encrypted.key"
        #expect(system("openssl pkey -in '\(files.key)' -aes128 -passout pass:secret -out '\(encrypted)'") == 0)
        #expect(throws: TLSError.self) {
            try TLSCertificates([TLSCertificateFiles(certificate: files.certificate, key: encrypted)])
        }
    }

    @Test func `an end that arrives with the last bytes is reported by the next call`() throws {
        let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
        let ends = try Ends(TLSCertificates([files]), TLSTrust(authorities: files.certificate), host: "127.0.0.1")
        #expect(ends.shakeHands() == .bytes(0))
        #expect("last".utf8.withContiguousStorageIfAvailable { ends.server.seal(UnsafeRawBufferPointer($0)) } == true)
        ends.server.finish()
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        #expect(Ends.open(ends.serverPipe.take()[...], with: ends.client, &plain) == .bytes(4))
        #expect(Ends.open([], with: ends.client, &plain) == .ended)
    }

    @Test func `bytes that are not TLS fail at once`() throws {
        let certificates = try TLSCertificates([TestCertificate.make(names: ["DNS:app.example"])])
        let pipe = TLSPipe()
        let session = try certificates.begin(through: pipe)
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        let opened = Ends.open(Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)[...], with: session, &plain)
        #expect(opened == .failed(reason: "http request"))
    }

    @Test(arguments: [[], (0..<2_000).map { "DNS:host-\($0).example" }])
    func `a handshake over a socket ends with OpenSSL sealing, where the kernel does not or the socket is full`(
        names: [String]
    ) throws {
        let files = try TestCertificate.make(names: ["DNS:app.example"] + names)
        let link = Link(sendBuffer: names.isEmpty ? 1 << 20 : 1)
        let (serverPipe, clientPipe) = (TLSPipe(), TLSPipe())
        let server = try TLSCertificates([files]).begin(through: serverPipe, sealingIn: link.server)
        let client = try TLSTrust(authorities: files.certificate).begin(with: "app.example", through: clientPipe)
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        var hasOverflowed = false
        #expect(Ends.open([], with: client, &plain) == .bytes(0))
        while !client.isEstablished || !server.isEstablished {
            #expect(Ends.open(clientPipe.take()[...], with: server, &plain) == .bytes(0))
            let direct = link.receive()
            let rest = serverPipe.take()
            hasOverflowed = hasOverflowed || !rest.isEmpty
            let response = direct + rest
            try #require(!response.isEmpty || server.isEstablished)
            for start in stride(from: 0, to: response.count, by: TLSSession.sealedBytes) {
                let piece = response[start..<min(start + TLSSession.sealedBytes, response.count)]
                #expect(Ends.open(piece, with: client, &plain) == .bytes(0))
            }
        }
        #expect(hasOverflowed == !names.isEmpty)
        #expect(server.kernelSeal == nil)
        #expect("last".utf8.withContiguousStorageIfAvailable { server.seal(UnsafeRawBufferPointer($0)) } == true)
        server.finish()
        let left = link.receive()
        #expect(left.isEmpty)
        #expect(Ends.open(serverPipe.take()[...], with: client, &plain) == .bytes(4))
        #expect(Ends.open([], with: client, &plain) == .ended)
    }

    @Test func `a session that has left its socket writes no bytes to it`() throws {
        let certificates = try TLSCertificates([TestCertificate.make(names: ["DNS:app.example"])])
        let link = Link(sendBuffer: 1 << 20)
        let pipe = TLSPipe()
        let session = try certificates.begin(through: pipe, sealingIn: link.server)
        session.leaveSocket()
        #expect("last".utf8.withContiguousStorageIfAvailable { session.seal(UnsafeRawBufferPointer($0)) } == false)
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        // A ClientHello of TLS 1.1, to which the server responds with an alert.
        let hello: [UInt8] = [0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]
        #expect(Ends.open(hello[...], with: session, &plain) != .bytes(0))
        let sent = link.receive()
        #expect(sent.isEmpty)
        let alert = pipe.take()
        #expect(!alert.isEmpty)
    }
}

/// Two connected sockets, of which the server's is non-blocking.
private final class Link {
    let server: Int32
    private let client: Int32

    init(sendBuffer: Int32) {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        (server, client) = (ends[0], ends[1])
        var size = sendBuffer
        setsockopt(server, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(server)
        close(client)
    }

    /// Returns the bytes that the server has sent.
    func receive() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(client, &piece, piece.count, 0)
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }
}

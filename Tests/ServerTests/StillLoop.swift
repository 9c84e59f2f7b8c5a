import Glibc
import HTTP
import TLS
import TestKit

@testable import Server

/// An event loop with one connection, whose iterations the test runs.
struct StillLoop {
    let loop: EventLoop
    let connection: Connection
    let client: RawClient

    init(
        deadlines: Deadlines = Deadlines(), accessLog: (any AccessLog)? = nil, certificates: TLSCertificates? = nil,
        _ decide: @escaping @Sendable (RequestHead) -> Disposition
    ) throws {
        let settings = Settings(
            limits: Limits(), deadlines: deadlines, certificates: certificates, proxies: TrustedProxies(),
            accessLog: accessLog, report: { _ in })
        let census = Census(limit: 1, limitPerAddress: 1, proxies: TrustedProxies())
        loop = try EventLoop(
            settings: settings, application: FunctionApplication(decide), census: census, front: nil)
        let listener = try Listener(try ListenAddress(parsing: "127.0.0.1:0"), isEncrypted: false)
        client = try RawClient(port: listener.endpoint.address?.port ?? 0)
        var wait = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, 10_000)
        let (outcome, peer) = listener.accept()
        guard case .moved(let number) = outcome, census.enter(), census.admit(peer) else {
            throw RawClient.Failure.ended
        }
        loop.adopt(Socket(owning: Int32(number)), from: peer, certificates == nil ? .none : .openssl)
        connection = loop.table.all[0]
    }

    /// Waits until the connection has input.
    func awaitInput() {
        var wait = pollfd(fd: connection.socket.number, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, 10_000)
    }

    /// Runs one iteration for the connection after the client has sent or taken bytes.
    func go() {
        connection.receive([.readable, .writable])
        let queued = loop.unfinished
        loop.unfinished = []
        for slot in queued { loop.table[slot]?.goOnNow() }
    }
}

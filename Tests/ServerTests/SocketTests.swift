import Glibc
import HTTP
import TestKit
import Testing

@testable import Server

@Suite(.ownThread, .timeLimit(.minutes(1)))
struct SocketTests {
    @Test func `no bytes are in flight to a peer that has reset the connection`() throws {
        let listener = try Listener(try ListenAddress(parsing: "127.0.0.1:0"), isEncrypted: false)
        var client: RawClient? = try RawClient(port: listener.endpoint.address?.port ?? 0)
        var wait = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, 10_000)
        guard case (.moved(let number), _) = listener.accept() else { throw RawClient.Failure.ended }
        let socket = Socket(owning: Int32(number))
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        while case .moved = piece.withUnsafeBytes({ socket.send($0, more: false) }) {}
        let wasInFlight = socket.isInFlight
        #expect(wasInFlight)
        // Closing a client with unread bytes resets the connection.
        withExtendedLifetime(client) {}
        client = nil
        wait = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, 10_000)
        let (unacknowledged, isInFlight) = (socket.unacknowledged, socket.isInFlight)
        #expect(unacknowledged > 0)
        #expect(!isInFlight)
    }
}

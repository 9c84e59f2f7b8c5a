import CLinux
import Glibc
import HTTP

/// A listening socket.
final class Listener: Sendable {
    /// The endpoint, with the port that the system chose if it was zero.
    let endpoint: Endpoint
    private let descriptor: Descriptor
    /// The socket's file, removed with the listener.
    private let file: UnixSocketFile?

    init(_ endpoint: Endpoint, _ descriptor: consuming Descriptor, _ file: UnixSocketFile? = nil) {
        self.endpoint = endpoint
        self.descriptor = descriptor
        self.file = file
    }

    deinit { file?.remove() }

    /// Creates the listeners of an endpoint; the parent process may have passed several sockets for one.
    static func all(
        at endpoint: Endpoint, handedOver sockets: inout HandedSockets
    ) throws(ServerError) -> [Listener] {
        switch endpoint.place {
        case .address(let address): return [try Listener(address, isEncrypted: endpoint.isEncrypted)]
        case .unix(let path): return [try Listener(unix: path, isEncrypted: endpoint.isEncrypted)]
        case .handedOver(let name):
            var listeners: [Listener] = []
            for entry in try sockets.take(name) {
                listeners.append(try Listener(takingOver: entry, isEncrypted: endpoint.isEncrypted))
            }
            return listeners
        }
    }

    var number: Int32 { descriptor.number }

    /// Accepts the next queued connection and returns its peer's address.
    func accept() -> (Transfer, PeerAddress) {
        var family: Int32 = 0
        var bytes = [UInt8](repeating: 0, count: 16)
        let outcome = SystemCall.retrying { Int(clinux_accept(descriptor.number, &family, &bytes)) }
        let number = { (part: Range<Int>) in bytes[part].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        let peer: PeerAddress =
            switch family {
            case AF_INET: PeerAddress(ipv4: UInt32(number(0..<4)))
            case AF_INET6: PeerAddress(ipv6: number(0..<8), number(8..<16))
            case AF_UNIX: .local
            default: .unknown
            }
        return (Transfer(outcome), peer)
    }
}

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
        switch endpoint.location {
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

/// Opening.
extension Listener {
    /// The maximum number of connections that wait to be accepted.
    private static let backlog: Int32 = 4_096

    /// Binds and listens.
    ///
    /// An empty host means IPv6 and IPv4, or only IPv4 if the machine has no IPv6.
    convenience init(_ wanted: ListenAddress, isEncrypted: Bool) throws(ServerError) {
        let opened: Descriptor
        if wanted.host.isEmpty {
            do {
                opened = try Self.open(wanted, host: "::")
            } catch .system(_, _, EAFNOSUPPORT), .system(_, _, EADDRNOTAVAIL) {
                opened = try Self.open(wanted, host: "0.0.0.0")
            }
        } else {
            opened = try Self.open(wanted, host: wanted.host)
        }
        let port = try SocketName(of: opened.number, "\(wanted)").port
        let address = try ListenAddress(host: wanted.host, port: port)
        self.init(Endpoint(address, isEncrypted: isEncrypted), opened)
    }

    /// Binds a unix socket and listens; the listener removes its file.
    convenience init(unix path: String, isEncrypted: Bool) throws(ServerError) {
        let subject = "unix:\(path)"
        let descriptor = try Self.socket(AF_UNIX, subject)
        let file = try UnixSocketFile(binding: descriptor.number, to: path)
        let number = descriptor.number
        do throws(ServerError) {
            try SystemCall.check("listen", subject) { listen(number, Self.backlog) }
        } catch {
            file.remove()
            throw error
        }
        self.init(Endpoint(.unix(path: path), isEncrypted: isEncrypted), descriptor, file)
    }

    /// Takes over a listening socket; if it has a file, that remains its creator's.
    ///
    /// Throws if it is no listening stream socket.
    convenience init(takingOver entry: HandedSockets.Entry, isEncrypted: Bool) throws(ServerError) {
        let subject = "socket \(entry.name)"
        let descriptor = Descriptor(owning: entry.number)
        guard try Self.option(SO_TYPE, of: entry.number, subject) == Int32(SOCK_STREAM.rawValue),
            try Self.option(SO_ACCEPTCONN, of: entry.number, subject) != 0
        else { throw .handedOver("'\(entry.name)' is not a listening stream socket") }
        let flags = try SystemCall.check("fcntl", subject) { fcntl(entry.number, F_GETFL) }
        try SystemCall.check("fcntl", subject) { fcntl(entry.number, F_SETFL, flags | O_NONBLOCK) }
        let location = try SocketName(of: entry.number, subject).location
        if case .address = location { try Self.set(entry.number, Int32(IPPROTO_TCP), TCP_NODELAY, 1, subject) }
        self.init(Endpoint(location, isEncrypted: isEncrypted), descriptor)
    }

    private static func open(_ wanted: ListenAddress, host: String) throws(ServerError) -> Descriptor {
        let subject = "\(wanted)"
        let isIPv6 = host.contains(":")
        let descriptor = try socket(isIPv6 ? AF_INET6 : AF_INET, subject)
        let number = descriptor.number
        try set(number, SOL_SOCKET, SO_REUSEADDR, 1, subject)
        // Accepted sockets inherit this option.
        try set(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1, subject)
        if isIPv6 {
            try set(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, wanted.host.isEmpty ? 0 : 1, subject)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = wanted.port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            try bind(number, &address, subject)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = wanted.port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            try bind(number, &address, subject)
        }
        try SystemCall.check("listen", subject) { listen(number, backlog) }
        return descriptor
    }

    private static func socket(_ family: Int32, _ subject: String) throws(ServerError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return Descriptor(owning: try SystemCall.check("socket", subject) { Glibc.socket(family, kind, 0) })
    }

    private static func bind<Address>(
        _ number: Int32, _ address: inout Address, _ subject: String
    ) throws(ServerError) {
        let size = socklen_t(MemoryLayout<Address>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(number, $0, size) == 0 ? 0 : errno }
        }
        guard code == 0 else { throw .system(call: "bind", subject: subject, code: code) }
    }

    private static func set(
        _ number: Int32, _ level: Int32, _ name: Int32, _ value: Int32, _ subject: String
    ) throws(ServerError) {
        try SystemCall.check("setsockopt", subject) {
            withUnsafePointer(to: value) { setsockopt(number, level, name, $0, socklen_t(MemoryLayout<Int32>.size)) }
        }
    }

    private static func option(_ name: Int32, of number: Int32, _ subject: String) throws(ServerError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try SystemCall.check("getsockopt", subject) { getsockopt(number, SOL_SOCKET, name, &value, &size) }
        return value
    }
}

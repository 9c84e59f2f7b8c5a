import CLinux
import Glibc
import HTTP

/// A bound socket that connections come in by.
final class Listener: Sendable {
    /// With the port that the system chose, where it was left to it.
    let endpoint: Endpoint
    private let descriptor: Descriptor

    private static let backlog: Int32 = 4_096

    /// Binds and listens.
    ///
    /// Every address means IPv6 and IPv4, or IPv4 alone where the machine knows no IPv6.
    init(_ endpoint: Endpoint) throws(ServerError) {
        let wanted = endpoint.address
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
        let address = try ListenAddress(host: wanted.host, port: Self.port(of: opened, "\(wanted)"))
        self.endpoint = Endpoint(address, isEncrypted: endpoint.isEncrypted)
        descriptor = opened
    }

    var number: Int32 { descriptor.number }

    /// The next connection that waits, and who made it.
    func accept() -> (Transfer, PeerAddress) {
        var family: Int32 = 0
        var bytes = [UInt8](repeating: 0, count: 16)
        let outcome = SystemCall.retrying { Int(clinux_accept(descriptor.number, &family, &bytes)) }
        let number = { (part: Range<Int>) in bytes[part].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        let peer: PeerAddress =
            switch family {
            case AF_INET: PeerAddress(ipv4: UInt32(number(0..<4)))
            case AF_INET6: PeerAddress(ipv6: number(0..<8), number(8..<16))
            default: .local
            }
        return (Transfer(outcome), peer)
    }

    private static func open(_ wanted: ListenAddress, host: String) throws(ServerError) -> Descriptor {
        let subject = "\(wanted)"
        let isIPv6 = host.contains(":")
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = try SystemCall.check("socket", subject) { socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0) }
        let descriptor = Descriptor(owning: number)
        try set(number, SOL_SOCKET, SO_REUSEADDR, 1, subject)
        // Accepted sockets inherit it.
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

    private static func port(of descriptor: borrowing Descriptor, _ subject: String) throws(ServerError) -> UInt16 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let number = descriptor.number
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(number, $0, &size) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw .system(call: "getsockname", subject: subject, code: code) }
        // The port has the same place in the addresses of both families.
        return withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }
}

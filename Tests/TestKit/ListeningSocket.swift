import Glibc

/// A bound socket such as socket activation passes to a server, closed at the end of its owner's life.
package final class ListeningSocket: Sendable {
    package let number: Int32

    /// Listens at a loopback port that the system chooses.
    package convenience init() {
        self.init(AF_INET, SocketAddress(port: 0))
    }

    /// Listens at a unix socket, whose file stays.
    package convenience init(unixPath: String) {
        self.init(AF_UNIX, SocketAddress(path: unixPath))
    }

    /// Binds a unix socket without listening.
    package init(boundTo unixPath: String) {
        number = Self.bound(AF_UNIX, SocketAddress(path: unixPath))
    }

    private init(_ family: Int32, _ address: SocketAddress) {
        number = Self.bound(family, address)
        precondition(listen(number, 4_096) == 0, "cannot listen")
    }

    private static func bound(_ family: Int32, _ address: SocketAddress) -> Int32 {
        let number = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        let code = address.call(bind, number)
        precondition(code == 0, "cannot bind: \(code)")
        return number
    }

    deinit { close(number) }

    /// Returns the next connection, or `nil` after ``shut()``.
    package func accept() -> RawClient? {
        let connection = Glibc.accept(number, nil, nil)
        return connection < 0 ? nil : RawClient(owning: connection)
    }

    /// Stops accepting, also in a waiting call of ``accept()``.
    package func shut() {
        shutdown(number, Int32(SHUT_RDWR))
    }

    package var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}

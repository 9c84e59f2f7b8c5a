package import Glibc

/// The address of a socket, for the calls that need one.
package struct SocketAddress {
    private var storage = sockaddr_storage()
    private let size: socklen_t

    /// The address of a loopback port.
    init(port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &storage) { bytes in withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) } }
    }

    package init(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        size = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafeMutableBytes(of: &storage) { bytes in withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) } }
    }

    /// Calls `bind` or `connect`; returns zero or an errno.
    package func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ number: Int32) -> Int32 {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(number, $0, size) == 0 ? 0 : errno }
        }
    }
}

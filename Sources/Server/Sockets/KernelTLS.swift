import Glibc

/// Whether the kernel can encrypt the output of TLS (kTLS), so that files are sent by `sendfile` (decision 0021).
package enum KernelTLS: Sendable {
    case present
    case absent

    /// Tests the kernel with a connection of the process to itself.
    ///
    /// Linux loads the module `tls` only for processes that may administer the network; for others it has to be loaded
    /// already.
    package static func probe() -> KernelTLS {
        guard let listener = makeSocket(), let client = makeSocket() else { return .absent }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener.number, $0, size) == 0 && listen(listener.number, 1) == 0
                    && getsockname(listener.number, $0, &size) == 0 && connect(client.number, $0, size) == 0
            }
        }
        guard isConnected else { return .absent }
        let name = Array("tls".utf8)
        let isThere = setsockopt(client.number, Int32(IPPROTO_TCP), TCP_ULP, name, socklen_t(name.count)) == 0
        return isThere ? .present : .absent
    }

    /// Returns the encryption for connections to an endpoint: the kernel's for TCP alone.
    package func sealing(at endpoint: Endpoint) -> Sealing {
        guard endpoint.isEncrypted else { return .none }
        return self == .present && endpoint.address != nil ? .kernel : .openssl
    }

    private static func makeSocket() -> Descriptor? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(AF_INET, kind, 0)
        return number >= 0 ? Descriptor(owning: number) : nil
    }
}
